"""Where clients learn what there is: RFC 8414 for the authorization server, RFC 9728 for what it protects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from geniffy_server.domain.connection import AUTH_METHODS, RESOURCES
from geniffy_server.domain.loopback import as_called
from geniffy_server.domain.pkce import METHOD
from geniffy_server.oauth.rules import SCOPES

WELL_KNOWN: Final = "/.well-known"
_NAME: Final = "Geniffy Agents"
_HEADERS: Final = {"Cache-Control": "public, max-age=300", "Vary": "Host"}


def server_metadata(base_url: str) -> dict[str, Any]:
    """The authorization server. Its `issuer` is the public URL with no slash at the end: clients compare exactly."""
    return {
        "issuer": base_url,
        "authorization_endpoint": f"{base_url}/oauth/authorize",
        "token_endpoint": f"{base_url}/oauth/token",
        "registration_endpoint": f"{base_url}/oauth/register",
        "revocation_endpoint": f"{base_url}/oauth/revoke",
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": [METHOD],
        "token_endpoint_auth_methods_supported": list(AUTH_METHODS),
        "revocation_endpoint_auth_methods_supported": list(AUTH_METHODS),
        "authorization_response_iss_parameter_supported": True,
    }


def resource_metadata(base_url: str, path: str, host: str | None = None) -> dict[str, Any]:
    """One protected resource, at `path` beneath the public URL; `host` is what a caller calls this server."""
    return {
        "resource": as_called(base_url, host) + path,
        "authorization_servers": [base_url],
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
        "resource_name": _NAME,
    }


def metadata_routes(base_url: str) -> Iterator[Route]:
    """Both documents at every address where clients look.

    The path of an issuer or a resource goes behind the well-known part (RFC 8414 3.1, RFC 9728 3.1). Beneath a prefix
    a server is often reached at the prefix alone, so they stand there too: a route without a prefix is served beneath
    it. `openid-configuration` is where MCP looks when the other is not found there (2025-11-25, "Authorization").
    """
    prefix = urlsplit(base_url).path
    for name in ("oauth-authorization-server", "openid-configuration"):
        for suffix in sorted({"", prefix}):
            yield _document(f"{WELL_KNOWN}/{name}{suffix}", lambda host: server_metadata(base_url))
    protected = f"{WELL_KNOWN}/oauth-protected-resource"
    for suffix in sorted({"", prefix}):
        yield _document(f"{protected}{suffix}", partial(resource_metadata, base_url, RESOURCES[0]))
        for path in RESOURCES:
            for slash in ("", "/"):  # behind an address that was given with one
                yield _document(f"{protected}{suffix}{path}{slash}", partial(resource_metadata, base_url, path))


def _document(path: str, document: Callable[[str | None], dict[str, Any]]) -> Route:
    async def serve(request: Request) -> Response:
        request.scope.setdefault("state", {})["route"] = path
        return JSONResponse(document(request.headers.get("host")), headers=_HEADERS)

    return Route(path, serve, methods=["GET"], include_in_schema=False)
