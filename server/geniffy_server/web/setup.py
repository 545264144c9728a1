"""`/app/setup`: where a one-time link leads, to choose a name, an email and a password."""

from __future__ import annotations

from starlette.responses import Response

from geniffy_server.domain.account import Account
from geniffy_server.domain.sign_in import LEAST_PASSWORD_CHARS, MAX_PASSWORD_CHARS
from geniffy_server.errors import BadInput, Conflict, ServerError
from geniffy_server.services.sign_in import account_of_link, set_up
from geniffy_server.web.sign_in import signed_in
from geniffy_server.web.visit import Visit


async def show_setup(visit: Visit) -> Response:
    """The form. Looking at it doesn't use the link up: programs that preview links look too."""
    token = visit.asked("token") or ""
    account = await account_of_link(visit.ports, token)
    return _form(visit, account, token, name=account.name or "", email=account.email or "")


async def take_setup(visit: Visit) -> Response:
    """Use the link up, and open the memory; the form again, with a sentence, when something can't be used."""
    token, name, email = visit.sent("token"), visit.sent("name"), visit.sent("email")
    try:
        signed = await set_up(
            visit.ports,
            token,
            name=name,
            email=email,
            password=visit.form.get("password", ""),
            former=visit.session,
        )
    except (BadInput, Conflict) as refusal:
        visit.request.scope["state"]["outcome"] = refusal.code
        account = await account_of_link(visit.ports, token)
        return _form(visit, account, token, name=name, email=account.email or email, refusal=refusal)
    return signed_in(visit, signed, None)


def _form(
    visit: Visit, account: Account, token: str, *, name: str, email: str, refusal: ServerError | None = None
) -> Response:
    wrong = {"bad_name": "name", "bad_email": "email", "conflict": "email", "bad_password": "password"}
    return visit.html(
        "setup.html",
        refusal.status if refusal is not None else 200,
        token=token,
        name=name,
        email=email,
        has_email=account.email is not None,
        least=LEAST_PASSWORD_CHARS,
        most=MAX_PASSWORD_CHARS,
        wrong=wrong.get(refusal.code) if refusal is not None else None,
        refusal=refusal,
    )
