"""The tools as a FastMCP server, over whatever transport serves it.

Importing this loads FastMCP, which takes half a second: `server` and `stdio` do so when they start.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
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
from geniffy_server.mcp.tool_set import ToolSet, ToolSpec, annotations_of, by_key, may_use
from geniffy_server.services.access import in_space

log = logging.getLogger(__name__)

SERVER_NAME: Final = "geniffy-agents"
_SERVED: Final = frozenset({"initialize", "server/discover", "ping", "tools/list", "tools/call"})
# A reply that carries remembered words says what they are, beside the fields that clients expect.
_RECALLED: Final[JsonObject] = {"geniffy/note": AS_DATA}
_FAULT: Final = "Something went wrong on the server; nothing is known to be lost. Try again in a moment."


def server_of(tools: ToolSet) -> FastMCP[Any]:
    """A FastMCP server with these tools and nothing else: no banner, no telemetry, no logs below a warning."""
    fastmcp.settings.telemetry_mode = "off"
    logger = logging.getLogger("fastmcp")
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.WARNING)
    shown = _shown(tools)
    server: FastMCP[Any] = FastMCP(
        SERVER_NAME,
        instructions=tools.instructions,
        version=_version(),
        middleware=[OnlyTools(tools, shown, _shown(tools, with_space=True))],
        dereference_schemas=False,
    )
    for tool in shown.values():
        server.add_tool(tool)
    return server


class ShownTool(Tool):
    """A tool as clients are told of it, without FastMCP's own labels. `OnlyTools` answers calls of it."""

    def to_mcp_tool(self, **overrides: Any) -> mcp_types.Tool:
        return super().to_mcp_tool(**overrides, _meta=None)


class OnlyTools(Middleware):
    """Shows each caller the tools that are theirs, and nothing that is not a tool, and answers their calls."""

    def __init__(self, tools: ToolSet, plain: Mapping[str, ShownTool], with_space: Mapping[str, ShownTool]) -> None:
        self._tools = tools
        self._plain = plain
        self._with_space = with_space

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
        tools = self._with_space if by_key(caller) else self._plain
        return [tool for tool in tools.values() if may_use(caller, self._tools.tools[tool.name])]

    async def on_call_tool(
        self,
        context: MiddlewareContext[mcp_types.CallToolRequestParams],
        call_next: CallNext[mcp_types.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        name = context.message.name
        call = current.get()
        spec = self._tools.tools.get(name)
        if spec is None or not may_use(call.caller, spec):
            unknown = self._tools.unknown_tool
            call.outcome = unknown.word
            data = {"code": unknown.word} if self._tools.error_of is not None else None
            raise MCPError(code=unknown.number, message=f"Unknown tool: {name!r:.80}", data=data)
        client = _client_name(context)
        if client is not None and not call.caller.is_connected_app:
            call.caller = replace(call.caller, app=client)
        return await self._answered(call, spec, context.message.arguments or {})

    async def _answered(self, call: Call, spec: ToolSpec, arguments: dict[str, Any]) -> ToolResult:
        call.tool = spec.name
        try:
            structured = await _answer(call, spec, arguments)
        except ServerError as refusal:
            return self._failed(call, refusal, refusal.code, refusal.sentence)
        except Exception as fault:
            log.exception("the tool %s failed", spec.name)
            return self._failed(call, fault, "internal", _FAULT)
        call.outcome = "ok"
        text = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
        content = [mcp_types.TextContent(type="text", text=text)]
        return ToolResult(content=content, structured_content=structured, meta=None if spec.writes else _RECALLED)

    def _failed(self, call: Call, fault: Exception, word: str, sentence: str) -> ToolResult:
        """The result that says so, or where this door says so by them, a JSON-RPC error."""
        if self._tools.error_of is None:
            call.outcome = word
            return ToolResult(content=[mcp_types.TextContent(type="text", text=sentence)], is_error=True)
        error = self._tools.error_of(fault)
        call.outcome = error.word
        raise MCPError(code=error.number, message=sentence, data={"code": error.word})


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


def _shown(tools: ToolSet, *, with_space: bool = False) -> dict[str, ShownTool]:
    return {
        spec.name: ShownTool(
            name=spec.name,
            title=spec.title,
            description=spec.says,
            parameters=schema_of((*spec.takes, SPACE) if with_space else spec.takes),
            output_schema=spec.output,
            annotations=mcp_types.ToolAnnotations.model_validate(annotations_of(spec)),
        )
        for spec in tools.tools.values()
    }


_CAPABILITIES: Final = mcp_types.ServerCapabilities(tools=mcp_types.ToolsCapability(list_changed=False))
