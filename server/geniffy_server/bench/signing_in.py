"""What a token refresh costs when several apps refresh at once, beside an endpoint with nothing behind it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier
from typing import Final
from urllib.parse import parse_qs, urlencode, urlsplit

from geniffy_server.bench.comparing import timed_ms
from geniffy_server.bench.figures import Figure
from geniffy_server.bench.preparing import ports_of
from geniffy_server.bench.scoring import median, percentile
from geniffy_server.bench.wire import Client
from geniffy_server.domain.connection import REQUEST_LIFE, App, AppRequest
from geniffy_server.domain.space import AccountId
from geniffy_server.errors import Unavailable
from geniffy_server.ports import Ports
from geniffy_server.services.clients import Registration, register
from geniffy_server.services.connections import ask, decide
from geniffy_server.services.tokens import trade_code

CLIENTS: Final = 8
_BACK: Final = "http://127.0.0.1:33418/callback"
_VERIFIER: Final = "bench-" * 8  # 43 characters at least, RFC 7636 4.1
_WARM_UP: Final = 3
_HERE: Final = "127.0.0.1"
_WITHIN_S: Final = 60.0

_Run = Callable[[Barrier], list[float]]


@dataclass(slots=True)
class ConnectedApp:
    """An app that somebody allowed to write, and the refresh token that it holds."""

    client_id: str
    token: str


def connected_apps(data: Path, owner: AccountId, count: int = CLIENTS) -> list[ConnectedApp]:
    """Connect so many apps to a store that no server has open."""

    async def run() -> list[ConnectedApp]:
        async with ports_of(data) as ports:
            return [await _connected(ports, owner, number) for number in range(count)]

    return asyncio.run(run())


def refreshes(base_url: str, bare_url: str, apps: Sequence[ConnectedApp], calls: int) -> list[Figure]:
    """So many refreshes by all apps at once, then as many calls of a bare endpoint by as many clients.

    Raises Unavailable when one is refused: a connection was lost.
    """
    each = max(1, calls // len(apps))
    ours = _at_once([_refreshing(base_url, app, each) for app in apps])
    bare = _at_once([_calling(bare_url, each) for _ in apps])
    slow, bare_slow = percentile(ours, 0.95), percentile(bare, 0.95)
    note = f"p95 {slow:.1f} ms, p50 {median(ours):.1f} ms; bare: {bare_slow:.1f} ms; {len(ours)} by {len(apps)} at once"
    return [Figure("token refresh, p95 / a bare endpoint's", slow / bare_slow, "x", note=note)]


async def _connected(ports: Ports, owner: AccountId, number: int) -> ConnectedApp:
    asked = Registration(f"Bench {number}", [_BACK], "none")
    client = (await register(ports, asked, _HERE)).client
    digest = hashlib.sha256(_VERIFIER.encode()).digest()
    request = AppRequest(
        client_id=client.id,
        app=App(f"Bench {number}", is_known=False, host=None),
        redirect_uri=_BACK,
        names_redirect=True,
        offers="write",
        state=None,
        challenge=urlsafe_b64encode(digest).decode().rstrip("="),
        resource="/mcp",
        expires_at=ports.clock.now() + REQUEST_LIFE,
    )
    back = await decide(ports, owner, await ask(ports, request, _HERE), "write")
    code = parse_qs(urlsplit(back).query)["code"][0]
    issued = await trade_code(ports, client, code, verifier=_VERIFIER, redirect_uri=_BACK, resource=None)
    return ConnectedApp(client.id, issued.refresh)


def _refreshing(base_url: str, app: ConnectedApp, calls: int) -> _Run:
    host = urlsplit(base_url).netloc

    def run(everybody: Barrier) -> list[float]:
        times = []
        with Client(base_url) as client:
            for number in range(_WARM_UP + calls):
                form = {"grant_type": "refresh_token", "refresh_token": app.token, "client_id": app.client_id}
                body = urlencode(form).encode()
                head = f"POST /oauth/token HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n"
                head += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
                if number == _WARM_UP:
                    everybody.wait(_WITHIN_S)
                began = time.perf_counter()
                reply = client.send(head.encode() + body)
                took_ms = (time.perf_counter() - began) * 1000
                if reply.status != 200:
                    raise Unavailable(f"A refresh was answered with {reply.status}: {reply.body[:200]!r}")
                app.token = json.loads(reply.body)["refresh_token"]
                if number >= _WARM_UP:
                    times.append(took_ms)
        return times

    return run


def _calling(bare_url: str, calls: int) -> _Run:
    def run(everybody: Barrier) -> list[float]:
        with Client(bare_url) as client:
            asked = client.request("GET", "/healthz")
            for _ in range(_WARM_UP):
                client.send(asked)
            everybody.wait(_WITHIN_S)
            return [timed_ms(client.send, asked) for _ in range(calls)]

    return run


def _at_once(runs: Sequence[_Run]) -> list[float]:
    """The times of every run. They wait for each other before what is timed, or one that is quick had it to itself."""
    everybody = Barrier(len(runs))

    def held(run: _Run) -> list[float]:
        try:
            return run(everybody)
        except Unavailable:
            everybody.abort()  # or the others would wait for it
            raise

    with ThreadPoolExecutor(len(runs)) as pool:
        ends = [pool.submit(held, run) for run in runs]
    for failed in (end.exception() for end in ends):
        if isinstance(failed, Unavailable):
            raise failed
    return [one for end in ends for one in end.result()]
