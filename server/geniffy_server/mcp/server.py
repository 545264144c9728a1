"""The door at `/mcp`: the tools over Streamable HTTP, stateless, for every protocol revision FastMCP knows."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from geniffy_server.caller import Caller
from geniffy_server.errors import Unavailable
from geniffy_server.mcp.call import Call, current
from geniffy_server.mcp.guard import McpGuard
from geniffy_server.ports import Ports
from geniffy_server.services.keys import caller_of_key
from geniffy_server.settings import Settings

CallerOf = Callable[[Ports, str | None, str | None, str | None], Awaitable[Caller]]
"""`(ports, bearer, space header, app) -> Caller`; raises NotSignedIn, NotAllowed, BadInput, Busy."""


class McpDoor:
    """Routes for an app, and what must run while they are served: `async with door.running(ports)`."""

    def __init__(self, settings: Settings, caller_of: CallerOf) -> None:
        self._caller_of = caller_of
        self._ports: Ports | None = None
        self._transport: ASGIApp | None = None
        guard = McpGuard(settings, self._caller, self._serve)
        self.routes: Sequence[BaseRoute] = [Route("/mcp", guard, include_in_schema=False)]

    @contextlib.asynccontextmanager
    async def running(self, ports: Ports) -> AsyncIterator[None]:
        """Serve the tools over `ports` while the block runs."""
        from geniffy_server.mcp.engine import memory_server

        transport = memory_server().http_app(path="/mcp", stateless_http=True, json_response=True)
        async with transport.router.lifespan_context(transport):
            self._ports, self._transport = ports, transport
            try:
                yield
            finally:
                self._ports = self._transport = None

    async def _caller(self, bearer: str | None, space: str | None, app: str | None) -> Caller:
        return await self._caller_of(self._open(), bearer, space, app)

    def _open(self) -> Ports:
        if self._ports is None:
            raise Unavailable("The server is starting or stopping; try again in a moment.")
        return self._ports

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._transport is not None, "the guard lets no request through before it runs"
        state = scope["state"]
        call = Call(self._open(), state["caller"])
        token = current.set(call)
        try:
            await self._transport({**scope, "path": "/mcp", "raw_path": b"/mcp", "root_path": ""}, receive, send)
        finally:
            current.reset(token)
            state["caller"], state["app"] = call.caller, call.caller.app
            if call.tool is not None:
                state["route"] = f"/mcp {call.tool}"
            if call.outcome is not None:
                state["outcome"] = call.outcome


def mcp_door(settings: Settings, caller_of: CallerOf = caller_of_key) -> McpDoor:
    """The door at `/mcp`. Nothing runs yet; a path prefix of the public URL is the app's `root_path`.

    `caller_of` says who calls with a bearer: an API key, or whatever else a composition accepts.
    """
    return McpDoor(settings, caller_of)
