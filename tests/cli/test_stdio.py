"""The MCP tools over standard input and output, on the store of a running server."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from tests.cli.conftest import STOPS_WITHIN_S, Run, Serve


def _stdio(data: Path, *arguments: str) -> Client:
    command = ["-m", "geniffy_server", "stdio", "--data", str(data), *arguments]
    return Client(StdioTransport(sys.executable, command, keep_alive=False))


async def test_an_app_starts_it_on_a_directory_that_is_not_there_yet(data: Path) -> None:
    async with _stdio(data) as app:
        tools = {tool.name for tool in await app.list_tools()}

    assert {"search", "fetch", "ask", "profile", "list_memories", "remember", "correct", "forget"} == tools
    assert (data / "main.db").is_file()


async def test_it_works_on_the_same_store_as_a_running_server(serve: Serve, run: Run, data: Path) -> None:
    served = serve()
    key = (await asyncio.to_thread(run, "key", "create", "--data", data)).last_line
    headers = {"Authorization": f"Bearer {key}", "X-Geniffy-Space": "kim"}

    async with _stdio(data, "--space", "kim") as app:
        saved = await app.call_tool("remember", {"text": "Kim Park moved to Berlin."})
    source_id = saved.structured_content["source"]["id"].removeprefix("source:")
    async with httpx.AsyncClient(base_url=served.base_url, headers=headers, timeout=60.0) as client:
        source = (await client.get(f"/v1/sources/{source_id}?wait=30")).json()["source"]
        hits = (await client.post("/v1/search", json={"q": "Kim"})).json()

    assert source["status"] == "learned"
    assert "Berlin" in str(hits)


def test_it_ends_at_once_when_interrupted_though_its_input_is_open(data: Path) -> None:
    command = [sys.executable, "-m", "geniffy_server", "stdio", "--data", str(data)]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())

        process.send_signal(signal.SIGINT)

        assert process.wait(STOPS_WITHIN_S) == -signal.SIGINT
        assert answer["result"]["serverInfo"]
