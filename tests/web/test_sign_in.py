"""Signing in by email and password, staying signed in, and signing out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from argon2 import extract_parameters

from geniffy_server.domain.sign_in import OF_EMAIL, OF_PEER, Tries
from geniffy_server.services import passwords
from geniffy_server.services.accounts import add_account, close_account, open_account
from tests.conftest import Server
from tests.web.conftest import NOON, PASSWORD, Browser, FrozenClock, words_of

Frozen = Callable[..., tuple[Server, FrozenClock]]
At = Callable[..., Browser]


def test_a_page_asks_who_comes_and_goes_on_where_they_wanted_to(stranger: Browser, person: Browser) -> None:
    asked = stranger.get("/app/keys?x=1")
    assert (asked.status_code, asked.headers["location"]) == (303, "/app/sign-in?next=%2Fapp%2Fkeys%3Fx%3D1")
    signed = stranger.sign_in(person.email, next="/app/keys?x=1")
    assert (signed.status_code, signed.headers["location"]) == (303, "/app/keys?x=1")
    assert stranger.get("/app/keys").status_code == 200


@pytest.mark.parametrize(
    "elsewhere",
    [
        *("https://evil.example/", "//evil.example/", "/\\evil.example", "/app/\\evil.example", "/v1/me", "/app/\r\nx"),
        *("/app/../other", "/app/%2e%2E//evil.example", "/app/keys/..", "/app/./../other?x", ""),
    ],
)
def test_signing_in_leads_to_a_page_of_ours_and_nowhere_else(
    stranger: Browser, person: Browser, elsewhere: str
) -> None:
    signed = stranger.sign_in(person.email, next=elsewhere)
    assert (signed.status_code, signed.headers["location"]) == (303, "/app/memories")


def test_an_email_is_known_whatever_its_case(stranger: Browser, person: Browser) -> None:
    assert stranger.sign_in(f" {person.email.upper()} ").status_code == 303


def test_a_wrong_password_and_an_unknown_email_are_told_the_same(stranger: Browser, person: Browser) -> None:
    wrong = stranger.sign_in(person.email, "not the password")
    unknown = stranger.sign_in("nobody@example.com", "not the password")
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.text.replace(person.email, "nobody@example.com") == unknown.text
    assert "don't match" in words_of(unknown)
    assert stranger.session is None


async def test_an_unknown_email_costs_the_same_hash() -> None:
    assert await passwords.is_password("whatever it is", None) is False
    held = await passwords.hashed("whatever it is")
    assert extract_parameters(passwords._nobodys()) == extract_parameters(held)
    assert await passwords.is_password("whatever it is", held) is True


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(stranger: Browser, person: Browser) -> None:
    cookie = stranger.sign_in(person.email).headers["set-cookie"]
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/app", "max-age=2592000"} <= parts
    assert "secure" not in parts
    token = cookie.split(";")[0].split("=", 1)[1]
    assert token.startswith("gnf_web_")


def test_behind_https_the_cookie_is_for_https_alone_and_for_our_path(fresh_server: Any, browser_at: At) -> None:
    server = fresh_server(public_url="https://memory.example/mem")
    cookie = browser_at(server).get("/app/sign-in").headers["set-cookie"]
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"secure", "path=/mem/app"} <= parts


def test_a_session_that_was_planted_is_worth_nothing_after_signing_in(
    stranger: Browser, person: Browser, browser_at: At, server: Server
) -> None:
    planted = "gnf_web_" + "p" * 43
    stranger.keep(planted)
    signed = stranger.sign_in(person.email)
    assert planted not in signed.headers["set-cookie"]
    thief = browser_at(server)
    thief.keep(planted)
    assert thief.get("/app/memories").status_code == 303


def test_signing_in_again_ends_the_session_before(person: Browser, browser_at: At, server: Server) -> None:
    before = person.session
    assert person.sign_in(person.email).status_code == 303
    assert person.session != before
    old = browser_at(server)
    old.keep(before or "")
    assert old.get("/app/memories").status_code == 303


def test_signing_out_ends_the_session_and_not_only_its_cookie(person: Browser, browser_at: At, server: Server) -> None:
    copied = browser_at(server)
    copied.keep(person.session or "")
    assert copied.get("/app/memories").status_code == 200
    out = person.post("/app/sign-out", on="/app/account")
    assert out.headers["location"] == "/app/sign-in?done=out"
    assert person.session is None
    assert "You are signed out." in words_of(person.get(out.headers["location"]))
    assert copied.get("/app/memories").status_code == 303


def test_signing_out_everywhere_ends_every_browser_of_the_account_alone(
    person: Browser, person_at: At, browser_at: At, server: Server
) -> None:
    phone, other = browser_at(server), person_at(server)
    phone.sign_in(person.email)
    out = person.post("/app/sign-out/everywhere", on="/app/account")
    assert out.headers["location"] == "/app/sign-in?done=everywhere"
    assert phone.get("/app/memories").status_code == 303
    assert other.get("/app/memories").status_code == 200


def test_a_session_lives_thirty_days_after_it_was_last_used(frozen: Frozen, person_at: At) -> None:
    server, clock = frozen()
    one = person_at(server)
    clock.go_on(days=29)
    assert one.get("/app/memories").status_code == 200
    clock.go_on(days=29)
    assert one.get("/app/memories").status_code == 200
    clock.go_on(days=30, seconds=1)
    assert one.get("/app/memories").status_code == 303


def test_a_closed_account_is_shut_out_at_once_and_let_in_again_when_it_is_open(
    person: Browser, server: Server, browser_at: At, with_key: Any
) -> None:
    from geniffy_server.services.keys import make_key

    key = server.run(make_key(server.ports, person.account_id)).secret
    server.run(close_account(server.ports, person.email))
    assert person.get("/app/memories").status_code == 303
    assert with_key(key).get("/v1/me").status_code == 401
    again = browser_at(server).sign_in(person.email)
    assert (again.status_code, "closed" in words_of(again)) == (403, True)
    assert "closed" not in words_of(browser_at(server).sign_in(person.email, "not the password"))
    server.run(open_account(server.ports, person.email))
    assert person.get("/app/memories").status_code == 303
    assert browser_at(server).sign_in(person.email).status_code == 303
    assert with_key(key).get("/v1/me").status_code == 200


def test_wrong_passwords_for_an_email_are_slowed_and_the_right_one_waits_too(frozen: Frozen, browser_at: At) -> None:
    server, clock = frozen()
    server.run(add_account(server.ports, "ana@example.com", "Ana", password=PASSWORD))
    one = browser_at(server)
    wrong = [one.sign_in("ana@example.com", f"wrong {n}").status_code for n in range(OF_EMAIL.free)]
    assert wrong == [401] * OF_EMAIL.free
    slowed = one.sign_in("ANA@example.com")
    assert (slowed.status_code, slowed.headers["retry-after"]) == (429, "2")
    assert "try again in 2 s" in words_of(slowed)
    clock.go_on(seconds=2)
    assert one.sign_in("ana@example.com", "wrong again").status_code == 401
    clock.go_on(seconds=2)
    assert one.sign_in("ana@example.com").headers["retry-after"] == "2"  # the next wait is four seconds
    clock.go_on(seconds=2)
    assert one.sign_in("ana@example.com").status_code == 303
    assert one.sign_in("ana@example.com", "wrong once more").status_code == 401  # all was forgiven


def test_wrong_passwords_from_one_address_are_slowed_over_all_emails(frozen: Frozen, browser_at: At) -> None:
    server, _ = frozen()
    one = browser_at(server)
    for number in range(OF_PEER.free):
        assert one.sign_in(f"nobody{number}@example.com").status_code == 401
    assert one.sign_in("another@example.com").status_code == 429


def test_signing_in_well_gives_no_more_tries_against_others(frozen: Frozen, browser_at: At) -> None:
    server, _ = frozen()
    server.run(add_account(server.ports, "ana@example.com", "Ana", password=PASSWORD))
    one = browser_at(server)
    for number in range(OF_PEER.free):
        assert one.sign_in(f"nobody{number}@example.com").status_code == 401
        if number % 5 == 4 and number < OF_PEER.free - 1:
            assert one.sign_in("ana@example.com").status_code == 303
    assert one.sign_in("ana@example.com").status_code == 429


@pytest.mark.parametrize(("count", "wait_s"), [(0, 0), (4, 0), (5, 2), (6, 4), (9, 32), (10, 60), (500, 60)])
def test_each_wrong_password_doubles_the_wait_up_to_a_minute(count: int, wait_s: int) -> None:
    assert OF_EMAIL.wait_s(Tries(count, NOON), NOON) == wait_s
    assert OF_EMAIL.wait_s(Tries(count, NOON), NOON + timedelta(seconds=wait_s)) == 0


def test_the_form_names_the_app_that_is_being_connected(stranger: Browser, asked: Callable[..., str]) -> None:
    page = stranger.get("/app/sign-in", next=f"/app/approve?request={asked(name='Notes <b>App</b>')}")
    assert "to go on connecting Notes <b>App</b> to your memory" in words_of(page)
    assert "<b>App</b>" not in page.text


def test_the_request_log_tells_who_signed_in_badly_to_nobody(person: Browser, server: Server) -> None:
    person.sign_in(person.email, "not the password")
    server.run(server.ports.calls.flush())
    calls, _ = server.run(server.ports.calls.page(person.account_id, limit=50))
    assert {call.app for call in calls} == {"Web app"}
    assert "wrong_password" in {call.outcome for call in calls}
    assert not any("not the password" in str(call) for call in calls)
