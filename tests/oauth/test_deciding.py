"""What the person decides: once, within ten minutes, and for themselves alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from geniffy_server.errors import BadInput, NotAllowed, NotFound
from geniffy_server.services.connections import PendingRequest, decide, disconnect, list_connections, pending
from tests.conftest import Account
from tests.oauth.conftest import CALLBACK, CLAUDE, NOON, Clocked, MakeSignIn, SignIn, query_of


def shown(sign_in: SignIn, request_id: str) -> PendingRequest:
    return sign_in.server.run(pending(sign_in.server.ports, request_id))


def test_the_person_is_shown_who_asks_and_where_they_will_be_sent_back(make_sign_in: MakeSignIn) -> None:
    claude = make_sign_in(redirect_uri=CLAUDE)
    claude.registered(client_name="Whatever")
    own = make_sign_in()
    own.registered(client_name="Claude")

    by_host, by_name = shown(claude, claude.request_id()), shown(own, own.request_id())

    assert (by_host.app_name, by_host.is_known, by_host.return_host) == ("Claude", True, "claude.ai")
    assert by_host.return_to == CLAUDE
    assert by_host.resource == f"{claude.issuer}/mcp"
    assert (by_name.app_name, by_name.is_known, by_name.return_host) == ("Claude", False, None)
    assert by_name.return_to == CALLBACK


@pytest.mark.statement(256)
def test_nothing_is_granted_before_the_person_allows_it(sign_in: SignIn) -> None:
    request_id = sign_in.request_id()
    shown(sign_in, request_id)

    for guess in (request_id, request_id[::-1]):
        assert sign_in.traded(guess).json()["error"] == "invalid_grant"
        assert not sign_in.reaches(f"gnf_at_{guess}")
    assert sign_in.connections() == []


@pytest.mark.statement(256, 258)
def test_saying_no_is_an_error_at_the_app_s_address_and_nothing_is_kept(sign_in: SignIn) -> None:
    told = query_of(sign_in.decided(sign_in.request_id(), None))

    assert (told["error"], told["state"], told["iss"]) == ("access_denied", "a state", sign_in.issuer)
    assert "code" not in told
    assert sign_in.connections() == []


@pytest.mark.statement(258)
def test_saying_yes_sends_back_a_code_with_state_and_iss(sign_in: SignIn) -> None:
    address = sign_in.decided(sign_in.request_id())

    assert address.startswith(f"{CALLBACK}?code=")
    told = query_of(address)
    assert set(told) == {"code", "state", "iss"}
    assert (told["state"], told["iss"]) == ("a state", sign_in.issuer)


@pytest.mark.parametrize("first", ["write", "read", None])
def test_a_request_is_decided_once(sign_in: SignIn, first: str | None) -> None:
    request_id = sign_in.request_id()
    sign_in.decided(request_id, first)

    for again in ("write", None):
        with pytest.raises(NotFound, match="decided already"):
            sign_in.decided(request_id, again)
    with pytest.raises(NotFound):
        shown(sign_in, request_id)


def test_more_than_was_asked_for_can_t_be_allowed_and_the_request_stays_open(sign_in: SignIn) -> None:
    request_id = sign_in.request_id(scope="memory:read")

    with pytest.raises(BadInput, match="read only"):
        sign_in.decided(request_id, "write")
    code = query_of(sign_in.decided(request_id, "read"))["code"]

    assert sign_in.traded(code).json()["scope"] == "memory:read"


def test_a_request_lasts_ten_minutes(clocked_sign_in: Clocked) -> None:
    sign_in = clocked_sign_in.sign_in
    request_id = sign_in.request_id()
    assert shown(sign_in, request_id).expires_at == NOON + timedelta(minutes=10)
    clocked_sign_in.set_clock(NOON + timedelta(minutes=10))

    with pytest.raises(NotFound, match="expired"):
        shown(sign_in, request_id)
    with pytest.raises(NotFound, match="expired"):
        sign_in.decided(request_id)


@pytest.mark.parametrize("request_id", ["", "x", "' OR 1=1 --", "\x00", "é" * 43, "\ud800"])
def test_a_request_that_never_was_is_not_found(sign_in: SignIn, request_id: str) -> None:
    with pytest.raises(NotFound):
        shown(sign_in, request_id)
    with pytest.raises(NotFound):
        sign_in.decided(request_id)


def test_a_closed_account_can_connect_nothing(sign_in: SignIn, close: Callable[[int], None]) -> None:
    request_id = sign_in.request_id()
    close(sign_in.account.id)

    with pytest.raises(NotAllowed, match="closed"):
        sign_in.decided(request_id)


@pytest.mark.statement(263)
def test_connecting_the_same_app_again_leaves_one_connection(sign_in: SignIn) -> None:
    first = sign_in.tokens("read")
    second = sign_in.tokens("write")

    (connection,) = sign_in.connections()
    assert connection.grant == "write"
    assert not sign_in.reaches(first["access_token"])
    assert sign_in.refreshed(first["refresh_token"]).json()["error"] == "invalid_grant"
    assert sign_in.reaches(second["access_token"])


@pytest.mark.statement(263)
def test_an_app_of_a_known_host_is_the_same_app_however_often_it_registers(make_sign_in: MakeSignIn) -> None:
    first = make_sign_in(redirect_uri=CLAUDE)
    again = make_sign_in(redirect_uri="https://claude.com/api/mcp/auth_callback")
    other = make_sign_in(redirect_uri="https://chatgpt.com/connector_platform_oauth_redirect")
    old, new, kept = first.tokens(), again.tokens(), other.tokens()

    assert [one.app.name for one in first.connections()] == ["ChatGPT", "Claude"]
    assert not first.reaches(old["access_token"])
    assert again.reaches(new["access_token"])
    assert other.reaches(kept["access_token"])


def test_two_devices_that_registered_apart_keep_a_connection_each(make_sign_in: MakeSignIn) -> None:
    desk, laptop = make_sign_in(auth_method="client_secret_post"), make_sign_in(auth_method="client_secret_post")
    tokens = []
    for one in (desk, laptop):
        one.registered(client_name="Claude Code")
        tokens.append(one.traded(one.code(), client_secret=one.client["client_secret"]).json())

    assert len(desk.connections()) == 2
    assert all(desk.reaches(one["access_token"]) for one in tokens)


def test_asking_again_without_an_end_leaves_the_connection_as_it_was(sign_in: SignIn) -> None:
    tokens = sign_in.tokens()
    sign_in.decided(sign_in.request_id(), None)
    sign_in.code()

    assert sign_in.reaches(tokens["access_token"])


def test_disconnecting_stops_an_app_at_once(sign_in: SignIn) -> None:
    tokens = sign_in.tokens()
    (connection,) = sign_in.connections()
    assert sign_in.reaches(tokens["access_token"])

    ended = sign_in.server.run(disconnect(sign_in.server.ports, sign_in.account.id, connection.id))

    assert ended.id == connection.id
    assert sign_in.connections() == []
    assert not sign_in.reaches(tokens["access_token"])
    assert sign_in.refreshed(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_another_person_s_connection_is_neither_listed_nor_ended(
    sign_in: SignIn, another_account: Account, make_sign_in: MakeSignIn
) -> None:
    tokens = sign_in.tokens()
    (connection,) = sign_in.connections()
    ports = sign_in.server.ports

    assert sign_in.server.run(list_connections(ports, another_account.id)) == []
    with pytest.raises(NotFound):
        sign_in.server.run(disconnect(ports, another_account.id, connection.id))
    assert sign_in.reaches(tokens["access_token"])


def test_one_app_that_two_people_connect_is_a_connection_each(
    sign_in: SignIn, another_account: Account, make_sign_in: MakeSignIn
) -> None:
    other = make_sign_in(account=another_account)
    sign_in.registered()
    other.client = sign_in.client
    tokens = [sign_in.tokens(), other.tokens()]

    assert all(sign_in.reaches(one["access_token"]) for one in tokens)
    (connection,) = sign_in.connections()
    sign_in.server.run(disconnect(sign_in.server.ports, sign_in.account.id, connection.id))
    assert [sign_in.reaches(one["access_token"]) for one in tokens] == [False, True]


async def test_a_request_that_two_browsers_decide_at_once_is_decided_once(sign_in: SignIn) -> None:
    import asyncio

    request_id = sign_in.request_id()
    ports = sign_in.server.ports

    async def both() -> list[Any]:
        deciding = [decide(ports, sign_in.account.id, request_id, grant) for grant in ("write", None, "read", None)]
        return list(await asyncio.gather(*deciding, return_exceptions=True))

    answers = await asyncio.to_thread(sign_in.server.run, both())

    assert sum(isinstance(one, str) for one in answers) == 1
    assert sum(isinstance(one, NotFound) for one in answers) == 3
