"""The tools as a FastMCP server, over whatever transport serves it.

Importing this loads FastMCP, which takes half a second: `server` and `stdio` do so when they start.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import fastmcp
import mcp_types
from fastmcp import FastMCP
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import Tool, ToolResult
from mcp.shared.exceptions import MCPError

from geniffy_server.caller import Caller
from geniffy_server.domain.connection import app_name
from geniffy_server.errors import BadInput, ServerError
from geniffy_server.mcp.arguments import SPACE, JsonObject, checked, schema_of
from geniffy_server.mcp.call import Call, current
from geniffy_server.mcp.render import AS_DATA
from geniffy_server.mcp.tools import INSTRUCTIONS, TOOLS, ToolSpec, annotations_of, by_key, may_use
from geniffy_server.services.access import in_space

log = logging.getLogger(__name__)

SERVER_NAME: Final = "geniffy-agents"
_SERVED: Final = frozenset({"initialize", "server/discover", "ping", "tools/list", "tools/call"})
# A reply that carries remembered words says what they are, beside the fields that clients expect.
_RECALLED: Final[JsonObject] = {"geniffy/note": AS_DATA}


def memory_server() -> FastMCP[Any]:
    """A FastMCP server with the eight tools and nothing else: no banner, no telemetry, no logs below a warning."""
    fastmcp.settings.telemetry_mode = "off"
    logger = logging.getLogger("fastmcp")
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.WARNING)
    server: FastMCP[Any] = FastMCP(
        SERVER_NAME,
        instructions=INSTRUCTIONS,
        version=_version(),
        middleware=[OnlyTools()],
        dereference_schemas=False,
    )
    for tool in _PLAIN.values():
        server.add_tool(tool)
    return server


class MemoryTool(Tool):
    """A tool whose arguments are checked here, and whose failures are results that a model can read."""

    def to_mcp_tool(self, **overrides: Any) -> mcp_types.Tool:
        """The tool as clients see it, without FastMCP's own labels."""
        return super().to_mcp_tool(**overrides, _meta=None)

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        call = current.get()
        call.tool = self.name
        spec = TOOLS[self.name]
        try:
            structured = await _answer(call, spec, arguments)
        except ServerError as refusal:
            call.outcome = refusal.code
            return _failed(refusal.sentence)
        except Exception:
            log.exception("the tool %s failed", self.name)
            call.outcome = "internal"
            return _failed("Something went wrong on the server; nothing is known to be lost. Try again in a moment.")
        call.outcome = "ok"
        text = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
        content = [mcp_types.TextContent(type="text", text=text)]
        return ToolResult(content=content, structured_content=structured, meta=None if spec.writes else _RECALLED)


class OnlyTools(Middleware):
    """Shows each caller the tools that are theirs, and nothing that is not a tool."""

    async def on_initialize(
        self,
        context: MiddlewareContext[mcp_types.InitializeRequest],
        call_next: CallNext[mcp_types.InitializeRequest, mcp_types.InitializeResult | None],
    ) -> mcp_types.InitializeResult | None:
        result = await call_next(context)
        return result and result.model_copy(update={"capabilities": _CAPABILITIES})

    async def on_discover(
        self,
        context: MiddlewareContext[mcp_types.DiscoverRequest],
        call_next: CallNext[mcp_types.DiscoverRequest, mcp_types.DiscoverResult | dict[str, Any]],
    ) -> mcp_types.DiscoverResult | dict[str, Any]:
        result = await call_next(context)
        if isinstance(result, mcp_types.DiscoverResult):
            return result.model_copy(update={"capabilities": _CAPABILITIES})
        return result

    async def on_request(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        if context.method not in _SERVED:
            raise MCPError(code=mcp_types.METHOD_NOT_FOUND, message=f"Method not found: {context.method!r:.80}")
        return await call_next(context)

    async def on_list_tools(
        self,
        context: MiddlewareContext[mcp_types.ListToolsRequest],
        call_next: CallNext[mcp_types.ListToolsRequest, Sequence[Tool]],
    ) -> Sequence[Tool]:
        caller = current.get().caller
        tools = _WITH_SPACE if by_key(caller) else _PLAIN
        return [tool for tool in tools.values() if may_use(caller, TOOLS[tool.name])]

    async def on_call_tool(
        self,
        context: MiddlewareContext[mcp_types.CallToolRequestParams],
        call_next: CallNext[mcp_types.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        name = context.message.name
        call = current.get()
        spec = TOOLS.get(name)
        if spec is None or not may_use(call.caller, spec):
            call.outcome = "unknown_tool"
            raise MCPError(code=mcp_types.INVALID_PARAMS, message=f"Unknown tool: {name!r:.80}")
        client = _client_name(context)
        if client is not None and not call.caller.is_connected_app:
            call.caller = replace(call.caller, app=client)
        return await _PLAIN[name].run(context.message.arguments or {})


async def _answer(call: Call, spec: ToolSpec, arguments: dict[str, Any]) -> JsonObject:
    is_key = by_key(call.caller)
    values = checked((*spec.takes, SPACE) if is_key else spec.takes, arguments)
    if is_key:
        call.caller = _in_named_space(call.caller, values.pop("space"))
    return await spec.run(call.ports, call.caller, **values)


def _in_named_space(caller: Caller, space: str | None) -> Caller:
    """The caller in the space of the argument, which must not differ from the header's (decisions 15)."""
    if space is not None and caller.space and not caller.is_limited and space != caller.space:
        raise BadInput(
            f"The X-Geniffy-Space header names {caller.space!r} but 'space' names {space!r:.140}; send one of them.",
            "bad_space",
        )
    return in_space(caller, space)


def _client_name(context: MiddlewareContext[Any]) -> str | None:
    """What the client calls itself; None when this request doesn't say."""
    within = context.fastmcp_context
    told = within.session.client_params if within is not None else None
    if told is None:
        return None
    return app_name(told.client_info.title or told.client_info.name)


def _version() -> str:
    try:
        return version("geniffy-agents")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0"


def _failed(sentence: str) -> ToolResult:
    return ToolResult(content=[mcp_types.TextContent(type="text", text=sentence)], is_error=True)


def _tools(*, with_space: bool) -> dict[str, MemoryTool]:
    return {
        spec.name: MemoryTool(
            name=spec.name,
            title=spec.title,
            description=spec.says,
            parameters=schema_of((*spec.takes, SPACE) if with_space else spec.takes),
            output_schema=spec.output,
            annotations=mcp_types.ToolAnnotations.model_validate(annotations_of(spec)),
        )
        for spec in TOOLS.values()
    }


_PLAIN: Final = _tools(with_space=False)
_WITH_SPACE: Final = _tools(with_space=True)
_CAPABILITIES: Final = mcp_types.ServerCapabilities(tools=mcp_types.ToolsCapability(list_changed=False))
