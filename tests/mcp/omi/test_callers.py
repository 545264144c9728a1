"""Who calls the Omi tools: keys with their spaces, and apps that a person connected, for reading or for writing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette

from geniffy_server.caller import Caller
from geniffy_server.domain.space import AccountId
from geniffy_server.mcp.server import omi_door
from geniffy_server.settings import Settings
from tests.mcp.conftest import Tools

Connected = Callable[..., AbstractAsyncContextManager[Tools]]
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
READING = ["get_conversation_by_id", "get_conversations", "get_memories", "search_conversations", "search_memories"]


@pytest.fixture
def connected(server: Any, account: Any) -> Connected:
    """Connects an app whose token means a caller with these rights: `async with connected(era, can_write=False)`."""

    @asynccontextmanager
    async def as_app(mode: str, **rights: Any) -> AsyncIterator[Tools]:
        async def caller_of(_: Any, bearer: str | None, space: str | None, app: str | None) -> Caller:
            assert bearer == "a-token"
            return Caller(AccountId(account.id), app="Claude", **rights)

        door = omi_door(Settings(data=server.data), caller_of)
        async with (
            door.running(server.ports),
            httpx2.AsyncClient(
                transport=httpx2.ASGITransport(Starlette(routes=list(door.routes))),
                headers={"Authorization": "Bearer a-token"},
            ) as http,
            Client(streamable_http_client("http://127.0.0.1/mcp/omi", http_client=http), mode=mode) as client,
        ):
            yield Tools(client)

    return as_app


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_connection_for_reading_is_never_shown_the_tools_that_change(connected: Connected, mode: str) -> None:
    async with connected(mode, can_write=False) as omi:
        assert sorted(await omi.list()) == READING
        for name, arguments in (
            ("create_memory", {"content": "x"}),
            ("edit_memory", {"memory_id": "1", "content": "x"}),
            ("delete_memory", {"memory_id": "1"}),
        ):
            assert (await omi.error(name, **arguments))[:2] == (-32601, "unknown_tool")
        assert (await omi.call("get_memories"))["memories"] == []


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_connection_is_neither_shown_nor_given_a_space(connected: Connected, mode: str) -> None:
    async with connected(mode) as omi:
        assert not any("space" in tool.input_schema["properties"] for tool in (await omi.list()).values())
        assert (await omi.error("get_memories", space="ana"))[0] == -32602


async def test_a_key_names_a_space_and_sees_no_other(omi: Any) -> None:
    assert all("space" in tool.input_schema["properties"] for tool in (await omi.list()).values())
    await omi.call("create_memory", content="I play the cello.", space="ana")

    assert [one["content"] for one in (await omi.call("get_memories", space="ana"))["memories"]] == [
        "I play the cello."
    ]
    assert (await omi.call("get_memories"))["memories"] == []
    assert (await omi.call("get_memories", space="ben"))["memories"] == []
    for blank in ("", " ", None):
        assert (await omi.error("get_memories", space=blank))[:2] == (-32602, "bad_space")


async def test_a_key_of_one_space_reaches_no_other(
    omi: Any, connect: Any, client: Any, server: Any, account: Any
) -> None:
    from geniffy_server.services.keys import make_key

    await omi.call("create_memory", content="I play the cello.", space="ana")
    limited = server.run(make_key(server.ports, account.id, space="ana")).secret

    async with connect(limited, path="/mcp/omi") as theirs:
        assert len((await theirs.call("get_memories"))["memories"]) == 1
        assert (await theirs.error("get_memories", space="ben"))[:2] == (-32602, "wrong_space")


async def test_a_key_with_a_header_works_in_that_space(connect: Any, api_key: str) -> None:
    async with connect(api_key, headers={"X-Geniffy-Space": "ana"}, path="/mcp/omi") as omi:
        await omi.call("create_memory", content="I play the cello.")
        assert (await omi.error("get_memories", space="ben"))[:2] == (-32602, "bad_space")
    async with connect(api_key, path="/mcp/omi") as omi:
        assert (await omi.call("get_memories"))["memories"] == []
        assert len((await omi.call("get_memories", space="ana"))["memories"]) == 1


async def test_who_comes_without_a_token_is_told_where_this_door_s_metadata_is(base_url: str) -> None:
    async with httpx.AsyncClient(base_url=base_url) as http:
        refused = await http.post("/mcp/omi", json=HELLO)
        named = refused.headers["WWW-Authenticate"].partition('resource_metadata="')[2].rstrip('"')
        metadata = (await http.get(named)).json()

    assert refused.status_code == 401
    assert named == f"{base_url}/.well-known/oauth-protected-resource/mcp/omi"
    assert metadata["resource"] == f"{base_url}/mcp/omi"
    assert metadata["authorization_servers"] == [base_url]
    assert metadata["scopes_supported"] == ["memory:read", "memory:write"]


async def test_the_door_takes_post_alone_and_refuses_pages_of_other_places(raw: httpx.AsyncClient) -> None:
    assert (await raw.get("/mcp/omi")).status_code == 405
    assert (await raw.post("/mcp/omi", json=HELLO, headers={"Origin": "https://evil.example"})).status_code == 403
    assert (await raw.post("/mcp/omi", json=HELLO, headers={"Host": "evil.example"})).status_code == 403
