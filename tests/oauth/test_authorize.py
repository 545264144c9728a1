"""Asking to be authorized: what goes on to the person, what goes back to the app, and what goes nowhere."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.oauth.conftest import CALLBACK, CLAUDE, SignIn, challenge_of, query_of


def page(answer: httpx.Response) -> str:
    """A page that tells a person what is wrong; the test fails when they are sent anywhere."""
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "Location" not in answer.headers
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    return answer.text


def sent_back(answer: httpx.Response, address: str = CALLBACK) -> dict[str, str]:
    """What the app is told at its own address."""
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(address)
    assert answer.headers["Cache-Control"] == "no-store"
    return query_of(answer.headers["Location"])


def test_a_request_that_is_in_order_goes_on_to_the_page_where_the_person_decides(sign_in: SignIn) -> None:
    answer = sign_in.asked()

    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(f"{sign_in.issuer}/app/approve?request=")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert sign_in.connections() == []


@pytest.mark.statement(255)
@pytest.mark.parametrize(
    "changes",
    [
        {"code_challenge": None},
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge": ""},
        {"code_challenge": challenge_of("x")[:-1]},
        {"code_challenge": challenge_of("x") + "="},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": "s256"},
        {"code_challenge_method": None},
    ],
)
def test_without_a_challenge_by_s256_nobody_is_asked(sign_in: SignIn, changes: dict[str, Any]) -> None:
    told = sent_back(sign_in.asked(**changes))

    assert told["error"] == "invalid_request"
    assert told["error_description"].startswith("code_challenge")
    assert (told["state"], told["iss"]) == ("a state", sign_in.issuer)
    assert "code" not in told


@pytest.mark.statement(255)
@pytest.mark.parametrize("client_id", [None, "", "gnf_app_nope", "' OR 1=1 --", "x" * 5000])
def test_an_app_that_is_not_known_is_told_nothing_and_nobody_is_sent_to_it(
    sign_in: SignIn, client_id: str | None
) -> None:
    answer = sign_in.asked(client_id=client_id, redirect_uri="https://evil.example/cb")

    assert answer.status_code == 400
    assert "not registered here" in page(answer)


@pytest.mark.statement(255)
@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/cb",
        "http://127.0.0.1:33418/other",
        "http://127.0.0.1:33418/callback/",
        "http://127.0.0.1:33418/callback?x=1",
        "http://127.0.0.1:33418/callback#x",
        "http://127.0.0.1:33418@evil.example/callback",
        "http://evil@127.0.0.1:33418/callback",
        "http://127.0.0.1.evil.example/callback",
        "//evil.example/callback",
        "javascript:alert(1)",
        "http://127.0.0.1:33418/callback\\@evil.example",
    ],
)
def test_nobody_is_sent_to_an_address_that_was_not_registered(sign_in: SignIn, address: str) -> None:
    answer = sign_in.asked(redirect_uri=address)

    assert answer.status_code == 400
    assert "did not register" in page(answer)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1/callback", "http://localhost:55555/callback", "http://[::1]:8/callback"]
)
def test_on_the_person_s_own_device_any_port_will_do(sign_in: SignIn, address: str) -> None:
    told = query_of(sign_in.decided(sign_in.request_id(redirect_uri=address)))

    assert sign_in.traded(told["code"], redirect_uri=address).status_code == 200


def test_the_only_registered_address_need_not_be_named(sign_in: SignIn) -> None:
    address = sign_in.decided(sign_in.request_id(redirect_uri=None))

    assert address.startswith(f"{CALLBACK}?code=")
    assert sign_in.traded(query_of(address)["code"], redirect_uri=None).status_code == 200


def test_of_two_registered_addresses_one_must_be_named(sign_in: SignIn) -> None:
    sign_in.registered(redirect_uris=[CALLBACK, CLAUDE])

    assert "did not say where" in page(sign_in.asked(redirect_uri=None))
    assert sign_in.asked(redirect_uri=CLAUDE).status_code == 302


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
def test_an_app_or_an_address_that_is_named_twice_goes_nowhere(sign_in: SignIn, name: str) -> None:
    answer = sign_in.asked((name, "https://evil.example/cb"))

    assert answer.status_code == 400
    assert "more than once" in page(answer)


@pytest.mark.parametrize("name", ["scope", "code_challenge", "response_type"])
def test_the_app_is_told_of_another_parameter_that_is_sent_twice(sign_in: SignIn, name: str) -> None:
    told = sent_back(sign_in.asked((name, "memory:write"), scope="memory:read"))

    assert told["error"] == "invalid_request"
    assert told["error_description"] == f"The parameter '{name}' was sent more than once."
    assert (told["state"], told["iss"]) == ("a state", sign_in.issuer)


@pytest.mark.parametrize("states", [["one", "two"], ["a\x00b"], ["a\r\nb"]])
def test_a_state_that_can_t_be_told_apart_or_read_does_not_come_back(sign_in: SignIn, states: list[str]) -> None:
    told = sent_back(sign_in.asked(*(("state", state) for state in states), state=None))

    assert (told["error"], told["iss"]) == ("invalid_request", sign_in.issuer)
    assert "state" not in told


def test_the_app_is_told_of_too_many_parameters(sign_in: SignIn) -> None:
    told = sent_back(sign_in.asked(*((f"more{number}", "x") for number in range(50))))

    assert (told["error"], told["state"]) == ("invalid_request", "a state")


@pytest.mark.parametrize("query", ["client_id=%zz", "client_id=%ff", "state=%00", "state=a%0d%0ab", "x=%E2%82"])
def test_a_query_that_can_t_be_read_goes_nowhere(sign_in: SignIn, query: str) -> None:
    answer = sign_in.http.get(f"/oauth/authorize?{query}")

    assert answer.status_code == 400
    page(answer)


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
def test_what_an_app_sends_is_never_markup_on_a_page(sign_in: SignIn, name: str) -> None:
    answer = sign_in.asked(**{name: "https://x.example/<script>alert(1)</script>"})

    assert "<script>" not in page(answer)


def test_what_an_app_sends_can_add_nothing_to_the_address_it_is_told_at(sign_in: SignIn) -> None:
    told = sent_back(sign_in.asked(("a&code=1#<b>", "1"), ("a&code=1#<b>", "2")))

    assert set(told) == {"error", "error_description", "state", "iss"}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code id_token"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"response_mode": "fragment"}, "invalid_request"),
        ({"resource": "https://evil.example/mcp"}, "invalid_target"),
        ({"request": "ey.."}, "request_not_supported"),
        ({"request_uri": "https://evil.example"}, "request_uri_not_supported"),
    ],
)
def test_every_other_fault_goes_back_to_the_app_with_state_and_iss(
    sign_in: SignIn, changes: dict[str, Any], error: str
) -> None:
    told = sent_back(sign_in.asked(**changes))

    assert (told["error"], told["state"], told["iss"]) == (error, "a state", sign_in.issuer)
    assert "code" not in told


def test_a_state_that_is_too_long_is_refused_and_not_sent_back(sign_in: SignIn) -> None:
    told = sent_back(sign_in.asked(state="s" * 4001))

    assert (told["error"], told.get("state")) == ("invalid_request", None)


@pytest.mark.parametrize(
    "named", [[], ["{}/mcp"], ["{}/mcp/"], ["{}"], ["{}/"], ["{}/mcp", "{}/mcp/"]], ids=lambda named: str(named)
)
def test_the_resource_may_be_left_out_end_in_a_slash_or_be_named_twice(sign_in: SignIn, named: list[str]) -> None:
    answer = sign_in.asked(*(("resource", one.format(sign_in.issuer)) for one in named), resource=None)

    assert answer.headers["Location"].startswith(f"{sign_in.issuer}/app/approve?")


@pytest.mark.statement(262)
@pytest.mark.parametrize(
    ("scope", "choices"),
    [
        (None, ["read", "write"]),
        (" offline_access", ["read", "write"]),
        ("read write", ["read", "write"]),
        ("memory:read  memory:write", ["read", "write"]),
        ("memory:write", ["read", "write"]),
        ("memory:read", ["read"]),
        ("memory:read openid", ["read"]),
    ],
)
def test_whatever_scope_is_asked_for_the_person_is_asked(
    sign_in: SignIn, scope: str | None, choices: list[str]
) -> None:
    from geniffy_server.services.connections import pending

    request_id = sign_in.request_id(scope=scope)
    shown = sign_in.server.run(pending(sign_in.server.ports, request_id))

    assert list(shown.scopes) == choices


def test_the_answer_keeps_what_the_address_has_of_its_own(make_sign_in: Any) -> None:
    address = "https://app.example/cb?tenant=a%20b&state=mine"
    sign_in = make_sign_in(redirect_uri=address)

    refused = sign_in.asked(response_type="token")
    allowed = sign_in.decided(sign_in.request_id())

    for told in (refused.headers["Location"], allowed):
        assert told.startswith(f"{address}&")
        assert told.count("tenant=") == 1
        assert f"iss={sign_in.issuer.replace(':', '%3A').replace('/', '%2F')}" in told
    assert "&code=" in allowed


@pytest.mark.parametrize("state", ["a b&c=d#e", "é", "%0d%0aSet-Cookie:x", '"><script>', "a+b"])
def test_state_comes_back_as_it_was_sent(sign_in: SignIn, state: str) -> None:
    refused = sent_back(sign_in.asked(state=state, response_type="token"))
    allowed = query_of(sign_in.decided(sign_in.request_id(state=state)))

    assert refused["state"] == allowed["state"] == state


def test_without_a_state_none_comes_back(sign_in: SignIn) -> None:
    assert set(query_of(sign_in.decided(sign_in.request_id(state=None)))) == {"code", "iss"}


def test_asking_without_end_is_slowed(sign_in: SignIn, monkeypatch: pytest.MonkeyPatch) -> None:
    from geniffy_server.services import connections

    sign_in.registered()
    monkeypatch.setattr(connections, "PER_PEER", 0)

    answer = sign_in.asked()

    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert "try again in" in page(answer)


def test_only_get_is_answered(sign_in: SignIn) -> None:
    answer = sign_in.http.post("/oauth/authorize")

    assert answer.status_code == 405
