"""The whole server in this process, called as by HTTP: no socket, the real store and the real worker."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from geniffy_server.app import create_app
from geniffy_server.caller import Caller
from geniffy_server.domain.space import AccountId
from geniffy_server.errors import Unavailable
from geniffy_server.ports import Ports
from geniffy_server.services.accounts import ensure_owner
from geniffy_server.services.keys import make_key
from geniffy_server.settings import read_settings

_CALLS_A_KEY: Final = 500  # a key may make 600 calls a minute
_WAIT_S: Final = 30


@dataclass(slots=True)
class Inside:
    """A server that runs in this process, and the owner's way to call it."""

    ports: Ports
    owner: AccountId
    client: httpx.AsyncClient
    calls: int = 0
    key: str = field(default="", repr=False)

    def caller(self, space: str) -> Caller:
        """The owner, working in a space."""
        return Caller(self.owner, space)

    async def call(self, method: str, path: str, body: Any, space: str) -> Any:
        """The JSON that a call is answered with. Raises Unavailable for any answer but 2xx."""
        if self.calls % _CALLS_A_KEY == 0:
            self.key = (await make_key(self.ports, self.owner)).secret
        self.calls += 1
        headers = {"Authorization": f"Bearer {self.key}", "X-Geniffy-Space": space}
        answer = await self.client.request(method, path, json=body, headers=headers)
        if not answer.is_success:
            raise Unavailable(f"{method} {path} was answered with {answer.status_code}: {answer.text[:200]}")
        return answer.json()

    async def learned(self, space: str, source_id: str, within_s: float) -> int:
        """Wait until a source is learned; how many memories it teaches. Raises Unavailable when it does not come."""
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            source = (await self.call("GET", f"/v1/sources/{source_id}?wait={_WAIT_S}", None, space))["source"]
            if source["status"] == "learned":
                return int(source["facts"])
            if source["status"] != "reading":
                raise Unavailable(f"The source {source_id} could not be learned: {source['error']}")
        raise Unavailable(f"The source {source_id} was not learned within {within_s:.0f} s.")


@contextlib.asynccontextmanager
async def running(data: Path) -> AsyncIterator[Inside]:
    """A server over `data` while the block runs."""
    app = create_app(read_settings(data=data))
    async with app.router.lifespan_context(app):
        ports: Ports = app.state.ports
        owner, _ = await ensure_owner(ports)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787", timeout=60.0) as client:
            yield Inside(ports, owner.id, client)
