"""The two drivers: they perform the steps of a flow over httpx. Imported when a client is made, as httpx takes time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from typing import Any, Final, TypeAlias

import httpx

from geniffy_agents._loops import LoopClients
from geniffy_agents._request import Outcome, Reply, Request, Sleep, Step, Unreached
from geniffy_agents.errors import APIConnectionError

AsyncHttp: TypeAlias = httpx.AsyncClient | LoopClients

LONGEST_HOLD_S: Final = 30.0
"""How long the server holds an answer back at most (contract 1.13)."""
SPARED_S: Final = 5.0
"""Left of a client's read timeout when the server is asked to hold an answer back, for the answer's own way."""

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_CLOSED: Final = "This client was closed. Make a new one."
_NEVER_OPENED: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class BlockingDriver:
    """Performs steps with an `httpx.Client`. `headers` go with every request to `base_url`."""

    def __init__(
        self,
        http: httpx.Client,
        base_url: str,
        headers: Mapping[str, str],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._http = http
        self._base_url = base_url
        self._headers = headers
        self._sleep = sleep

    def __call__(self, step: Step) -> Outcome | None:
        if isinstance(step, Sleep):
            self._sleep(step.seconds)
            return None
        arguments = _arguments(step, self._base_url, self._headers)
        try:
            response = self._http.request(**arguments)
        except httpx.RequestError as error:
            return _unreached(error, self._base_url)
        except RuntimeError as error:  # httpx's word for a client that was closed
            if not self._http.is_closed:
                raise
            raise APIConnectionError(_CLOSED) from error
        return Reply(response.status_code, response.headers, response.content)


class AsyncDriver:
    """Performs steps with an `httpx.AsyncClient`. `headers` go with every request to `base_url`."""

    def __init__(
        self,
        http: AsyncHttp,
        base_url: str,
        headers: Mapping[str, str],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._http = http
        self._base_url = base_url
        self._headers = headers
        self._sleep = sleep

    async def __call__(self, step: Step) -> Outcome | None:
        if isinstance(step, Sleep):
            await self._sleep(step.seconds)
            return None
        arguments = _arguments(step, self._base_url, self._headers)
        try:
            response = await self._http.request(**arguments)
        except httpx.RequestError as error:
            return _unreached(error, self._base_url)
        except RuntimeError as error:  # httpx's word for a client that was closed
            if not self._http.is_closed:
                raise
            raise APIConnectionError(_CLOSED) from error
        return Reply(response.status_code, response.headers, response.content)


def open_client(base_url: str, timeout: float) -> httpx.Client:
    """A pool of connections to `base_url`; `timeout` is in seconds, for each part of a call."""
    return httpx.Client(timeout=timeout, trust_env=not _is_local(base_url))


def open_async_client(base_url: str, timeout: float) -> LoopClients:
    """The same for asyncio, for any number of event loops."""
    limits = httpx.Timeout(timeout)
    return LoopClients(lambda: httpx.AsyncClient(timeout=limits, trust_env=not _is_local(base_url)), limits)


def longest_hold_s(http: httpx.Client | AsyncHttp) -> float:
    """How long this client can wait for an answer that the server holds back; 0 when its timeout is too short."""
    read = http.timeout.read
    return LONGEST_HOLD_S if read is None else max(0.0, min(LONGEST_HOLD_S, read - SPARED_S))


def _is_local(base_url: str) -> bool:
    """A server on this machine is never behind the proxy that HTTP_PROXY names."""
    return httpx.URL(base_url).host in _LOOPBACK


def _arguments(request: Request, base_url: str, headers: Mapping[str, str]) -> dict[str, Any]:
    sent: dict[str, Any] = {
        "method": request.method,
        "url": base_url + request.path,
        "params": list(request.params) or None,
        "headers": {**headers, **request.headers},
    }
    if request.json is not None:
        sent["content"] = _json(request.json)
        sent["headers"]["Content-Type"] = "application/json"
    if request.upload is not None:
        upload = request.upload
        sent["files"] = {"file": (upload.name, upload.content, upload.media_type)}
        sent["data"] = dict(upload.fields) or None
    return sent


def _json(body: Mapping[str, Any]) -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_written)
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError("The text holds half of a surrogate pair, which can't be sent or kept.") from None


def _written(value: object) -> object:
    """What JSON has no word for, such as the time of a message or of an item in a batch."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"A value of type {type(value).__name__} can't be sent as JSON: {value!r:.60}.")


def _unreached(error: httpx.RequestError, base_url: str) -> Unreached:
    opened = not isinstance(error, _NEVER_OPENED)
    reason = str(error) or type(error).__name__
    if isinstance(error, httpx.TimeoutException):
        return Unreached(f"No answer in time from {base_url} ({type(error).__name__}).", opened)
    if not opened:
        return Unreached(f"Nothing answers at {base_url} ({reason}). Is the server running there?", opened)
    return Unreached(f"The connection to {base_url} broke ({reason}).", opened)
