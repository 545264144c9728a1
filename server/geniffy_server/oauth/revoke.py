"""`POST /oauth/revoke`: an app ends its connection by either token (RFC 7009)."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from geniffy_server.errors import BadInput
from geniffy_server.oauth.client_secret import named_client
from geniffy_server.oauth.wire import form
from geniffy_server.ports import Ports
from geniffy_server.services.clients import proven_client
from geniffy_server.services.tokens import revoke as end


async def revoke(request: Request, ports: Ports) -> Response:
    """Answers 200 with nothing, also for a token that is unknown: it is as good as ended."""
    sent = await form(request)
    client_id, secret = named_client(request, sent)
    client = None if client_id is None else await proven_client(ports, client_id, secret)
    token = sent.get("token")
    if token is None:
        raise BadInput("token is missing.")
    await end(ports, client, token)
    return Response()
