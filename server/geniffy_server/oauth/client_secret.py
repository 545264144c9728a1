"""How an app says which one it is where it asks for tokens (RFC 6749 2.3.1)."""

from __future__ import annotations

import base64
from urllib.parse import unquote_plus

from starlette.requests import Request

from geniffy_server.errors import BadInput, NotSignedIn
from geniffy_server.oauth.wire import Parameters

_BASIC = "basic "


def named_client(request: Request, sent: Parameters) -> tuple[str | None, str | None]:
    """The client's id and secret, from the Basic header or from the body; None for what is not sent.

    Raises BadInput (`invalid_request`) for a secret in both, NotSignedIn (`invalid_client`) for a header that can't be
    read or that names another client than the body.
    """
    in_body = sent.get("client_id"), sent.get("client_secret")
    sent_headers = request.headers.getlist("authorization")
    if not sent_headers:
        return in_body
    header = sent_headers[0].strip()
    if len(sent_headers) > 1 or not header.lower().startswith(_BASIC):
        raise NotSignedIn("An app shows its secret by Basic authentication, or in the body.", "invalid_client")
    if in_body[1] is not None:
        raise BadInput("Send the client's secret once, in the header or in the body.")
    try:
        name, colon, secret = base64.b64decode(header[len(_BASIC) :].strip(), validate=True).decode().partition(":")
    except ValueError:
        name = colon = secret = ""
    if not colon:
        raise NotSignedIn("The Basic header can't be read.", "invalid_client")
    # Both were form-encoded before they were joined; our own ids and secrets are the same either way.
    client_id = unquote_plus(name)
    if in_body[0] not in (None, client_id):
        raise NotSignedIn("The client_id in the body is not that of the Basic header.", "invalid_client")
    return client_id, unquote_plus(secret)
