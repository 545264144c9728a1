"""`GET /oauth/authorize`: checks what an app asks for, and hands the person on to the page where they decide."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from geniffy_server.domain import pkce
from geniffy_server.domain.connection import REQUEST_LIFE, RESOURCES, AppRequest, Client
from geniffy_server.domain.peer import peer_of
from geniffy_server.domain.redirect import matches, with_parameters
from geniffy_server.errors import BadInput, ServerError
from geniffy_server.oauth.rules import app_of, offered, resource_of
from geniffy_server.oauth.wire import (
    NO_STORE,
    Parameters,
    described,
    error_code,
    parameters_and_faults,
    ports_of,
    retry_after,
)
from geniffy_server.ports import Ports
from geniffy_server.services.clients import client_of
from geniffy_server.services.connections import ask

ErrorPage = Callable[[str, int], Response]
"""`(sentence, status) -> page`, for what must never be sent on to an address that was not checked."""

MAX_STATE_CHARS: Final = 4_000
_ROUTE: Final = "/oauth/authorize"
_HEADERS: Final = {**NO_STORE, "Referrer-Policy": "no-referrer"}


def authorize_endpoint(error_page: ErrorPage) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint. A fault of the app, or of the address it wants the person back at, is told on a page; every other
    one goes back to that address (RFC 6749 4.1.2.1)."""

    async def endpoint(request: Request) -> Response:
        state = request.scope.setdefault("state", {})
        state["route"] = _ROUTE
        try:
            return await _authorize(request, ports_of(request))
        except ServerError as error:
            state["outcome"] = error_code(error)
            page = error_page(error.sentence, 400 if error.status == BadInput.status else error.status)
            page.headers.update(retry_after(error))
            return page

    return endpoint


async def _authorize(request: Request, ports: Ports) -> Response:
    asked, faults = parameters_and_faults(request.scope.get("query_string", b""))
    for name in ("client_id", "redirect_uri"):
        if name in faults:
            raise faults[name]
    client = await client_of(ports, asked.get("client_id") or "")
    if client is None:
        raise BadInput("This app is not registered here, or not any more. Connect it again from the app.")
    address, is_named = _return_address(client, asked.get("redirect_uri"))
    state = None if "state" in faults else asked.get("state")
    try:
        for fault in faults.values():
            raise fault
        wanted = _request(ports, client, address, is_named, asked)
    except BadInput as fault:
        request.scope["state"]["outcome"] = fault.code
        state = state if state is not None and len(state) <= MAX_STATE_CHARS else None
        told = {"error": fault.code, "error_description": described(fault)}
        return _redirect(with_parameters(address, **told, state=state, iss=ports.public_url))
    request_id = await ask(ports, wanted, peer_of(request.client.host if request.client else None))
    return _redirect(f"{ports.public_url}/app/approve?request={request_id}")


def _return_address(client: Client, asked: str | None) -> tuple[str, bool]:
    """Where the person goes back to, and whether the app said so itself. Raises BadInput."""
    if asked is None:
        if len(client.redirect_uris) > 1:
            raise BadInput("The app did not say where to send you back to. Connect it again from the app.")
        return client.redirect_uris[0], False
    if not any(matches(registered, asked) for registered in client.redirect_uris):
        raise BadInput("The app asked to send you to an address that it did not register, so you were not sent there.")
    return asked, True


def _request(ports: Ports, client: Client, address: str, is_named: bool, asked: Parameters) -> AppRequest:
    """What the person is to be asked. Raises BadInput with the code that the app is told."""
    state = asked.get("state")
    if state is not None and len(state) > MAX_STATE_CHARS:
        raise BadInput(f"state has more than {MAX_STATE_CHARS:,} characters.")
    if asked.get("response_type") is None:
        raise BadInput("response_type is missing; it must be code.")
    if asked.get("response_type") != "code":
        raise BadInput("response_type must be code.", "unsupported_response_type")
    if asked.get("response_mode") not in (None, "query"):
        raise BadInput("response_mode must be query.")
    for name in ("request", "request_uri"):
        if asked.get(name) is not None:
            raise BadInput(f"{name} is not supported; send plain parameters.", f"{name}_not_supported")
    challenge = asked.get("code_challenge")
    if challenge is None:
        raise BadInput("code_challenge is missing: PKCE is required.")
    # Left out, the method means plain (RFC 7636 4.3), which proves nothing to who sees the request.
    if asked.get("code_challenge_method") != pkce.METHOD:
        raise BadInput(f"code_challenge_method must be {pkce.METHOD}.")
    if not pkce.is_challenge(challenge):
        raise BadInput("code_challenge must be a SHA-256 in base64 for URLs, without padding: 43 characters.")
    return AppRequest(
        client_id=client.id,
        app=app_of(client.name, address),
        redirect_uri=address,
        names_redirect=is_named,
        state=state,
        challenge=challenge,
        offers=offered(asked.get("scope")),
        resource=resource_of(asked.every("resource"), ports.public_url) or RESOURCES[0],
        expires_at=ports.clock.now() + REQUEST_LIFE,
    )


def _redirect(address: str) -> Response:
    # The header as it is: the framework would quote parts of an address that must come back letter for letter.
    response = RedirectResponse("", 302, headers=_HEADERS)
    response.headers["Location"] = address
    return response
