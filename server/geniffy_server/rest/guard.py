"""Who calls: every route of the API depends on `checked`, and works with the `Call` it makes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import unquote_to_bytes

from fastapi import Depends
from starlette.requests import Request

from geniffy_server.caller import Caller
from geniffy_server.errors import BadInput, NotSignedIn, Unavailable
from geniffy_server.ports import Ports
from geniffy_server.services.access import in_space

_SCHEME: Final = "bearer "
_APP_TOKEN: Final = "gnf_at_"  # what a connected app holds is good for /mcp alone (seed on signing in)

# A name and a version (contract 1.4).
_CLIENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}/[A-Za-z0-9][A-Za-z0-9._+-]{0,31}")
_ONCE: Final = ("path", "prefix", "external_id", "limit", "cursor", "kind", "wait", "subject")


@dataclass(frozen=True, slots=True)
class Call:
    """A call whose key was checked: what it may use, and who makes it."""

    ports: Ports
    caller: Caller


async def checked(request: Request) -> Call:
    """Let a call in. Raises NotSignedIn, BadInput (`bad_space`, `invalid_request`), NotAllowed, Busy."""
    ports = ports_of(request)
    state = request.scope.setdefault("state", {})
    # Noted before the space is read, so that an owner sees in the log when a key tries another one.
    caller: Caller = await request.app.state.caller_of(ports, _secret(request), None, client_of(request))
    state["caller"] = caller
    caller = state["caller"] = in_space(caller, _space(request))
    check_query(request)
    return Call(ports, caller)


Checked = Annotated[Call, Depends(checked)]


def ports_of(request: Request) -> Ports:
    """What the app's lifespan opened. Raises Unavailable while it is not there."""
    ports: Ports | None = getattr(request.app.state, "ports", None)
    if ports is None:
        raise Unavailable("The server is starting or stopping; try again in a moment.")
    return ports


def client_of(request: Request) -> str | None:
    """The app that calls, as it names itself: the integration if there is one, else the client library.

    None for any other User-Agent, such as a browser's: the name of its key says more.
    """
    named = request.headers.get("x-geniffy-client")
    if named is None:
        named = request.headers.get("user-agent", "")
        if not named.startswith("geniffy"):
            return None
    tokens = [token for token in named[:400].split() if _CLIENT.fullmatch(token)]
    return tokens[min(1, len(tokens) - 1)] if tokens else None


def _secret(request: Request) -> str | None:
    authorization = request.headers.get("authorization", "").strip()
    if not authorization:
        return None
    if not authorization[: len(_SCHEME)].lower() == _SCHEME:
        raise NotSignedIn("Send your API key as `Authorization: Bearer gnf_live_...`.")
    secret = authorization[len(_SCHEME) :].strip()
    if secret.startswith(_APP_TOKEN):
        raise NotSignedIn("An app's access token works on /mcp alone; use an API key here.")
    return secret


def _space(request: Request) -> str | None:
    """The space header as sent, None when absent: one that is there but blank must not read as absent."""
    sent = {value.strip() for value in request.headers.getlist("x-geniffy-space")}
    if len(sent) > 1:
        raise BadInput("X-Geniffy-Space was sent more than once; name one space.", "bad_space")
    return sent.pop() if sent else None


def check_query(request: Request) -> None:
    """Refuse a query that can't be kept exactly, or that says two things where one is asked."""
    query: bytes = request.scope.get("query_string", b"")
    if not query:
        return
    try:
        query.decode("ascii")
        plain = unquote_to_bytes(query).decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("The query is not percent-encoded UTF-8.") from None
    if "\x00" in plain:
        raise BadInput("The query holds a NUL character, which can't be kept; leave it out.")
    params = request.query_params
    for name in _ONCE:
        if name in params and len(params.getlist(name)) > 1:
            raise BadInput(f"{name} was sent more than once.")
