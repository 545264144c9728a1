"""The tools over stdin and stdout, for one caller who needs no sign-in: whoever started the process."""

from __future__ import annotations

from dataclasses import replace

from geniffy_server.caller import Caller
from geniffy_server.mcp.call import Call, current
from geniffy_server.mcp.tool_set import ToolSet
from geniffy_server.ports import Ports


async def serve_stdio(ports: Ports, caller: Caller, tools: ToolSet) -> None:
    """Serve until the client closes stdin. Only protocol messages are written to stdout."""
    from geniffy_server.mcp.engine import server_of

    server = server_of(tools)
    current.set(Call(ports, replace(caller, is_ai_app=True)))
    await server.run_stdio_async(show_banner=False)
