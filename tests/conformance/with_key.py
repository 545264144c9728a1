"""The server with an API key put into every call of `/mcp`: the suites for servers can't send a header of their own."""

from __future__ import annotations

import os

from starlette.types import ASGIApp, Receive, Scope, Send

from geniffy_server.app import create_app
from geniffy_server.settings import read_settings

KEY = "CONFORMANCE_KEY"


class WithKey:
    """An ASGI app around the server's, outside of the product."""

    def __init__(self, inner: ASGIApp, key: str) -> None:
        self._inner = inner
        self._header = (b"authorization", f"Bearer {key}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/mcp":
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._inner(scope, receive, send)


def app() -> ASGIApp:
    """For `uvicorn --factory`."""
    return WithKey(create_app(read_settings()), os.environ[KEY])
