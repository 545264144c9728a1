"""A bare FastMCP server with one tool that gives back what it was given: what a tool call costs with nothing behind it.

Run as a program: `python -m geniffy_server.bench.echo --port 8788`. It speaks as our own server does: stateless, with
answers in JSON.
"""

from __future__ import annotations

import sys

from fastmcp import FastMCP
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

TOOL = "echo"


def echo_app() -> Starlette:
    """The server as an ASGI app, with `/healthz` beside `/mcp`."""
    server: FastMCP[None] = FastMCP(TOOL)

    @server.tool
    def echo(text: str) -> dict[str, str]:
        return {"text": text}

    @server.custom_route("/healthz", ["GET"])
    async def healthz(request: Request) -> Response:
        return PlainTextResponse("ok")

    return server.http_app(path="/mcp", stateless_http=True, json_response=True)


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(echo_app(), host="127.0.0.1", port=int(sys.argv[-1]), log_level="warning", access_log=False)
