"""What an app's access token opens: its owner's own memory at `/mcp`, as far as they allowed, and nothing else."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.oauth.conftest import CLAUDE, NOON, Clocked, MakeSignIn, SignIn


def listed(sign_in: SignIn, access_token: str) -> dict[str, Any]:
    """The tools that a token is shown, by name."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Authorization": f"Bearer {access_token}", "Accept": "application/json, text/event-stream"}
    answer = sign_in.http.post("/mcp", json=call, headers=headers)
    assert answer.status_code == 200, answer.text
    return {tool["name"]: tool for tool in answer.json()["result"]["tools"]}


def refused(answer: httpx.Response) -> tuple[int, str]:
    told = answer.json()["error"]
    assert told["message"].endswith(".")
    return answer.status_code, told["code"]


@pytest.mark.statement(239)
@pytest.mark.parametrize("token", ["gnf_at_" + "x" * 43, "gnf_at_", "gnf_rt_" + "x" * 43])
def test_a_token_that_is_not_good_is_told_where_the_metadata_is(sign_in: SignIn, token: str) -> None:
    answer = sign_in.call(token)

    metadata = f"{sign_in.issuer}/.well-known/oauth-protected-resource/mcp"
    assert refused(answer) == (401, "bad_key")
    assert answer.headers["WWW-Authenticate"] == f'Bearer error="invalid_token", resource_metadata="{metadata}"'


@pytest.mark.statement(241)
def test_an_app_that_may_read_is_never_shown_what_changes_the_memory(sign_in: SignIn) -> None:
    token = sign_in.tokens("read")["access_token"]

    assert set(listed(sign_in, token)) == {"search", "fetch", "ask", "profile", "list_memories"}
    for tool in ("remember", "correct", "forget"):
        told = sign_in.call(token, tool).json()
        assert told["error"]["code"] == -32602
        assert "result" not in told


def test_a_token_that_was_narrowed_to_reading_only_reads(sign_in: SignIn) -> None:
    tokens = sign_in.tokens("write")
    narrow = sign_in.refreshed(tokens["refresh_token"], scope="memory:read").json()["access_token"]

    assert "remember" in listed(sign_in, tokens["access_token"])
    assert "remember" not in listed(sign_in, narrow)


@pytest.mark.statement(252)
def test_a_connection_sees_its_owner_s_memory_and_never_a_space_or_another_person_s(
    sign_in: SignIn, make_sign_in: MakeSignIn, another_account: Any, client: Any
) -> None:
    for where in (client, client.space("ana")):
        source = where.memories.add(f"The code word is {'bluebird' if where is client else 'greenfinch'}.")
        assert where.sources.wait(source.id).status == "learned"
    stranger = make_sign_in(account=another_account)

    seen = sign_in.call(sign_in.tokens("read")["access_token"]).json()
    strange = stranger.call(stranger.tokens("write")["access_token"]).json()

    texts = [one["text"] for one in seen["result"]["structuredContent"]["memories"]]
    assert texts == ["The code word is bluebird."]
    assert strange["result"]["structuredContent"]["memories"] == []


@pytest.mark.parametrize("space", ["ana", "", "a:b"])
def test_a_connection_can_name_no_space(sign_in: SignIn, space: str) -> None:
    token = sign_in.tokens()["access_token"]

    assert not any("space" in tool["inputSchema"]["properties"] for tool in listed(sign_in, token).values())
    assert refused(sign_in.call(token, **{"X-Geniffy-Space": space})) == (403, "wrong_space")


def test_an_app_s_token_opens_nothing_else(sign_in: SignIn) -> None:
    tokens = sign_in.tokens()

    for token in (tokens["access_token"], tokens["refresh_token"]):
        bearer = {"Authorization": f"Bearer {token}"}
        for method, path in (("GET", "/v1/me"), ("GET", "/v1/memories"), ("DELETE", "/v1/spaces/ana")):
            answer = sign_in.http.request(method, path, headers=bearer)
            assert refused(answer) == (401, "bad_key")


def test_who_shows_nothing_is_told_of_both_ways_in(sign_in: SignIn) -> None:
    told = sign_in.http.post("/mcp", json={}).json()["error"]

    assert told["message"] == "Sign in from your app, or send an API key as `Authorization: Bearer gnf_live_...`."


def test_a_token_in_the_address_is_not_read(sign_in: SignIn) -> None:
    token = sign_in.tokens()["access_token"]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    answer = sign_in.http.post("/mcp", params={"access_token": token}, json=call)

    assert answer.status_code == 401
    assert "invalid_token" not in answer.headers["WWW-Authenticate"]


