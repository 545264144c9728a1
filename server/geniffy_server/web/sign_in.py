"""`/app/sign-in`, and signing out: of one browser, or everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qs, urlsplit

from starlette.responses import Response

from geniffy_server.errors import Busy, NotAllowed, NotFound, NotSignedIn, ServerError
from geniffy_server.services.connections import pending
from geniffy_server.services.sign_in import SignedIn, sign_in, sign_out, sign_out_everywhere
from geniffy_server.web.visit import Visit, local_path

HOME: Final = "/app/memories"
_NOTES: Final[Mapping[str, str]] = {
    "out": "You are signed out.",
    "everywhere": "You are signed out in every browser.",
}


async def show_sign_in(visit: Visit) -> Response:
    """The form."""
    return await _form(visit, visit.asked("next"), note=_NOTES.get(visit.asked("done") or ""))


async def take_sign_in(visit: Visit) -> Response:
    """Sign in and go on to the page that was asked for; the form again, with a sentence, when it fails."""
    try:
        signed = await sign_in(
            visit.ports, visit.sent("email"), visit.form.get("password", ""), peer=visit.peer, former=visit.session
        )
    except (NotSignedIn, NotAllowed, Busy) as refusal:
        visit.request.scope["state"]["outcome"] = refusal.code
        return await _form(visit, visit.sent("next"), email=visit.sent("email"), refusal=refusal)
    return signed_in(visit, signed, visit.sent("next"))


def signed_in(visit: Visit, signed: SignedIn, next_page: str | None) -> Response:
    """On to a page of ours, with the cookie of a session that has just begun."""
    response = visit.go(local_path(next_page) or HOME)
    visit.pages.cookies.set_session(visit.request, response, signed.token)
    return response


async def take_sign_out(visit: Visit) -> Response:
    """End this browser's session."""
    if visit.session is not None:
        await sign_out(visit.ports, visit.session)
    return _signed_out(visit, "out")


async def take_sign_out_everywhere(visit: Visit) -> Response:
    """End every session of the account."""
    await sign_out_everywhere(visit.ports, visit.person.id)
    return _signed_out(visit, "everywhere")


def _signed_out(visit: Visit, done: str) -> Response:
    response = visit.go("/app/sign-in", done=done)
    visit.pages.cookies.forget_session(visit.request, response)
    return response


async def _form(
    visit: Visit, next_page: str | None, *, email: str = "", refusal: ServerError | None = None, note: str | None = None
) -> Response:
    next_page = local_path(next_page)
    response = visit.html(
        "sign_in.html",
        refusal.status if refusal is not None else 200,
        email=email,
        next_page=next_page,
        refusal=refusal,
        note=note,
        app=await _app_to_connect(visit, next_page),
    )
    if isinstance(refusal, Busy):
        response.headers["Retry-After"] = str(refusal.retry_after_s)
    return response


async def _app_to_connect(visit: Visit, next_page: str | None) -> str | None:
    """The app that a person signs in for, when the page they go on to connects one."""
    place = urlsplit(next_page or "")
    asked = parse_qs(place.query).get("request")
    if place.path != "/app/approve" or not asked:
        return None
    try:
        return (await pending(visit.ports, asked[0])).app_name
    except NotFound:
        return None
