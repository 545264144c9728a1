"""Codes and tokens: what they are traded for, how long they last, and what a second use does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.conftest import Account, Server
from tests.oauth.conftest import NOON, Clocked, MakeSignIn, SignIn, challenge_of, query_of, refusal


def test_a_code_is_traded_for_an_hour_s_access_and_a_refresh_token(sign_in: SignIn) -> None:
    answer = sign_in.traded(sign_in.code())

    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Pragma"] == "no-cache"
    told = answer.json()
    assert set(told) == {"access_token", "token_type", "expires_in", "refresh_token", "scope"}
    assert (told["token_type"], told["expires_in"]) == ("Bearer", 3600)
    assert told["scope"] == "memory:read memory:write"
    assert told["access_token"].startswith("gnf_at_")
    assert told["refresh_token"].startswith("gnf_rt_")
    assert {len(told["access_token"]), len(told["refresh_token"])} == {7 + 43}
    assert sign_in.reaches(told["access_token"])


@pytest.mark.statement(257)
@pytest.mark.parametrize("verifier", [None, "", "x" * 64, "challenge", "short"])
def test_a_code_is_worth_nothing_without_the_right_verifier(sign_in: SignIn, verifier: str | None) -> None:
    code = sign_in.code()
    wrong = challenge_of(sign_in.verifier) if verifier == "challenge" else verifier

    refused = sign_in.traded(code, code_verifier=wrong)

    assert refusal(refused) == (400, "invalid_grant" if verifier else "invalid_request")
    assert sign_in.connections() == []
    assert sign_in.traded(code).status_code == 200


@pytest.mark.statement(257)
def test_a_code_used_twice_ends_the_connection(sign_in: SignIn) -> None:
    code = sign_in.code()
    tokens = sign_in.traded(code).json()
    assert sign_in.reaches(tokens["access_token"])

    assert refusal(sign_in.traded(code)) == (400, "invalid_grant")

    assert not sign_in.reaches(tokens["access_token"])
    assert refusal(sign_in.refreshed(tokens["refresh_token"])) == (400, "invalid_grant")
    assert sign_in.connections() == []


@pytest.mark.parametrize("changes", [{"code_verifier": "x" * 64}, {"redirect_uri": "https://evil.example/cb"}])
def test_a_stolen_code_that_comes_late_ends_the_connection_whatever_the_thief_lacks(
    sign_in: SignIn, make_sign_in: MakeSignIn, changes: dict[str, str]
) -> None:
    code = sign_in.code()
    tokens = sign_in.traded(code).json()
    thief = make_sign_in()
    thief.registered()

    assert refusal(thief.traded(code, **changes)) == (400, "invalid_grant")

    assert not sign_in.reaches(tokens["access_token"])


def test_a_code_put_into_another_app_s_hands_is_worth_nothing_there(sign_in: SignIn, make_sign_in: MakeSignIn) -> None:
    code = sign_in.code()
    thief = make_sign_in(verifier=sign_in.verifier)
    thief.registered()

    assert refusal(thief.traded(code)) == (400, "invalid_grant")
    assert thief.connections() == []


def test_a_code_injected_into_another_sign_in_of_the_same_app_is_worth_nothing(
    sign_in: SignIn, make_sign_in: MakeSignIn
) -> None:
    stolen = sign_in.code()
    victim = make_sign_in(client=sign_in.client)
    victim.request_id()

    assert victim.verifier != sign_in.verifier
    assert refusal(victim.traded(stolen)) == (400, "invalid_grant")


@pytest.mark.parametrize("address", [None, "http://127.0.0.1:1/callback", "http://localhost:33418/callback", ""])
def test_the_address_that_was_authorized_must_be_named_again_letter_for_letter(
    sign_in: SignIn, address: str | None
) -> None:
    assert refusal(sign_in.traded(sign_in.code(), redirect_uri=address)) == (400, "invalid_grant")


def test_a_code_lasts_a_minute(clocked_sign_in: Clocked) -> None:
    sign_in = clocked_sign_in.sign_in
    early, late = sign_in.code(), sign_in.code()
    clocked_sign_in.set_clock(NOON + timedelta(seconds=59))
    assert sign_in.traded(early).status_code == 200
    clocked_sign_in.set_clock(NOON + timedelta(seconds=60))

    assert refusal(sign_in.traded(late)) == (400, "invalid_grant")


@pytest.mark.statement(259)
def test_an_access_token_lasts_an_hour(clocked_sign_in: Clocked) -> None:
    sign_in = clocked_sign_in.sign_in
    tokens = sign_in.tokens()
    clocked_sign_in.set_clock(NOON + timedelta(seconds=3599))
    assert sign_in.reaches(tokens["access_token"])
    clocked_sign_in.set_clock(NOON + timedelta(seconds=3600))

    answer = sign_in.call(tokens["access_token"])

    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
    assert sign_in.refreshed(tokens["refresh_token"]).status_code == 200


@pytest.mark.statement(260)
def test_a_refresh_token_is_replaced_each_time_it_is_used(sign_in: SignIn) -> None:
    held = [sign_in.tokens()]
    for _ in range(3):
        answer = sign_in.refreshed(held[-1]["refresh_token"])
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store"
        held.append(answer.json())

    assert len({one["refresh_token"] for one in held}) == len({one["access_token"] for one in held}) == 4
    assert all(sign_in.reaches(one["access_token"]) for one in held)
    assert len(sign_in.connections()) == 1


@pytest.mark.statement(260)
@pytest.mark.parametrize("generation", [0, 1, 2])
def test_a_refresh_token_used_again_ends_the_connection_and_the_newest_access_token_too(
    sign_in: SignIn, generation: int
) -> None:
    held = [sign_in.tokens()]
    for _ in range(3):
        held.append(sign_in.refreshed(held[-1]["refresh_token"]).json())
    assert sign_in.reaches(held[-1]["access_token"])

    assert refusal(sign_in.refreshed(held[generation]["refresh_token"])) == (400, "invalid_grant")

    assert not any(sign_in.reaches(one["access_token"]) for one in held)
    assert refusal(sign_in.refreshed(held[-1]["refresh_token"])) == (400, "invalid_grant")
    assert sign_in.connections() == []


def test_in_an_operator_s_grace_a_used_refresh_token_still_works_and_after_it_ends_the_connection(
    fresh_server: Callable[..., Server],
    make_account: Callable[..., Account],
    make_sign_in: MakeSignIn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = fresh_server(refresh_grace_s=10)
    sign_in = make_sign_in(server, make_account(server))

    def set_clock(moment: datetime) -> None:
        monkeypatch.setattr(type(server.ports.clock), "now", lambda self: moment)

    set_clock(NOON)
    first = sign_in.tokens()
    assert sign_in.refreshed(first["refresh_token"]).status_code == 200
    set_clock(NOON + timedelta(seconds=10))
    again = sign_in.refreshed(first["refresh_token"])
    assert sign_in.reaches(again.json()["access_token"])
    set_clock(NOON + timedelta(seconds=11))

    assert refusal(sign_in.refreshed(first["refresh_token"])) == (400, "invalid_grant")
    assert not sign_in.reaches(again.json()["access_token"])
    assert sign_in.connections() == []


def test_a_clock_that_was_set_back_makes_no_used_refresh_token_work(clocked_sign_in: Clocked) -> None:
    sign_in = clocked_sign_in.sign_in
    first = sign_in.tokens()
    assert sign_in.refreshed(first["refresh_token"]).status_code == 200
    clocked_sign_in.set_clock(NOON - timedelta(minutes=1))

    assert refusal(sign_in.refreshed(first["refresh_token"])) == (400, "invalid_grant")
    assert sign_in.connections() == []


def test_a_refresh_token_dies_when_it_was_not_used_for_90_days(clocked_sign_in: Clocked) -> None:
    sign_in = clocked_sign_in.sign_in
    first = sign_in.tokens()
    clocked_sign_in.set_clock(NOON + timedelta(days=90) - timedelta(seconds=1))
    second = sign_in.refreshed(first["refresh_token"]).json()
    clocked_sign_in.set_clock(NOON + timedelta(days=179))
    third = sign_in.refreshed(second["refresh_token"]).json()
    clocked_sign_in.set_clock(NOON + timedelta(days=269))

    assert sign_in.connections() == []
    answer = sign_in.refreshed(third["refresh_token"])
    assert answer.status_code in (400, 401)
    assert answer.json()["error"] in ("invalid_grant", "invalid_client")


def test_another_app_s_refresh_token_is_refused(sign_in: SignIn, make_sign_in: MakeSignIn) -> None:
    tokens = sign_in.tokens()
    other = make_sign_in()
    other.registered()

    assert refusal(other.refreshed(tokens["refresh_token"])) == (400, "invalid_grant")
    assert sign_in.refreshed(tokens["refresh_token"]).status_code == 200


def test_a_refresh_may_narrow_what_the_next_access_token_allows_and_never_widen_it(sign_in: SignIn) -> None:
    reader = sign_in.tokens("read")
    assert refusal(sign_in.refreshed(reader["refresh_token"], scope="memory:write")) == (400, "invalid_scope")
    assert sign_in.refreshed(reader["refresh_token"], scope="offline_access").json()["scope"] == "memory:read"

    writer = sign_in.tokens("write")
    narrow = sign_in.refreshed(writer["refresh_token"], scope="memory:read").json()
    again = sign_in.refreshed(narrow["refresh_token"]).json()

    assert narrow["scope"] == "memory:read"
    assert again["scope"] == "memory:read memory:write"


@pytest.mark.parametrize("resource", ["https://evil.example/mcp", "{}/v1", "{}/mcp/omi"])
def test_tokens_for_another_resource_are_refused_and_nothing_is_used_up(sign_in: SignIn, resource: str) -> None:
    code = sign_in.code()
    elsewhere = resource.format(sign_in.issuer)
    assert refusal(sign_in.traded(code, resource=elsewhere)) == (400, "invalid_target")
    tokens = sign_in.traded(code, resource=f"{sign_in.issuer}/mcp/").json()

    assert refusal(sign_in.refreshed(tokens["refresh_token"], resource=elsewhere)) == (400, "invalid_target")
    assert sign_in.refreshed(tokens["refresh_token"], resource=f"{sign_in.issuer}/mcp").status_code == 200


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"grant_type": None}, "invalid_request"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"code": None}, "invalid_request"),
        ({"code": ""}, "invalid_request"),
        ({"code": "nope"}, "invalid_grant"),
        ({"code": "' OR 1=1 --"}, "invalid_grant"),
        ({"grant_type": "refresh_token"}, "invalid_request"),
        ({"grant_type": "refresh_token", "refresh_token": "gnf_rt_nope"}, "invalid_grant"),
    ],
)
def test_what_is_wrong_with_a_call_is_said_in_oauth_s_words(
    sign_in: SignIn, changes: dict[str, str | None], error: str
) -> None:
    sign_in.registered()

    assert refusal(sign_in.traded(**{"code": "x", **changes})) == (400, error)


def test_an_access_token_is_no_refresh_token(sign_in: SignIn) -> None:
    tokens = sign_in.tokens()

    assert refusal(sign_in.refreshed(tokens["access_token"])) == (400, "invalid_grant")
    assert not sign_in.reaches(tokens["refresh_token"])


def test_a_parameter_that_is_sent_twice_is_refused(sign_in: SignIn) -> None:
    code = sign_in.code()
    body = f"grant_type=authorization_code&code={code}&code=x&client_id={sign_in.client['client_id']}"
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    assert refusal(sign_in.http.post("/oauth/token", content=body, headers=form)) == (400, "invalid_request")


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b'{"grant_type":"refresh_token"}', "application/json", 400),
        (b"grant_type=refresh_token", "text/plain", 400),
        (b"grant_type=%zz", "application/x-www-form-urlencoded", 400),
        (b"grant_type=\xff", "application/x-www-form-urlencoded", 400),
        (b"grant_type=%ff", "application/x-www-form-urlencoded", 400),
        (b"grant_type=refresh_token%00", "application/x-www-form-urlencoded", 400),
        (b"&".join(b"a%d=1" % n for n in range(51)), "application/x-www-form-urlencoded", 400),
        (b"a=" + b"x" * 70_000, "application/x-www-form-urlencoded", 413),
    ],
)
def test_a_body_that_is_no_sound_form_is_refused(sign_in: SignIn, content: bytes, kind: str, status: int) -> None:
    answer = sign_in.http.post("/oauth/token", content=content, headers={"Content-Type": kind})

    assert refusal(answer) == (status, "invalid_request")


def test_a_form_may_name_its_charset_and_hold_what_is_not_known_here(sign_in: SignIn) -> None:
    code = sign_in.code()
    sent = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": sign_in.redirect_uri,
        "client_id": sign_in.client["client_id"],
        "code_verifier": sign_in.verifier,
        "audience": "x",
    }
    body = str(httpx.QueryParams(sent))
    kind = {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"}

    assert sign_in.http.post("/oauth/token", content=body, headers=kind).status_code == 200


def test_what_stands_in_the_address_is_never_read(sign_in: SignIn) -> None:
    code = sign_in.code()
    sent = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": sign_in.redirect_uri,
        "client_id": sign_in.client["client_id"],
        "code_verifier": sign_in.verifier,
    }

    assert refusal(sign_in.http.post("/oauth/token", params=sent)) == (400, "invalid_request")
    assert refusal(sign_in.http.post("/oauth/token", params={"code": "x"}, data=sent)) == (400, "invalid_request")
    assert sign_in.traded(code).status_code == 200


def test_only_post_is_answered(sign_in: SignIn) -> None:
    answer = sign_in.http.get("/oauth/token")

    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"


@pytest.mark.parametrize(("path", "alias"), [("/oauth/token", "/token"), ("/oauth/register", "/register")])
def test_a_client_that_lost_the_metadata_finds_the_endpoints_at_the_root(
    sign_in: SignIn, path: str, alias: str
) -> None:
    assert sign_in.http.post(alias, content=b"{}").text == sign_in.http.post(path, content=b"{}").text
    asked = sign_in.asked()
    moved = str(asked.request.url).replace("/oauth/authorize", "/authorize")
    assert sign_in.http.get(moved).headers["Location"].startswith(f"{sign_in.issuer}/app/approve?")


def test_a_closed_account_s_codes_and_tokens_are_worth_nothing(sign_in: SignIn, close: Callable[[int], None]) -> None:
    tokens = sign_in.tokens()
    code = sign_in.code()
    assert sign_in.reaches(tokens["access_token"])
    close(sign_in.account.id)

    assert not sign_in.reaches(tokens["access_token"])
    assert refusal(sign_in.refreshed(tokens["refresh_token"])) == (400, "invalid_grant")
    assert refusal(sign_in.traded(code)) == (400, "invalid_grant")


@pytest.mark.parametrize("what", ["code", "refresh"])
async def test_of_many_that_come_at_once_one_is_answered_and_the_connection_ends(sign_in: SignIn, what: str) -> None:
    code = sign_in.code()
    held = {"refresh_token": ""} if what == "code" else sign_in.traded(code).json()

    def use() -> httpx.Response:
        return sign_in.traded(code) if what == "code" else sign_in.refreshed(held["refresh_token"])

    answers = await asyncio.gather(*(asyncio.to_thread(use) for _ in range(8)))

    won = [one.json() for one in answers if one.status_code == 200]
    assert len(won) == 1
    assert {refusal(one) for one in answers if one.status_code != 200} == {(400, "invalid_grant")}
    assert not sign_in.reaches(won[0]["access_token"])
    assert sign_in.connections() == []


@pytest.mark.statement(265)
def test_no_secret_is_kept_but_by_its_hash(
    fresh_server: Any, make_account: Any, make_sign_in: MakeSignIn, tmp_path: Any
) -> None:
    server = fresh_server()
    sign_in = make_sign_in(server, make_account(server), auth_method="client_secret_post")
    sign_in.registered()
    secret = sign_in.client["client_secret"]
    request_id, undecided = sign_in.request_id(), sign_in.request_id()
    code = query_of(sign_in.decided(request_id))["code"]
    unused = sign_in.code()
    first = sign_in.traded(code, client_secret=secret).json()
    second = sign_in.refreshed(first["refresh_token"], client_secret=secret).json()
    sign_in.reaches(second["access_token"])
    server.run(server.ports.calls.flush())

    held = b"".join(file.read_bytes() for file in server.data.rglob("*") if file.is_file())

    assert sign_in.client["client_id"].encode() in held
    kept = [secret, request_id, undecided, code, unused, sign_in.verifier]
    kept += [one[name] for one in (first, second) for name in ("access_token", "refresh_token")]
    for one in kept:
        assert one.encode() not in held
        assert one.removeprefix("gnf_at_").removeprefix("gnf_rt_").encode() not in held
