"""`/app/account`: a person's name, time zone and password, and signing out everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final
from zoneinfo import available_timezones

from starlette.responses import Response

from geniffy_server.domain.sign_in import LEAST_PASSWORD_CHARS, MAX_PASSWORD_CHARS
from geniffy_server.errors import BadInput, Busy, NotAllowed, NotSignedIn, ServerError
from geniffy_server.services.accounts import describe_account
from geniffy_server.services.sign_in import change_password
from geniffy_server.web.visit import Visit

_DONE: Final[Mapping[str, str]] = {
    "described": "Saved.",
    "password": "Your password is changed. You are signed out in every other browser.",
}


async def show_account(visit: Visit) -> Response:
    """What can be changed of an account."""
    return _account(visit, done=_DONE.get(visit.asked("done") or ""))


async def take_description(visit: Visit) -> Response:
    """Change the name and the time zone."""
    name, zone = visit.sent("name"), visit.sent("time_zone")
    try:
        await describe_account(visit.ports, visit.person, name=name, time_zone=zone)
    except BadInput as refusal:
        return _account(visit, refusal=refusal, name=name)
    return visit.go("/app/account", done="described")


async def take_password(visit: Visit) -> Response:
    """Change the password; every session ends, and this browser gets a new one."""
    try:
        signed = await change_password(
            visit.ports,
            visit.person,
            old=visit.form.get("old", ""),
            new=visit.form.get("password", ""),
            peer=visit.peer,
            former=visit.session,
        )
    except (BadInput, NotSignedIn, NotAllowed, Busy) as refusal:
        return _account(visit, refusal=refusal)
    response = visit.go("/app/account", done="password")
    visit.pages.cookies.set_session(visit.request, response, signed.token)
    return response


def _account(
    visit: Visit, *, done: str | None = None, refusal: ServerError | None = None, name: str | None = None
) -> Response:
    if refusal is not None:
        visit.request.scope["state"]["outcome"] = refusal.code
    person = visit.person if name is None else replace(visit.person, name=name)
    return visit.html(
        "account.html",
        refusal.status if refusal is not None else 200,
        page="account",
        person=person,
        zones=sorted({*_zones(), person.time_zone}),
        least=LEAST_PASSWORD_CHARS,
        most=MAX_PASSWORD_CHARS,
        done=done,
        refusal=refusal,
    )


@cache
def _zones() -> frozenset[str]:
    # Six hundred files are looked at to find them.
    return frozenset(available_timezones())
