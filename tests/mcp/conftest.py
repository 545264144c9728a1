"""Real MCP clients, every one behind the same face: `list_tools()` and `call_tool(name, arguments)`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx
import pytest
from fastmcp import Client as FastClient
from fastmcp.client.transports import StreamableHttpTransport
from mcp import Client as SdkClient
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Tool

from tests.conftest import Account, Server

MODES = ["sdk-legacy", "sdk-auto", "sdk-2026-07-28", "fastmcp-legacy", "fastmcp-auto"]
RESULT_TIMEOUT_S = 60.0


class Tools:
    """What a client sees of a server."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._is_fast = isinstance(client, FastClient)

    async def list(self) -> dict[str, Tool]:
        """The tools by name."""
        listed = await self.client.list_tools()
        return {tool.name: tool for tool in (listed if self._is_fast else listed.tools)}

    async def result(self, name: str, **arguments: Any) -> CallToolResult:
        """A tool's whole result, also of one that failed."""
        call = self.client.call_tool_mcp if self._is_fast else self.client.call_tool
        result: CallToolResult = await call(name, arguments)
        return result

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers; the test fails when it says that something went wrong."""
        result = await self.result(name, **arguments)
        assert not result.is_error, said(result)
        assert result.structured_content is not None
        assert json.loads(said(result)) == result.structured_content
        return result.structured_content

    async def refusal(self, name: str, **arguments: Any) -> str:
        """The sentence with which a tool says what is wrong; the test fails when it does what was asked."""
        result = await self.result(name, **arguments)
        assert result.is_error, result.structured_content
        assert result.structured_content is None
        return said(result)

    async def error(self, name: str, **arguments: Any) -> tuple[int, str, str]:
        """The number, the word in `data` and the sentence of the JSON-RPC error that a call is answered with."""
        with pytest.raises(MCPError) as refused:
            await self.result(name, **arguments)
        told = refused.value.error
        return told.code, told.data["code"], told.message


def said(result: CallToolResult) -> str:
    """The text of a result's one block."""
    (block,) = result.content
    assert block.type == "text"
    return block.text


Connect = Callable[..., AbstractAsyncContextManager[Tools]]


@pytest.fixture
def connect(base_url: str) -> Connect:
    """Connects a client: `async with connect(key, mode="sdk-legacy", headers={...}, path="/mcp") as tools`."""

    @asynccontextmanager
    async def connected(
        key: str, mode: str = "sdk-auto", headers: dict[str, str] | None = None, path: str = "/mcp"
    ) -> AsyncIterator[Tools]:
        kind, _, era = mode.partition("-")
        sent = {"Authorization": f"Bearer {key}", **(headers or {})}
        url = f"{base_url}{path}"
        if kind == "fastmcp":
            async with FastClient(
                StreamableHttpTransport(url, headers=sent), mode=era, timeout=RESULT_TIMEOUT_S
            ) as fast:
                yield Tools(fast)
        else:
            async with (
                create_mcp_http_client(headers=sent) as http,
                SdkClient(
                    streamable_http_client(url, http_client=http), mode=era, read_timeout_seconds=RESULT_TIMEOUT_S
                ) as sdk,
            ):
                yield Tools(sdk)

    return connected


@asynccontextmanager
async def in_one_task(context: AbstractAsyncContextManager[Tools]) -> AsyncIterator[Tools]:
    """Enters and leaves a client in the same task: a fixture is set up in one task and torn down in another."""
    opened: asyncio.Future[Tools] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def hold() -> None:
        async with context as one:
            opened.set_result(one)
            await done.wait()

    holding = asyncio.create_task(hold())
    await asyncio.wait((opened, holding), return_when=asyncio.FIRST_COMPLETED)
    try:
        if opened.done():
            yield opened.result()
    finally:
        done.set()
        await holding


@pytest.fixture
async def tools(connect: Connect, api_key: str) -> AsyncIterator[Tools]:
    """One client with a key of the whole account."""
    async with in_one_task(connect(api_key)) as one:
        yield one


@pytest.fixture(params=MODES)
async def any_tools(connect: Connect, api_key: str, request: pytest.FixtureRequest) -> AsyncIterator[Tools]:
    """Every client and protocol era in turn, with a key of the whole account."""
    async with in_one_task(connect(api_key, request.param)) as one:
        yield one


@pytest.fixture
async def raw(base_url: str, api_key: str) -> AsyncIterator[httpx.AsyncClient]:
    """Plain HTTP with what every client sends, for what a client can't or won't send."""
    headers = {
        "Authorization": f"Bearer {api_key}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    async with httpx.AsyncClient(base_url=base_url, headers=headers, timeout=RESULT_TIMEOUT_S) as client:
        yield client


Learn = Callable[..., Awaitable[str]]


@pytest.fixture
def learn(server: Server, account: Account) -> Learn:
    """Remembers and waits until it was learned: `source = await learn(tools, "...", title=..., space=...)`."""
    from geniffy_server.caller import Caller
    from geniffy_server.domain.source import SourceId
    from geniffy_server.domain.space import AccountId
    from geniffy_server.services.sources import get_source

    async def told(tools: Tools, text: str, *, in_space: str | None = None, **options: Any) -> str:
        added = (await tools.call("remember", text=text, **options))["source"]
        caller = Caller(AccountId(account.id), in_space or options.get("space", ""))
        source_id = SourceId(added["id"].removeprefix("source:"))
        source = await asyncio.to_thread(
            server.run, get_source(server.ports, caller, source_id, wait_s=RESULT_TIMEOUT_S)
        )
        assert source.status == "learned", (source.status, source.error)
        return str(added["id"])

    return told
