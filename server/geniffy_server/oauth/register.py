"""`POST /oauth/register`: an app says what it is, and gets a client id (RFC 7591). It grants nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from geniffy_server.domain.connection import AUTH_METHODS, AuthMethod, app_name
from geniffy_server.domain.peer import peer_of
from geniffy_server.domain.redirect import redirect_uri
from geniffy_server.errors import BadInput
from geniffy_server.oauth.rules import offered, scope_of
from geniffy_server.oauth.wire import body
from geniffy_server.ports import Ports
from geniffy_server.services.clients import Registered, Registration
from geniffy_server.services.clients import register as keep

MAX_REDIRECTS: Final = 20
_DEFAULT_METHOD: Final[AuthMethod] = "client_secret_basic"  # RFC 7591 2


async def register(request: Request, ports: Ports) -> Response:
    """Answers 201 with what was kept, and with the secret, this once, when the app is to have one."""
    metadata = _object(await body(request))
    asked = registration_of(metadata)
    made = await keep(ports, asked, peer_of(request.client.host if request.client else None))
    scope = metadata.get("scope")
    return JSONResponse(_shown(made, scope if isinstance(scope, str) else None), 201)


def registration_of(metadata: Mapping[str, Any]) -> Registration:
    """What is kept of an app's metadata; fields that are not known here are passed over (RFC 7591 2).

    Raises BadInput: `invalid_redirect_uri`, or `invalid_client_metadata` for an app that could never be served.
    """
    addresses = metadata.get("redirect_uris")
    if not isinstance(addresses, list) or not 1 <= len(addresses) <= MAX_REDIRECTS:
        raise BadInput(f"redirect_uris must be a list of 1 to {MAX_REDIRECTS} addresses.", "invalid_redirect_uri")
    for name, needed in (("grant_types", "authorization_code"), ("response_types", "code")):
        named = metadata.get(name)
        if named is not None and not (isinstance(named, list) and (needed in named or not named)):
            raise BadInput(f"{name} must be a list with {needed} in it.", "invalid_client_metadata")
    raw_name = metadata.get("client_name")
    if raw_name is not None and not isinstance(raw_name, str):
        raise BadInput("client_name must be a string.", "invalid_client_metadata")
    return Registration(
        name=app_name(raw_name or ""),
        redirect_uris=[redirect_uri(address) for address in addresses],
        auth_method=_method(metadata.get("token_endpoint_auth_method")),
    )


def _method(raw: object) -> AuthMethod:
    """The method that was asked for; the default for one that is not known here, which the answer then names."""
    return next((method for method in AUTH_METHODS if method == raw), _DEFAULT_METHOD)


def _object(raw: bytes) -> Mapping[str, Any]:
    try:
        metadata = json.loads(raw)
    except (ValueError, RecursionError):
        metadata = None
    if not isinstance(metadata, dict):
        raise BadInput("The body must be a JSON object.", "invalid_client_metadata")
    return metadata


def _shown(made: Registered, scope: str | None) -> dict[str, Any]:
    client = made.client
    shown: dict[str, Any] = {
        "client_id": str(client.id),
        "client_id_issued_at": int(client.registered_at.timestamp()),
        "redirect_uris": list(client.redirect_uris),
        "token_endpoint_auth_method": client.auth_method,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "scope": scope_of(offered(scope)),
    }
    if client.name is not None:
        shown["client_name"] = client.name
    if made.secret is not None:
        shown |= {"client_secret": made.secret, "client_secret_expires_at": 0}
    return shown
