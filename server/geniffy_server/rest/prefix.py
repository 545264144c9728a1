"""A path in front of every route, as `public_url` may have one."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class UnderPrefix:
    """ASGI middleware that serves every route beneath `prefix`, and without it for a proxy that has cut it off.

    Routing leaves out a `root_path` that a path begins with, and takes any other path as it is.
    """

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the call on, with the prefix named."""
        scope["root_path"] = self._prefix
        await self._app(scope, receive, send)
