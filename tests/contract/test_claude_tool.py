"""The published client's tool for Claude's memory, kept in files of the server: contract 4.1 and statement 175."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(params=["blocking", "asyncio"])
async def tool(request: pytest.FixtureRequest, sdk: Any, asdk: Any) -> Callable[..., Any]:
    """The tool of either client, called as a runner calls it: `await tool("view", path="/memories")`."""
    from geniffy.claude import AsyncGeniffyMemoryTool, GeniffyMemoryTool

    made: Any = GeniffyMemoryTool(sdk) if request.param == "blocking" else AsyncGeniffyMemoryTool(asdk)

    async def call(command: str, **more: Any) -> str:
        out = made.call({"command": command, **more})
        return str(await out if inspect.isawaitable(out) else out)

    return call


@pytest.fixture
def refused(tool: Callable[..., Any]) -> Callable[..., Any]:
    """The sentence that a refused command is told."""
    from anthropic.lib.tools import ToolError

    async def call(command: str, **more: Any) -> str:
        with pytest.raises(ToolError) as error:
            await tool(command, **more)
        return str(error.value)

    return call


@pytest.mark.statement(175)
async def test_a_file_is_created_shown_and_overwritten(tool: Callable[..., Any], sdk: Any) -> None:
    path = "/memories/notes.md"
    created = await tool("create", path=path, file_text="one\ntwo\n\nthree")

    assert created == f"File created successfully at: {path}"
    assert await tool("view", path=path) == (
        f"Here's the content of {path} with line numbers:\n     1\tone\n     2\ttwo\n     3\t\n     4\tthree"
    )
    shown = await tool("view", path=path, view_range=[2, -1])
    assert shown.splitlines()[1:] == ["     2\ttwo", "     3\t", "     4\tthree"]
    await tool("create", path=path, file_text="")
    assert await tool("view", path=path) == f"Here's the content of {path} with line numbers:"
    assert sdk.sources.list().sources[0].labels == {"channel": "claude-memory"}


@pytest.mark.statement(175)
async def test_a_directory_is_shown_two_levels_deep_by_name(tool: Callable[..., Any]) -> None:
    empty = await tool("view", path="/memories")
    for path in (
        "/memories/b.md",
        "/memories/a/one.md",
        "/memories/a/deep/er/x.md",
        "/memories/.hidden",
        "/memories/a.md",
    ):
        await tool("create", path=path, file_text="12345678")

    heading = (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:"
    )
    assert empty == f"{heading}\n0B\t/memories"
    assert (await tool("view", path="/memories/")).splitlines() == [
        heading,
        "40B\t/memories",
        "16B\t/memories/a/",
        "8B\t/memories/a/deep/",
        "8B\t/memories/a/one.md",
        "8B\t/memories/a.md",
        "8B\t/memories/b.md",
    ]


@pytest.mark.statement(175)
async def test_a_text_is_replaced_where_it_stands_once(tool: Callable[..., Any], refused: Callable[..., Any]) -> None:
    path = "/memories/notes.md"
    await tool("create", path=path, file_text="one\ntwo\none more\n")

    edited = await tool("str_replace", path=path, old_str="two", new_str="2")
    assert edited.splitlines()[1:] == ["     1\tone", "     2\t2", "     3\tone more"]
    twice = await refused("str_replace", path=path, old_str="one", new_str="1")
    assert "Multiple occurrences of old_str `one` in lines: 1, 3." in twice
    none = await refused("str_replace", path=path, old_str="four", new_str="4")
    assert none == f"No replacement was performed, old_str `four` did not appear verbatim in {path}."
    assert (await tool("view", path=path)).splitlines()[1:] == ["     1\tone", "     2\t2", "     3\tone more"]


@pytest.mark.statement(175)
async def test_lines_are_inserted_after_the_line_named(tool: Callable[..., Any], refused: Callable[..., Any]) -> None:
    path = "/memories/notes.md"
    await tool("create", path=path, file_text="one\ntwo\n")

    assert (
        await tool("insert", path=path, insert_line=1, insert_text="between\n") == f"The file {path} has been edited."
    )
    await tool("insert", path=path, insert_line=0, insert_text="first")
    lines = (await tool("view", path=path)).splitlines()[1:]
    assert [line.partition("\t")[2] for line in lines] == ["first", "one", "between", "two"]
    assert "[0, 4]" in await refused("insert", path=path, insert_line=9, insert_text="x")


@pytest.mark.statement(175)
async def test_a_file_and_a_directory_are_deleted(tool: Callable[..., Any], refused: Callable[..., Any]) -> None:
    for path in ("/memories/a/1.md", "/memories/a/2.md", "/memories/a-b.md", "/memories/c.md"):
        await tool("create", path=path, file_text="x")

    assert await tool("delete", path="/memories/c.md") == "Successfully deleted /memories/c.md"
    assert await tool("delete", path="/memories/a") == "Successfully deleted /memories/a"
    assert (await tool("view", path="/memories")).splitlines()[1:] == ["1B\t/memories", "1B\t/memories/a-b.md"]
    assert await refused("delete", path="/memories/a") == "Error: The path /memories/a does not exist"
    assert await refused("delete", path="/memories") == "Error: Cannot delete the /memories directory itself"


@pytest.mark.statement(175)
async def test_a_file_and_a_directory_are_renamed(tool: Callable[..., Any], refused: Callable[..., Any]) -> None:
    for path in ("/memories/a/1.md", "/memories/a/2.md", "/memories/c.md"):
        await tool("create", path=path, file_text=path)

    assert (await tool("rename", old_path="/memories/a", new_path="/memories/b")) == (
        "Successfully renamed /memories/a to /memories/b"
    )
    assert "/memories/a/2.md" in await tool("view", path="/memories/b/2.md")
    taken = await refused("rename", old_path="/memories/c.md", new_path="/memories/b/1.md")
    assert taken == "Error: The destination /memories/b/1.md already exists"
    missing = await refused("rename", old_path="/memories/a", new_path="/memories/z")
    assert missing == "Error: The path /memories/a does not exist"


@pytest.mark.statement(175)
async def test_a_missing_path_and_one_outside_are_told_so(refused: Callable[..., Any]) -> None:
    missing = await refused("view", path="/memories/none.md")
    assert missing == "The path /memories/none.md does not exist. Please provide a valid path."
    assert "outside /memories" in await refused("view", path="/etc/passwd")
    assert "not allowed" in await refused("view", path="/memories/%2e%2e/x")


@pytest.mark.statement(175)
async def test_what_the_server_refuses_reaches_claude_as_one_plain_sentence(
    tool: Callable[..., Any], refused: Callable[..., Any]
) -> None:
    nul = await refused("create", path="/memories/a.md", file_text="a\x00b")
    long = await refused("create", path="/memories/" + "x" * 300, file_text="a")
    for sentence in (nul, long):
        assert sentence.startswith("Error: ")
        assert sentence.endswith(".")
        assert "\n" not in sentence
    assert (await tool("view", path="/memories")).endswith("0B\t/memories")


@pytest.mark.statement(175)
async def test_what_claude_wrote_is_recalled(tool: Callable[..., Any], sdk: Any, learned: Callable[..., Any]) -> None:
    await tool("create", path="/memories/lumen.md", file_text="# Lumen\n- Priya Nair signs the renewal.\n")
    learned(sdk, sdk.sources.get(external_id="file:/memories/lumen.md"))

    assert "Priya Nair signs the renewal." in sdk.context("Who signs the renewal?")
    await tool("delete", path="/memories/lumen.md")
    assert "Priya" not in sdk.context("Who signs the renewal?")


@pytest.mark.statement(175)
def test_everything_is_cleared_at_once(sdk: Any) -> None:
    from geniffy.claude import GeniffyMemoryTool

    for number in range(5):
        sdk.files.put(f"/memories/{number}.md", "")
    sdk.files.put("/other.md", "")

    assert GeniffyMemoryTool(sdk).clear_all_memory() == "All memory cleared"
    assert [one.path for one in sdk.files.list("/").files] == ["/other.md"]
