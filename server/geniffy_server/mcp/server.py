"""The doors at `/mcp` and `/mcp/omi`: tools over Streamable HTTP, stateless, for every revision FastMCP knows."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from geniffy_server.caller import Caller
from geniffy_server.errors import Unavailable
from geniffy_server.mcp.call import Call, current
from geniffy_server.mcp.guard import McpGuard
from geniffy_server.mcp.omi import OMI_TOOLS
from geniffy_server.mcp.tool_set import ToolSet
from geniffy_server.mcp.tools import MEMORY_TOOLS
from geniffy_server.ports import Ports
from geniffy_server.services.keys import CallerOf, caller_of_key
from geniffy_server.settings import Settings

log = logging.getLogger(__name__)


class McpDoor:
    """Routes for an app, and what must run while they are served: `async with door.running(ports)`."""

    def __init__(self, settings: Settings, caller_of: CallerOf, path: str, tools: ToolSet) -> None:
        self._caller_of = caller_of
        self._path = path
        self._tools = tools
        self._ports: Ports | None = None
        self._transport: asyncio.Future[ASGIApp | None] | None = None
        guard = McpGuard(settings, self._caller, self._serve, path)
        # Many a client is given the address with a slash behind it, and none of them should be redirected.
        self.routes: Sequence[BaseRoute] = [Route(at, guard, include_in_schema=False) for at in (path, f"{path}/")]

    @contextlib.asynccontextmanager
    async def running(self, ports: Ports) -> AsyncIterator[None]:
        """Serve the tools over `ports` while the block runs.

        It enters at once: FastMCP takes half a second to load, which it does in a thread, and the first request to
        this door waits for it rather than every other door.
        """
        self._ports, self._transport = ports, asyncio.get_running_loop().create_future()
        stop = asyncio.Event()
        transporting = asyncio.create_task(self._run(self._transport, stop), name=self._path)
        try:
            yield
        finally:
            self._ports = self._transport = None
            stop.set()
            await transporting

    async def _run(self, opened: asyncio.Future[ASGIApp | None], stop: asyncio.Event) -> None:
        try:
            transport = await asyncio.to_thread(_transport, self._tools)
            async with transport.router.lifespan_context(transport):
                opened.set_result(transport)
                await stop.wait()
        except Exception:
            log.exception("the tools of %s can't be served", self._path)
        finally:
            if not opened.done():
                opened.set_result(None)

    async def _caller(self, bearer: str | None, space: str | None, app: str | None) -> Caller:
        ports, _ = await self._open()
        return await self._caller_of(ports, bearer, space, app)

    async def _open(self) -> tuple[Ports, ASGIApp]:
        ports, opening = self._ports, self._transport
        if ports is None or opening is None:
            raise Unavailable("The server is starting or stopping; try again in a moment.")
        transport = await asyncio.shield(opening)  # a client that gives up must not take it from the others
        if transport is None:
            raise Unavailable("The MCP tools could not be loaded; the server's log says why.")
        return ports, transport

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        ports, transport = await self._open()
        state = scope["state"]
        call = Call(ports, state["caller"])
        token = current.set(call)
        try:
            await transport({**scope, "path": "/mcp", "raw_path": b"/mcp", "root_path": ""}, receive, send)
        finally:
            current.reset(token)
            state["caller"], state["app"] = call.caller, call.caller.app
            if call.tool is not None:
                state["route"] = f"{self._path} {call.tool}"
            if call.outcome is not None:
                state["outcome"] = call.outcome


def _transport(tools: ToolSet) -> Starlette:
    from geniffy_server.mcp.engine import server_of

    return server_of(tools).http_app(path="/mcp", stateless_http=True, json_response=True)


def mcp_door(settings: Settings, caller_of: CallerOf = caller_of_key) -> McpDoor:
    """The door at `/mcp`. Nothing runs yet; a path prefix of the public URL is the app's `root_path`.

    `caller_of` says who calls with a bearer: an API key, or whatever else a composition accepts.
    """
    return McpDoor(settings, caller_of, "/mcp", MEMORY_TOOLS)


def omi_door(settings: Settings, caller_of: CallerOf = caller_of_key) -> McpDoor:
    """The door at `/mcp/omi`, for apps that were written for Omi (seed 002); else like `mcp_door`."""
    return McpDoor(settings, caller_of, "/mcp/omi", OMI_TOOLS)
