"""The request log: an id on every response, one row a call, and no secret in any line that is logged.

It stands around every door, `/v1`, `/mcp` and the pages alike. Handlers leave what it should note in
`scope["state"]`: `caller` (a `Caller`), `outcome` (an error's code), `route` (a template that routing does not show)
and `app` (a client's name). What was said, asked or answered is never among it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
import time
from contextvars import ContextVar
from typing import Any, Final, Protocol
from uuid import UUID

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from geniffy_server.caller import Caller
from geniffy_server.errors import ServerError, Unavailable
from geniffy_server.learn.secrets import mask
from geniffy_server.ports import CallRecord, Ports

request_id: ContextVar[str] = ContextVar("request_id", default="-")
"""The id of the request that is being answered; `-` outside of one."""

RETRY_AFTER_S: Final = 2  # sent with every 5xx: a client that finds none may come back at once (contract 1.8)

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_PROBES: Final = frozenset({"/healthz", "/readyz", "/metrics"})
_UNKNOWN: Final = "(unknown)"
_OURS: Final = re.compile(r"gnf_[A-Za-z0-9_-]+")

log = logging.getLogger(__name__)


class CallMeter(Protocol):
    """Counts calls as they end; stands in `app.state.meter`."""

    def observe(self, door: str, route: str, status: int, duration_s: float) -> None:
        """Count one call. `route` is a method and a template, never a path."""
        ...


class RequestLog:
    """ASGI middleware around the whole app.

    Also answers in the envelope when the app fails before it answered, and when the server stops before it could.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a call through, and note it when it ends."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Always our own: one that a client sends could be another call's (contract Q50). It is no secret, and the
        # system's random bytes would cost a call into the kernel, at which another thread may take over.
        call_id = str(UUID(int=random.getrandbits(128), version=4))
        token = request_id.set(call_id)
        state: dict[str, Any] = scope.setdefault("state", {})
        status = 0
        began = time.perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [header for header in message.get("headers", ()) if header[0].lower() != b"x-request-id"]
                message = {**message, "headers": [*headers, (b"x-request-id", call_id.encode())]}
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception:
            log.exception("a call failed: %s", _route(scope, state))
            state["outcome"] = ServerError.default_code
            if status == 0:
                await _send_fault(send_with_id, _FAILED)
        except asyncio.CancelledError:
            state["outcome"] = _GIVEN_UP.code
            if status == 0:
                await _send_fault(send_with_id, _GIVEN_UP)
            raise
        finally:
            _note(scope, state, call_id, status, time.perf_counter() - began)
            request_id.reset(token)


def _note(scope: Scope, state: dict[str, Any], call_id: str, status: int, duration_s: float) -> None:
    """Count the call, and record it unless it is a probe's. `status` is 0 when nobody was there to answer."""
    template = _template(scope, state)
    route = _route(scope, state)
    door = _door(scope, template)
    found = getattr(scope.get("app"), "state", None)
    meter: CallMeter | None = getattr(found, "meter", None)
    if meter is not None:
        meter.observe(door, route, status, duration_s)
    ports: Ports | None = getattr(found, "ports", None)
    if ports is None or template in _PROBES:
        return
    caller: Caller | None = state.get("caller")
    ports.calls.record(
        CallRecord(
            id=call_id,
            at=ports.clock.now(),
            account_id=caller.account_id if caller else None,
            space=caller.space if caller else None,
            door=door,
            route=route,
            status=status,
            outcome=state.get("outcome") or ("ok" if 0 < status < 400 else "failed"),
            duration_ms=round(duration_s * 1000, 3),
            app=state.get("app") or (caller.app if caller else None),
            key_id=caller.key_id if caller else None,
        )
    )


def _template(scope: Scope, state: dict[str, Any]) -> str:
    """The route's own path, with its parameters' names: what a caller wrote there is not logged."""
    found = state.get("route") or getattr(scope.get("route"), "path_format", None)
    return found if isinstance(found, str) else _UNKNOWN


def _route(scope: Scope, state: dict[str, Any]) -> str:
    method = scope["method"] if scope["method"] in _METHODS else "OTHER"
    return f"{method} {_template(scope, state)}"


def _door(scope: Scope, template: str) -> str:
    path: str = scope["path"] if template == _UNKNOWN else template
    path = path.removeprefix(scope.get("root_path", ""))
    if path.startswith("/mcp"):
        return "mcp"
    return "page" if path.startswith(("/app", "/oauth", "/.well-known")) else "rest"


_FAILED: Final = ServerError("Something went wrong here; try again, and if it stays so, report the X-Request-ID.")
_GIVEN_UP: Final = Unavailable("The server is stopping and gave this call up; try again in a moment.")


async def _send_fault(send: Send, fault: ServerError) -> None:
    body = json.dumps(fault.envelope()).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", str(RETRY_AFTER_S).encode()),
        # The layer that lets browsers read answers stands inside this one; this body tells nothing.
        (b"access-control-allow-origin", b"*"),
        (b"access-control-expose-headers", b"X-Request-ID, Retry-After"),
    ]
    await send({"type": "http.response.start", "status": fault.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class MaskedFormatter(logging.Formatter):
    """Formats a line, its traceback too, with the request's id in `%(request_id)s` and without any secret."""

    def format(self, record: logging.LogRecord) -> str:
        """The finished line."""
        record.request_id = request_id.get()
        return _OURS.sub("gnf_█", mask(super().format(record)).text)
