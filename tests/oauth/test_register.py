"""Registration: open to any app, granting nothing, bounded."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from geniffy_server.services import clients
from tests.conftest import Server
from tests.oauth.conftest import CALLBACK, NOON, Clocked, MakeSignIn, SignIn, refusal


@pytest.mark.statement(254)
@pytest.mark.parametrize("address", ["http://127.0.0.1:33418", "https://vscode.dev/redirect", "cursor://x/cb"])
def test_an_app_registers_by_itself_with_https_this_device_or_its_own_scheme(sign_in: SignIn, address: str) -> None:
    answer = sign_in.registered(redirect_uris=[address], client_name="Lemon")

    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    told = answer.json()
    assert told["client_id"].startswith("gnf_app_")
    assert told["client_name"] == "Lemon"
    assert told["redirect_uris"] == [address]
    assert told["grant_types"] == ["authorization_code", "refresh_token"]
    assert told["response_types"] == ["code"]


@pytest.mark.statement(254)
@pytest.mark.parametrize(
    "addresses",
    [
        ["javascript:alert(1)"],
        ["http://evil.example"],
        ["https://app.example/cb#x"],
        [CALLBACK, "data:text/html,x"],
        [],
        None,
        CALLBACK,
        [5],
        [f"https://app.example/{number}" for number in range(21)],
    ],
)
def test_any_other_address_is_refused_and_nothing_is_kept(sign_in: SignIn, addresses: Any) -> None:
    before = rows(sign_in.server)

    answer = sign_in.registered(redirect_uris=addresses)

    assert refusal(answer) == (400, "invalid_redirect_uri")
    assert rows(sign_in.server) == before


@pytest.mark.statement(264)
@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        (None, "client_secret_basic"),
        ("none", "none"),
        ("client_secret_basic", "client_secret_basic"),
        ("client_secret_post", "client_secret_post"),
        ("private_key_jwt", "client_secret_basic"),
    ],
)
def test_the_answer_says_which_method_was_chosen_with_a_secret_where_one_is_needed(
    sign_in: SignIn, asked: str | None, chosen: str
) -> None:
    told = sign_in.registered(token_endpoint_auth_method=asked).json()

    assert told["token_endpoint_auth_method"] == chosen
    assert ("client_secret" in told) == (chosen != "none")
    assert told.get("client_secret_expires_at") == (None if chosen == "none" else 0)


def test_fields_that_are_not_known_here_are_passed_over(sign_in: SignIn) -> None:
    answer = sign_in.registered(
        application_type="native", software_id="x", logo_uri="javascript:x", jwks={"keys": []}, x={"y": [1]}, scope="a"
    )

    assert answer.status_code == 201
    assert answer.json()["scope"] == "memory:read memory:write"
    assert "logo_uri" not in answer.json()


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'"x"', b"{", b"\xff", b"null", b"[" * 60_000, b"redirect_uris=x"],
)
def test_a_body_that_is_no_object_is_refused(sign_in: SignIn, body: bytes) -> None:
    assert refusal(sign_in.http.post("/oauth/register", content=body)) == (400, "invalid_client_metadata")


def test_a_body_that_is_too_large_is_refused(sign_in: SignIn) -> None:
    body = json.dumps({"redirect_uris": [CALLBACK], "x": "y" * 70_000})

    assert refusal(sign_in.http.post("/oauth/register", content=body)) == (413, "invalid_request")


@pytest.mark.parametrize(
    "metadata",
    [
        {"grant_types": ["client_credentials"]},
        {"grant_types": "authorization_code"},
        {"response_types": ["token"]},
        {"client_name": 5},
    ],
)
def test_an_app_that_could_never_be_served_is_refused(sign_in: SignIn, metadata: dict[str, Any]) -> None:
    assert refusal(sign_in.registered(**metadata)) == (400, "invalid_client_metadata")


def test_a_name_is_kept_on_one_line_of_sixty_characters(sign_in: SignIn) -> None:
    told = sign_in.registered(client_name="Free\u202e\n  <b>money</b> " * 100).json()

    assert told["client_name"].startswith("Free <b>money</b>")
    assert len(told["client_name"]) <= 60


def test_the_same_public_app_gets_the_same_id_until_it_is_connected(sign_in: SignIn) -> None:
    first = sign_in.registered(client_name="Nectarine").json()
    again = sign_in.registered(client_name="Nectarine").json()
    named = sign_in.registered(client_name="Another").json()
    elsewhere = sign_in.registered(client_name="Nectarine", redirect_uris=[CALLBACK, "https://a.example"]).json()
    sign_in.client = again
    sign_in.tokens()
    after = sign_in.registered(client_name="Nectarine").json()

    assert again == first
    ids = [told["client_id"] for told in (first, named, elsewhere, after)]
    assert len(set(ids)) == 4


def test_an_app_with_a_secret_is_never_handed_out_again(sign_in: SignIn) -> None:
    told = [
        sign_in.registered(client_name="Quince", token_endpoint_auth_method="client_secret_post").json()
        for _ in range(2)
    ]

    assert told[0]["client_id"] != told[1]["client_id"]
    assert told[0]["client_secret"] != told[1]["client_secret"]


def rows(server: Server) -> int:
    """How many clients the store holds."""
    from sqlalchemy import func, select

    from geniffy_server.storage.connection_schema import oauth_clients

    return server.read(lambda tx: tx._connection.execute(select(func.count()).select_from(oauth_clients)).scalar())


@pytest.mark.usefixtures("limits")
def test_a_flood_of_one_app_is_one_row(clocked_sign_in: Clocked) -> None:
    sign_in = clocked_sign_in.sign_in

    answers = {sign_in.registered(client_name="Flood").status_code for _ in range(500)}

    assert answers == {201}
    assert rows(sign_in.server) == 1


@pytest.mark.usefixtures("limits")
def test_a_flood_of_new_apps_is_slowed_with_a_word_on_when_to_come_back(clocked_sign_in: Clocked) -> None:
    sign_in, set_clock = clocked_sign_in.sign_in, clocked_sign_in.set_clock

    for second in range(clients.PER_PEER):
        set_clock(NOON + timedelta(seconds=second / 2))
        assert sign_in.registered().status_code == 201
    set_clock(NOON + timedelta(seconds=40))
    refused = sign_in.registered()
    set_clock(NOON + timedelta(seconds=60))

    assert refusal(refused) == (429, "temporarily_unavailable")
    assert refused.headers["Retry-After"] == "20"
    assert sign_in.registered().status_code == 201
    assert sign_in.registered().status_code == 429


@pytest.mark.usefixtures("limits")
def test_all_addresses_together_are_slowed_too(clocked_sign_in: Clocked) -> None:
    server = clocked_sign_in.sign_in.server

    def take(peer: str) -> int | None:
        limits = {"per_peer": clients.PER_PEER, "in_all": clients.IN_ALL}
        return server.run(server.ports.store.write(lambda tx: tx.visits.take("register", peer, NOON, **limits)))

    taken = [take(f"203.0.113.{number}") for number in range(clients.IN_ALL)]

    assert set(taken) == {None}
    assert take("198.51.100.1") == 60


def test_apps_that_nothing_is_of_are_forgotten_after_a_day_and_connected_ones_never(clocked_sign_in: Clocked) -> None:
    sign_in, set_clock = clocked_sign_in.sign_in, clocked_sign_in.set_clock
    refresh_token = sign_in.tokens()["refresh_token"]
    connected = sign_in.client
    idle = sign_in.registered().json()
    set_clock(NOON + timedelta(days=1))
    sign_in.registered()

    assert rows(sign_in.server) == 2
    assert sign_in.asked(client_id=idle["client_id"]).status_code == 400
    set_clock(NOON + timedelta(days=89))
    sign_in.registered()
    sign_in.client = connected
    assert rows(sign_in.server) == 2
    assert sign_in.refreshed(refresh_token).status_code == 200


def test_an_app_that_was_disconnected_may_ask_again_under_the_same_id(clocked_sign_in: Clocked) -> None:
    from geniffy_server.services.connections import disconnect

    sign_in, set_clock = clocked_sign_in.sign_in, clocked_sign_in.set_clock
    sign_in.tokens()
    (connection,) = sign_in.connections()
    ports = sign_in.server.ports
    sign_in.server.run(disconnect(ports, sign_in.account.id, connection.id))
    set_clock(NOON + timedelta(days=89))
    assert sign_in.asked().status_code == 302
    set_clock(NOON + timedelta(days=91))
    sign_in.server.run(ports.store.write(lambda tx: tx.connections.prune(NOON + timedelta(days=91))))

    assert sign_in.asked().status_code == 400


def test_over_ten_thousand_unused_apps_the_oldest_go_but_never_a_connected_or_an_asking_one(
    clocked_sign_in: Clocked, make_sign_in: MakeSignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in, set_clock = clocked_sign_in.sign_in, clocked_sign_in.set_clock
    monkeypatch.setattr(clients, "MOST_UNUSED", 5)
    sign_in.tokens()
    asking = make_sign_in(sign_in.server, sign_in.account)
    request_id = asking.request_id()
    for second in range(12):
        set_clock(NOON + timedelta(seconds=second))
        last = sign_in.registered().json()

    assert rows(sign_in.server) == 5 + 2
    assert sign_in.asked(client_id=last["client_id"]).status_code == 302
    assert "code=" in asking.decided(request_id)
