"""The authorization server's routes, for the app that serves them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from geniffy_server.oauth.authorize import ErrorPage, authorize_endpoint
from geniffy_server.oauth.metadata import metadata_routes
from geniffy_server.oauth.register import register
from geniffy_server.oauth.revoke import revoke
from geniffy_server.oauth.token import token
from geniffy_server.oauth.wire import json_endpoint
from geniffy_server.settings import Settings


def oauth_routes(settings: Settings, error_page: ErrorPage) -> Sequence[BaseRoute]:
    """Metadata, registration, authorization, tokens and revoking; `error_page` has the look of the other pages.

    Three of them answer at the root too: a client that has lost the metadata, and one of MCP 2025-03-26 that finds
    none, goes there.
    """
    authorizing = authorize_endpoint(error_page)
    registering = json_endpoint("/oauth/register", register)
    trading = json_endpoint("/oauth/token", token)
    return [
        *metadata_routes(settings.base_url),
        *(_route(path, authorizing, "GET") for path in ("/oauth/authorize", "/authorize")),
        *(_route(path, registering, "POST") for path in ("/oauth/register", "/register")),
        *(_route(path, trading, "POST") for path in ("/oauth/token", "/token")),
        _route("/oauth/revoke", json_endpoint("/oauth/revoke", revoke), "POST"),
    ]


def _route(path: str, endpoint: Callable[[Request], Awaitable[Response]], method: str) -> Route:
    return Route(path, endpoint, methods=[method], include_in_schema=False)
