"""The tools over stdin and stdout of a process of its own, as an app on this machine starts it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

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


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "Lemon", "version": "1"}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "Lemon", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
NO_MESSAGES = {
    b"nope": -32700,
    b"\xff": -32700,
    b"[" * 5000: -32700,
    b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}': -32700,
    b"[]": -32600,
    b'{"jsonrpc":"2.0","id":true,"method":"ping"}': -32600,
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}': -32600,
    b'{"jsonrpc":"2.0","id":"a\\ud83d","method":"ping"}': -32600,
}
TO_NOBODY = [
    b"",
    b" ",
    b'{"jsonrpc":"2.0","method":"notifications/nope","params":[]}',
    b'{"jsonrpc":"2.0","id":9,"result":5}',
]


@pytest.mark.parametrize("chosen", ["memory", "omi"])
@pytest.mark.parametrize("era", ["2025-06-18", "2026-07-28"])
async def test_each_line_that_waits_for_an_answer_gets_one_and_nothing_else_is_written(
    tmp_path: Path, chosen: str, era: str
) -> None:
    is_modern = era == "2026-07-28"
    meta = {"_meta": META} if is_modern else {}
    name, argument = ("remember", "text") if chosen == "memory" else ("create_memory", "content")

    def asked(number: int, method: str, **params: object) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params | meta}).encode()

    opening = asked(1, "server/discover") if is_modern else asked(1, "initialize", **HELLO)
    calls = [
        asked(2, "tools/call", name=name, arguments={argument: KIM}),
        asked(3, "tools/call", name=name, arguments={argument: "a\ud83d"}),
        asked(4, "tools/call", name=5),
        asked(5, "nope"),
    ]
    lines, code = await answers(tmp_path / "data", chosen, [opening, *NO_MESSAGES, *TO_NOBODY, *calls])

    nameless = [one["error"]["code"] for one in lines if one["id"] is None]
    assert nameless == list(NO_MESSAGES.values())
    told = {one["id"]: one.get("error", {}).get("code") for one in lines if one["id"] is not None}
    # A tool itself says that it can't keep half a pair, where the revision hands it over.
    half = None if is_modern and chosen == "memory" else -32602
    assert told == {1: None, 2: None, 3: half, 4: -32602, 5: -32601}
    assert "surrogate pair" in json.dumps([one for one in lines if one["id"] == 3])
    assert code == 0


async def answers(data: Path, chosen: str, lines: list[bytes]) -> tuple[list[Any], int | None]:
    """What a process of its own writes to lines, in any order, and how it ends.

    Its input ends right behind the last line, as when a file is its input.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "geniffy_server", "stdio", "--data", str(data), "--tools", chosen,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    async with asyncio.timeout(RESULT_TIMEOUT_S):
        written, _ = await process.communicate(b"\n".join(lines) + b"\n")
    return [json.loads(line) for line in written.splitlines()], process.returncode


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
