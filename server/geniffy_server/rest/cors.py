"""Pages of any origin may call the API with a key (Fetch standard, "CORS protocol"); cookies mean nothing here."""

from __future__ import annotations

from typing import Final

from starlette._utils import get_route_path
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# `/mcp` is not among them: its guard checks the origin itself (DNS rebinding).
_OPEN: Final = ("/v1/", "/oauth/", "/.well-known/", "/register", "/token")
_EXPOSED: Final = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"X-Request-ID, Retry-After, ETag, WWW-Authenticate, Mcp-Session-Id"),
]
_PREFLIGHT: Final = [
    *_EXPOSED,
    (b"access-control-allow-methods", b"GET, POST, PUT, PATCH, DELETE"),
    (
        b"access-control-allow-headers",
        b"Authorization, Content-Type, Accept, X-Geniffy-Space, X-Geniffy-Client, If-Match, If-None-Match, "
        b"MCP-Protocol-Version",
    ),
    (b"access-control-max-age", b"600"),
    (b"content-length", b"0"),
]


class AnyOrigin:
    """ASGI middleware that answers preflights and lets pages read answers, the refused ones too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight; pass every other call on."""
        if scope["type"] != "http" or not get_route_path(scope).startswith(_OPEN):
            await self._app(scope, receive, send)
            return
        if scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope):
            await send({"type": "http.response.start", "status": 204, "headers": list(_PREFLIGHT)})
            await send({"type": "http.response.body", "body": b""})
            return

        async def send_open(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_EXPOSED]}
            await send(message)

        await self._app(scope, receive, send_open)
