"""The tools over stdin and stdout of a process of its own, as an app on this machine starts it."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from tests.mcp.conftest import RESULT_TIMEOUT_S, Tools

KIM = "Kim Park works at Acme as CFO."


@asynccontextmanager
async def started(data: Path, *options: str, mode: str = "auto") -> AsyncIterator[Tools]:
    """A client of a process that serves the store in `data`."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "geniffy_server", "stdio", "--data", str(data), *options]
    )
    async with Client(command, mode=mode, read_timeout_seconds=RESULT_TIMEOUT_S) as client:
        yield Tools(client)


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_the_tools_answer_over_stdio_in_every_era(tmp_path: Path, mode: str) -> None:
    async with started(tmp_path / "data", mode=mode) as tools:
        listed = await tools.list()
        added = (await tools.call("remember", text=KIM))["source"]
        opened = await tools.call("fetch", id=added["id"])
        unknown = await tools.refusal("fetch", id="memory:999")

    assert len(listed) == 8
    assert not any("space" in tool.input_schema["properties"] for tool in listed.values())
    assert opened["metadata"]["added_by"] == "mcp"
    assert unknown.startswith("There is no memory 999")


async def test_a_space_is_chosen_when_the_process_starts_and_never_by_a_tool(tmp_path: Path) -> None:
    async with started(tmp_path / "data", "--space", "ana") as tools:
        added = (await tools.call("remember", text=KIM))["source"]
        assert (await tools.call("fetch", id=added["id"]))["title"] == KIM
        assert "'space'" in await tools.refusal("search", query="Kim", space="ben")
    async with started(tmp_path / "data") as tools:
        assert (await tools.refusal("fetch", id=added["id"])).startswith("There is no source")


async def test_nothing_but_protocol_messages_is_written_to_stdout(tmp_path: Path) -> None:
    import asyncio

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "geniffy_server", "stdio", "--data", str(tmp_path / "data"),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "Lemon", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "remember", "arguments": {"text": KIM}}},
        {"jsonrpc": "2.0", "id": 3, "method": "nope"},
    ]
    assert process.stdin is not None
    assert process.stdout is not None
    lines: list[str] = []
    async with asyncio.timeout(RESULT_TIMEOUT_S):
        for message in messages:
            process.stdin.write((json.dumps(message) + "\n").encode())
            await process.stdin.drain()
            if "id" in message:
                lines.append((await process.stdout.readline()).decode())
        process.stdin.close()
        lines += (await process.stdout.read()).decode().splitlines()
        code = await process.wait()

    assert code == 0
    assert [json.loads(line)["id"] for line in lines] == [1, 2, 3]


async def test_the_omi_tools_answer_over_stdio_when_they_are_asked_for(tmp_path: Path) -> None:
    async with started(tmp_path / "data", "--tools", "omi") as omi:
        listed = await omi.list()
        made = (await omi.call("create_memory", content=KIM))["memory"]
        error = await omi.error("delete_memory", memory_id="999")
        held = (await omi.call("get_memories"))["memories"]

    assert len(listed) == 8
    assert not any("space" in tool.input_schema["properties"] for tool in listed.values())
    assert held == [made]
    assert error[:2] == (-32001, "not_found")
