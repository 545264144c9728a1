"""`POST /oauth/token`: codes and refresh tokens are traded for tokens (RFC 6749 4.1.3 and 6)."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from geniffy_server.domain.connection import Client
from geniffy_server.errors import BadInput
from geniffy_server.oauth.client_secret import named_client
from geniffy_server.oauth.rules import narrowed, resource_of, scope_of
from geniffy_server.oauth.wire import Parameters, form
from geniffy_server.ports import Ports
from geniffy_server.services.clients import proven_client
from geniffy_server.services.tokens import Issued, refresh, trade_code


async def token(request: Request, ports: Ports) -> Response:
    """Answers 200 with an access token for an hour and the refresh token that follows it."""
    sent = await form(request)
    client = await proven_client(ports, *named_client(request, sent))
    grant_type = _needed(sent, "grant_type")
    if grant_type == "authorization_code":
        issued = await _trade_code(ports, client, sent)
    elif grant_type == "refresh_token":
        issued = await _refresh(ports, client, sent)
    else:
        raise BadInput("grant_type must be authorization_code or refresh_token.", "unsupported_grant_type")
    return JSONResponse(
        {
            "access_token": issued.access,
            "token_type": "Bearer",
            "expires_in": int(issued.lasts.total_seconds()),
            "refresh_token": issued.refresh,
            "scope": scope_of(issued.grant),
        }
    )


async def _trade_code(ports: Ports, client: Client, sent: Parameters) -> Issued:
    return await trade_code(
        ports,
        client,
        _needed(sent, "code"),
        verifier=_needed(sent, "code_verifier"),
        redirect_uri=sent.get("redirect_uri"),
        resource=resource_of(sent.every("resource"), ports.public_url),
    )


async def _refresh(ports: Ports, client: Client, sent: Parameters) -> Issued:
    return await refresh(
        ports,
        client,
        _needed(sent, "refresh_token"),
        asked=narrowed(sent.get("scope")),
        resource=resource_of(sent.every("resource"), ports.public_url),
    )


def _needed(sent: Parameters, name: str) -> str:
    value = sent.get(name)
    if value is None:
        raise BadInput(f"{name} is missing.")
    return value
