"""What a tool call over `/mcp` costs, beside one to a FastMCP server that does nothing, made by the same client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from geniffy_server.bench.comparing import in_turn
from geniffy_server.bench.echo import TOOL
from geniffy_server.bench.figures import Figure
from geniffy_server.bench.wire import Client
from geniffy_server.errors import Unavailable

_TOOL: Final = "list_memories"  # of a space that holds nothing: what is left is the door
_ACCEPT: Final = {"Accept": "application/json, text/event-stream"}
_HANDSHAKE: Final = "2025-11-25"
_STATELESS: Final = "2026-07-28"
_META: Final = {
    "io.modelcontextprotocol/protocolVersion": _STATELESS,
    "io.modelcontextprotocol/clientInfo": {"name": "geniffy-bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def tool_calls(ours: Client, echo: Client, calls: int) -> list[Figure]:
    """A trivial call of both, in turn, for clients of either sort."""
    figures = []
    for revision in (_HANDSHAKE, _STATELESS):

        def of_ours(number: int, revision: str = revision) -> None:
            _call(ours, revision, _TOOL, {"limit": 1}, number)

        def of_echo(number: int, revision: str = revision) -> None:
            _call(echo, revision, TOOL, {"text": "hello"}, number)

        compared = in_turn(of_ours, of_echo, calls, warm_up=20)
        figures.append(compared.figure(f"MCP {revision} tool call / bare FastMCP echo", "echo", 1.5))
    return figures


def _call(client: Client, revision: str, tool: str, arguments: Mapping[str, Any], number: int) -> None:
    params: dict[str, Any] = {"name": tool, "arguments": arguments}
    headers = {**_ACCEPT, "MCP-Protocol-Version": revision}
    if revision == _STATELESS:
        params["_meta"] = _META
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": tool}
    body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    reply = client.send(client.request("POST", "/mcp", body, headers=headers))
    if reply.status != 200 or b'"error"' in reply.body or b'"isError":true' in reply.body:
        raise Unavailable(f"The tool {tool} was answered with {reply.status}: {reply.body[:200]!r}")
