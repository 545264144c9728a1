"""Anthropic's own runners drive the tool, blocking and awaited, with a model that follows a script."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
from anthropic.tools import BetaAsyncLocalFilesystemMemoryTool, BetaLocalFilesystemMemoryTool

from geniffy_agents import AsyncGeniffy, Geniffy
from geniffy_claude import AsyncGeniffyMemoryTool, GeniffyMemoryTool
from geniffy_claude.tool import AWAY
from tests.claude.conftest import tool_on
from tests.claude.scripted import MODEL, Block, Scripted, says, uses
from tests.sdk.capture import outcome

ASKED: Any = [{"role": "user", "content": "Remember that I prefer email, and that Priya signs."}]
NOTES = "/memories/notes.md"
DAY_ONE = [
    uses({"command": "view", "path": "/memories"}),
    uses({"command": "create", "path": NOTES, "file_text": "- prefers email\n"}),
    uses(
        {"command": "insert", "path": NOTES, "insert_line": 1, "insert_text": "- Priya signs the renewal"},
        {"command": "str_replace", "path": NOTES, "old_str": "prefers email", "new_str": "prefers email to phone"},
        {"command": "create", "path": NOTES, "file_text": "again"},
    ),
    uses({"command": "view", "path": "/memories/../etc/passwd"}, {"command": "view", "path": "/memories/none.md"}),
    uses({"command": "rename", "old_path": NOTES, "new_path": "/memories/lumen/people.md"}),
    says("I'll remember."),
]
DAY_TWO = [
    uses({"command": "view", "path": "/memories/lumen/people.md", "view_range": [1, 2]}),
    uses({"command": "delete", "path": "/memories/lumen"}),
    says("They prefer email."),
]


async def run(scripted: Scripted, tool: Any) -> str:
    """The last words of a run, by the runner that goes with the tool."""
    given: Any = {"model": MODEL, "max_tokens": 1024, "messages": ASKED, "tools": [tool]}
    if isinstance(tool, GeniffyMemoryTool | BetaLocalFilesystemMemoryTool):
        message = scripted.client().beta.messages.tool_runner(**given).until_done()
    else:
        message = await scripted.async_client().beta.messages.tool_runner(**given).until_done()
    return message.content[0].text if message.content[0].type == "text" else ""


async def test_a_model_keeps_notes_and_reads_them_another_day(client: Any, space: str) -> None:
    first, second = Scripted(DAY_ONE), Scripted(DAY_TWO)

    assert await run(first, tool_on(client, space)) == "I'll remember."
    mem = client.space(space)
    file = await outcome(mem.files.get("/memories/lumen/people.md"))
    await outcome(mem.sources.wait((await outcome(mem.sources.list())).sources[0].id))
    recalled = await outcome(mem.context("Who signs the renewal?"))
    assert await run(second, tool_on(client, space)) == "They prefer email."

    assert file.text == "- prefers email to phone\n- Priya signs the renewal\n"
    assert "Priya signs the renewal" in recalled
    assert first.sent[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert [is_error for _, is_error in first.results] == [False, False, False, False, True, True, True, False]
    assert second.results == [
        (
            "Here's the content of /memories/lumen/people.md with line numbers:\n"
            "     1\t- prefers email to phone\n     2\t- Priya signs the renewal",
            False,
        ),
        ("Successfully deleted /memories/lumen", False),
    ]
    assert (await outcome(mem.files.list())).total == 0


async def test_the_model_is_told_what_anthropics_own_tool_would_tell_it(
    client: Any, space: str, tmp_path: Path
) -> None:
    made = BetaLocalFilesystemMemoryTool if isinstance(client, Geniffy) else BetaAsyncLocalFilesystemMemoryTool
    script: list[list[Block]] = DAY_ONE[1:-1] + DAY_TWO
    ours, theirs = Scripted(script), Scripted(script)

    await run(ours, tool_on(client, space))
    await run(theirs, made(str(tmp_path)))

    assert ours.results == theirs.results
    assert ours.sent == theirs.sent


async def test_a_run_goes_on_while_the_memory_is_away() -> None:
    for tool in (
        GeniffyMemoryTool(_unreached(Geniffy), space="ana"),
        AsyncGeniffyMemoryTool(_unreached(AsyncGeniffy), space="ana"),
    ):
        scripted = Scripted([DAY_ONE[0], DAY_ONE[1], says("I can't look that up now.")])

        assert await run(scripted, tool) == "I can't look that up now."
        assert scripted.results == [(AWAY, True), (AWAY, True)]


async def test_several_agents_work_in_one_space_at_once(client: Any, space: str) -> None:
    async def agent(number: int) -> Scripted:
        mine = f"/memories/agent-{number}.md"
        scripted = Scripted(
            [
                uses({"command": "create", "path": mine, "file_text": f"agent {number}\n"}),
                uses({"command": "insert", "path": "/memories/log.md", "insert_line": 0, "insert_text": f"{number}"}),
                uses({"command": "view", "path": mine}),
                says("Done."),
            ]
        )
        tool = tool_on(client, space)
        await (
            asyncio.to_thread(asyncio.run, run(scripted, tool)) if isinstance(client, Geniffy) else run(scripted, tool)
        )
        return scripted

    await outcome(client.space(space).files.put("/memories/log.md", "begin\n"))
    runs = await asyncio.gather(*(agent(number) for number in range(5)))

    assert not [told for each in runs for told in each.results if told[1]]
    log = (await outcome(client.space(space).files.get("/memories/log.md"))).text
    assert sorted(log.splitlines()) == ["0", "1", "2", "3", "4", "begin"]
    assert (await outcome(client.space(space).files.list("/memories/"))).total == 6


def _unreached(made: Any) -> Any:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    http = httpx.Client if made is Geniffy else httpx.AsyncClient
    return made("gnf_test", max_retries=0, http_client=http(transport=httpx.MockTransport(refuse)))