def test_a_token_is_good_for_the_resource_that_it_was_asked_for_alone(sign_in: SignIn) -> None:
    omi = f"{sign_in.issuer}/mcp/omi"
    for_memory, for_omi = sign_in.tokens("read")["access_token"], sign_in.tokens("write", resource=omi)["access_token"]

    def tools(path: str, token: str) -> httpx.Response:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        return sign_in.http.post(path, json=call, headers=headers)

    named = {tool["name"] for tool in tools("/mcp/omi", for_omi).json()["result"]["tools"]}
    assert {"get_memories", "create_memory", "edit_memory", "delete_memory"} < named
    assert tools("/mcp", for_memory).status_code == 200
    for path, other, held in (("/mcp", for_omi, "/mcp/omi"), ("/mcp/omi", for_memory, "/mcp")):
        answer = tools(path, other)
        assert refused(answer) == (401, "bad_key")
        assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
        assert f'oauth-protected-resource{path}"' in answer.headers["WWW-Authenticate"]
        assert f"{held} alone" in answer.json()["error"]["message"]


def test_an_app_that_may_read_is_never_shown_the_omi_tools_that_change_the_memory(sign_in: SignIn) -> None:
    token = sign_in.tokens("read", resource=f"{sign_in.issuer}/mcp/omi")["access_token"]
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}

    def call(method: str, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return sign_in.http.post("/mcp/omi", json=message, headers=headers).json()

    named = {tool["name"] for tool in call("tools/list")["result"]["tools"]}
    told = call("tools/call", name="create_memory", arguments={"content": "x"})
    assert len(named) == 5
    assert not named & {"create_memory", "edit_memory", "delete_memory"}
    assert told["error"] == {
        "code": -32601, "message": "Unknown tool: 'create_memory'", "data": {"code": "unknown_tool"},
    }  # fmt: skip


def test_a_token_for_which_no_resource_was_named_is_not_good_for_the_omi_tools(sign_in: SignIn) -> None:
    token = sign_in.tokens("write", resource=None)["access_token"]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    answer = sign_in.http.post("/mcp/omi", json=call, headers={"Authorization": f"Bearer {token}"})

    assert sign_in.reaches(token)
    assert refused(answer) == (401, "bad_key")


def test_every_call_is_logged_under_the_name_that_the_person_was_shown(make_sign_in: MakeSignIn) -> None:
    sign_in = make_sign_in(redirect_uri=CLAUDE)
    sign_in.registered(client_name="something else")
    token = sign_in.tokens()["access_token"]
    ports = sign_in.server.ports

    call = sign_in.call(token, **{"User-Agent": "claude-user/1.0"})
    sign_in.server.run(ports.calls.flush())
    calls, _ = sign_in.server.run(ports.calls.page(sign_in.account.id, limit=10))

    (row,) = [one for one in calls if one.id == call.headers["X-Request-ID"]]
    assert (row.app, row.door, row.route, row.outcome) == ("Claude", "mcp", "POST /mcp list_memories", "ok")
    assert (row.space, row.key_id) == ("", None)


def test_what_an_app_does_to_sign_in_is_logged_without_a_word_of_what_it_sent(sign_in: SignIn) -> None:
    sign_in.tokens()
    ports = sign_in.server.ports
    answer = sign_in.traded("nope")
    sign_in.server.run(ports.calls.flush())

    from sqlalchemy import select

    from geniffy_server.storage.schema import requests

    with ports.calls._engine.connect() as connection:
        row = connection.execute(select(requests).where(requests.c.id == answer.headers["X-Request-ID"])).one()
    assert (row.door, row.route, row.status, row.outcome) == ("page", "POST /oauth/token", 400, "invalid_grant")


def test_when_an_app_was_used_last_is_known_to_the_minute(clocked_sign_in: Clocked) -> None:
    sign_in = clocked_sign_in.sign_in
    token = sign_in.tokens()["access_token"]
    seen = [sign_in.connections()[0].last_used_at]
    for second in (0, 30, 59, 61, 100, 200):
        clocked_sign_in.set_clock(NOON + timedelta(seconds=second))
        assert sign_in.reaches(token)
        seen.append(sign_in.connections()[0].last_used_at)

    ages = [None if at is None else int((at - NOON).total_seconds()) for at in seen]
    assert ages == [None, 0, 0, 0, 61, 61, 200]
