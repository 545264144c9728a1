"""What an app sees that a person connected, which has no API key: never a space, and only reading if so allowed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette

from geniffy_server.caller import Caller
from geniffy_server.domain.space import AccountId
from geniffy_server.mcp.server import mcp_door
from geniffy_server.settings import Settings
from tests.mcp.conftest import Tools

Connected = Callable[..., AbstractAsyncContextManager[Tools]]


@pytest.fixture
def connected(server: Any, account: Any) -> Connected:
    """Connects an app whose token means a caller of the test's making: `async with connected(era, can_write=False)`.

    `ports` is what it works on when it is not the server's.
    """

    @asynccontextmanager
    async def as_app(mode: str, ports: Any = None, **rights: Any) -> AsyncIterator[Tools]:
        async def caller_of(_: Any, bearer: str | None, space: str | None, app: str | None) -> Caller:
            assert bearer == "a-token"
            return Caller(AccountId(account.id), app="Claude", **rights)

        door = mcp_door(Settings(data=server.data), caller_of)
        async with (
            door.running(ports or server.ports),
            httpx2.AsyncClient(
                transport=httpx2.ASGITransport(Starlette(routes=list(door.routes))),
                headers={"Authorization": "Bearer a-token"},
            ) as http,
            Client(streamable_http_client("http://127.0.0.1/mcp", http_client=http), mode=mode) as client,
        ):
            yield Tools(client)

    return as_app


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    """Either protocol era."""
    era: str = request.param
    return era


@pytest.mark.statement(241)
async def test_a_connection_for_reading_is_never_shown_the_tools_that_change(connected: Connected, mode: str) -> None:
    async with connected(mode, can_write=False) as tools:
        assert sorted(await tools.list()) == ["ask", "fetch", "list_memories", "profile", "search"]
        for name, arguments in (
            ("remember", {"text": "x"}),
            ("correct", {"id": "memory:1", "text": "x"}),
            ("forget", {"id": "memory:1"}),
        ):
            with pytest.raises(MCPError) as refused:
                await tools.result(name, **arguments)
            assert (refused.value.error.code, refused.value.error.message) == (-32602, f"Unknown tool: {name!r}")
        assert (await tools.call("list_memories"))["total"] == 0


@pytest.mark.statement(251)
async def test_a_connection_is_neither_shown_nor_given_a_space(connected: Connected, mode: str) -> None:
    async with connected(mode) as tools:
        listed = await tools.list()
        assert len(listed) == 8
        assert not any("space" in tool.input_schema["properties"] for tool in listed.values())
        assert "'space' is not something this tool takes" in await tools.refusal("list_memories", space="ana")


@pytest.mark.statement(252)
async def test_a_connection_sees_the_owner_s_memory(connected: Connected, mode: str, client: Any) -> None:
    for where in (client, client.space("ana")):
        source = where.memories.add(f"The code word is {'bluebird' if where is client else 'greenfinch'}.")
        assert where.sources.wait(source.id).status == "learned"

    async with connected(mode) as tools:
        page = await tools.call("list_memories")

    assert [one["text"] for one in page["memories"]] == ["The code word is bluebird."]


async def test_what_a_connection_remembers_was_added_by_its_app(connected: Connected) -> None:
    async with connected("legacy") as tools:
        added = (await tools.call("remember", text="ok"))["source"]
        opened = await tools.call("fetch", id=added["id"])

    assert opened["metadata"]["added_by"] == "Claude"


async def test_a_fault_of_ours_is_an_error_result_that_tells_nothing_of_the_inside(
    connected: Connected, mode: str, server: Any, client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def prepare(self, question: str) -> None: ...

        def search(self, *args: Any, **options: Any) -> Any:
            raise RuntimeError("disk /dev/sda1 on fire")

    client.memories.add("ok")
    async with connected(mode, ports=replace(server.ports, recall=Broken())) as tools:
        sentence = await tools.refusal("search", query="x")
        assert (await tools.call("list_memories"))["total"] == 0

    assert "disk" not in sentence
    assert sentence.startswith("Something went wrong")
    assert "disk /dev/sda1 on fire" in caplog.text
