"""The one-time link by which a password is chosen."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from geniffy_server.services.accounts import add_account, close_account
from geniffy_server.services.sign_in import make_setup_link, setup_link_of_owner
from tests.conftest import Server
from tests.web.conftest import PASSWORD, Browser, FrozenClock, words_of


def token_of(link: str) -> str:
    return parse_qs(urlsplit(link).query)["token"][0]


def fields(**changes: str) -> dict[str, str]:
    return {"name": "Ana Lima", "email": f"{uuid4().hex[:8]}@example.com", "password": PASSWORD, **changes}


@pytest.fixture
def account_id(server: Server) -> Any:
    """An account with neither email nor password, as an owner has before they set it up."""

    async def add() -> Any:
        now = server.ports.clock.now()
        return (await server.ports.store.write(lambda tx: tx.accounts.add(None, None, "UTC", now))).id

    return server.run(add())


@pytest.fixture
def token(server: Server, account_id: Any) -> str:
    return token_of(server.run(make_setup_link(server.ports, account_id)))


def set_up(browser: Browser, token: str, **changes: str) -> Any:
    return browser.post("/app/setup", on=f"/app/setup?token={token}", token=token, **fields(**changes))


def test_a_link_makes_an_account_somebodys_and_signs_them_in(
    stranger: Browser, browser_at: Callable[..., Browser], token: str, server: Server
) -> None:
    done = set_up(stranger, token, email="Ana@Example.com")
    assert (done.status_code, done.headers["location"]) == (303, "/app/memories")
    assert "Ana@Example.com" in words_of(stranger.get("/app/account"))
    assert browser_at(server).sign_in("ana@example.com").status_code == 303


def test_a_link_works_once_and_looking_at_it_does_not_use_it_up(
    stranger: Browser, browser_at: Callable[..., Browser], token: str, server: Server
) -> None:
    assert stranger.get("/app/setup", token=token).status_code == 200
    assert stranger.get("/app/setup", token=token).status_code == 200
    assert set_up(stranger, token).status_code == 303
    again = browser_at(server)
    assert again.get("/app/setup", token=token).status_code == 404
    sent = again.post("/app/setup", on="/app/sign-in", token=token, **fields())
    assert (sent.status_code, "used already" in words_of(sent)) == (404, True)


def test_a_new_link_takes_the_place_of_the_old_one(
    stranger: Browser, token: str, account_id: Any, server: Server
) -> None:
    fresh = token_of(server.run(make_setup_link(server.ports, account_id)))
    assert stranger.get("/app/setup", token=token).status_code == 404
    assert stranger.get("/app/setup", token=fresh).status_code == 200


def test_a_link_lasts_a_day(frozen: Callable[..., tuple[Server, FrozenClock]], browser_at: Any) -> None:
    server, clock = frozen()
    ana = server.run(add_account(server.ports, "ana@example.com", "Ana"))
    token = token_of(server.run(make_setup_link(server.ports, ana.id)))
    clock.go_on(hours=23, minutes=59)
    assert browser_at(server).get("/app/setup", token=token).status_code == 200
    clock.go_on(minutes=1)
    assert browser_at(server).get("/app/setup", token=token).status_code == 404


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"password": "short"}, "password", "at least 10 characters; that one has 5"),
        ({"password": "x" * 1_001}, "password", "at most 1,000 characters"),
        ({"email": "nobody"}, "email", "can't be an email"),
        ({"email": "a b@example.com"}, "email", "can't be an email"),
        ({"name": "  "}, "name", "A name has 1 to 100 characters."),
        ({"name": "n" * 101}, "name", "A name has 1 to 100 characters."),
    ],
)
def test_what_cannot_be_used_is_said_beside_its_field_and_the_link_still_works(
    stranger: Browser, token: str, changes: dict[str, str], field: str, says: str
) -> None:
    refused = set_up(stranger, token, **changes)
    assert refused.status_code == 422
    assert says in words_of(refused)
    wrong = re.search(r'<input[^>]*aria-invalid="true"[^>]*>', refused.text)
    assert wrong
    assert f'name="{field}"' in wrong.group()
    assert set_up(stranger, token).status_code == 303


def test_an_email_of_somebody_else_is_refused(stranger: Browser, person: Browser, token: str) -> None:
    taken = set_up(stranger, token, email=person.email.upper())
    assert (taken.status_code, "already" in words_of(taken)) == (409, True)


def test_who_was_added_with_an_email_keeps_it(stranger: Browser, server: Server) -> None:
    email = f"{uuid4().hex[:8]}@example.com"
    added = server.run(add_account(server.ports, email, "Ben"))
    token = token_of(server.run(make_setup_link(server.ports, added.id)))
    form = stranger.get("/app/setup", token=token).text
    shown = re.search(r'<input[^>]*id="email"[^>]*>', form)
    assert shown
    assert f'value="{email}"' in shown.group()
    assert "readonly" in shown.group()
    set_up(stranger, token, email="other@example.com")
    assert stranger.sign_in("other@example.com").status_code == 401
    assert stranger.sign_in(email).status_code == 303


def test_a_lost_password_is_chosen_anew_and_every_other_browser_is_signed_out(
    person: Browser, stranger: Browser, server: Server
) -> None:
    token = token_of(server.run(make_setup_link(server.ports, person.account_id)))
    assert set_up(stranger, token, password="another few words").status_code == 303
    assert person.get("/app/memories").status_code == 303
    assert person.sign_in(person.email).status_code == 401
    assert person.sign_in(person.email, "another few words").status_code == 303


def test_the_link_of_a_closed_account_stops(person: Browser, stranger: Browser, server: Server) -> None:
    token = token_of(server.run(make_setup_link(server.ports, person.account_id)))
    server.run(close_account(server.ports, person.email))
    assert stranger.get("/app/setup", token=token).status_code == 404


def test_the_owner_is_offered_a_link_until_they_have_a_password(fresh_server: Any, browser_at: Any) -> None:
    server = fresh_server()
    assert server.run(setup_link_of_owner(server.ports)) is None

    async def add() -> None:
        now = server.ports.clock.now()
        await server.ports.store.write(lambda tx: tx.accounts.add(None, None, "UTC", now))

    server.run(add())
    link = server.run(setup_link_of_owner(server.ports))
    assert link is not None
    assert link.startswith(f"{server.base_url}/app/setup?token=gnf_setup_")
    assert set_up(browser_at(server), token_of(link)).status_code == 303
    assert server.run(setup_link_of_owner(server.ports)) is None


def test_a_stolen_store_holds_neither_link_nor_session_nor_password(
    stranger: Browser, token: str, files_holding: Callable[[str], list[str]]
) -> None:
    set_up(stranger, token, password="correct horse battery")
    assert stranger.session is not None
    assert files_holding(token) == files_holding(stranger.session) == files_holding("correct horse battery") == []
    assert files_holding("$argon2id$") != []
