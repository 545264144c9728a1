"""Whose memory the tool works on, what it makes of odd arguments, and what happens when the memory is away."""

from __future__ import annotations

import logging
import subprocess
import sys
from contextvars import ContextVar
from typing import Any

import httpx
import pytest
from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool

import geniffy_claude
from geniffy_agents import AsyncGeniffy, Geniffy, GeniffyError
from geniffy_claude import AsyncGeniffyMemoryTool, GeniffyMemoryTool
from geniffy_claude.tool import AWAY, NOBODY
from tests.claude.conftest import refusal, said, tool_on
from tests.claude.shelf import Answered, Shelf, refused

BOTH = [(GeniffyMemoryTool, Geniffy), (AsyncGeniffyMemoryTool, AsyncGeniffy)]
NOTES = "/memories/notes.md"


@pytest.mark.parametrize(("tool", "made"), BOTH)
class TestWhoseMemory:
    def test_it_has_to_be_said(self, tool: Any, made: Any) -> None:
        with pytest.raises(TypeError, match="space"):
            tool(made("gnf_test"))

    @pytest.mark.parametrize("space", ["", "  "])
    def test_a_blank_one_is_refused(self, tool: Any, made: Any, space: str) -> None:
        with pytest.raises(ValueError, match="blank"):
            tool(made("gnf_test"), space=space)

    @pytest.mark.parametrize("space", [True, 1.5, b"ana"])
    def test_what_is_no_name_is_refused(self, tool: Any, made: Any, space: Any) -> None:
        with pytest.raises(TypeError, match="space="):
            tool(made("gnf_test"), space=space)

    def test_the_owners_own_is_not_that_of_a_client_of_one_user(self, tool: Any, made: Any) -> None:
        with pytest.raises(ValueError, match="pass space='ana'"):
            tool(made("gnf_test", space="ana"), space=None)

    def test_a_client_of_another_kind_is_refused(self, tool: Any, made: Any) -> None:
        import geniffy

        (other,) = {Geniffy, AsyncGeniffy} - {made}
        for wrong in (other("gnf_test"), geniffy.Geniffy("gnf_test"), "http://127.0.0.1:8787"):
            with pytest.raises(TypeError, match=rf"takes a geniffy_agents\.{made.__name__}"):
                tool(wrong, space="ana")

    def test_without_a_key_it_is_told_when_the_tool_is_made(
        self, tool: Any, made: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("GENIFFY_API_KEY", raising=False)
        with pytest.raises(GeniffyError, match="no API key"):
            tool(space="ana")

    async def test_a_client_is_made_from_the_environment(
        self, tool: Any, made: Any, monkeypatch: pytest.MonkeyPatch, base_url: str, api_key: str, space: str
    ) -> None:
        monkeypatch.setenv("GENIFFY_API_KEY", api_key)
        monkeypatch.setenv("GENIFFY_BASE_URL", base_url)

        assert await said(tool(space=space), "create", path=NOTES, file_text="x")
        with Geniffy(api_key, base_url=base_url, space=space) as mem:
            assert mem.files.get(NOTES).text == "x"


async def test_the_memory_of_one_user_is_not_seen_in_anothers(client: Any, space: str) -> None:
    ana, leo = tool_on(client, f"{space}-ana"), tool_on(client, f"{space}-leo")
    await said(ana, "create", path=NOTES, file_text="Ana's")

    assert (await said(leo, "view", path="/memories")).endswith("\n0B\t/memories")
    assert "does not exist" in await refusal(leo, "view", path=NOTES)
    assert "does not exist" in await refusal(leo, "delete", path=NOTES)
    await said(leo, "create", path=NOTES, file_text="Leo's")
    assert (await said(ana, "view", path=NOTES)).endswith("     1\tAna's")


async def test_a_function_names_the_user_of_each_command(client: Any, space: str) -> None:
    user: ContextVar[str] = ContextVar("user")
    tool = tool_on(client, lambda _: f"{space}-{user.get()}")

    for name in ("ana", "leo"):
        user.set(name)
        await said(tool, "create", path=NOTES, file_text=f"I am {name}.")

    user.set("ana")
    assert (await said(tool, "view", path=NOTES)).endswith("I am ana.")


@pytest.mark.parametrize("missing", [None, "", " "])
async def test_a_user_without_an_id_is_told_as_nobody_and_nothing_is_asked(shelf: Shelf, missing: Any) -> None:
    for client in (shelf.client(), shelf.async_client()):
        told: list[Exception] = []
        tool = tool_on(client, lambda _: missing, on_error=told.append)

        assert await refusal(tool, "create", path=NOTES, file_text="x") == NOBODY
        assert [type(error) for error in told] == [TypeError if missing is None else ValueError]
    assert shelf.sent == []


async def test_the_model_has_no_say_in_whose_memory_it_is(client: Any, space: str) -> None:
    ana, leo = tool_on(client, f"{space}-ana"), tool_on(client, f"{space}-leo")
    more = {"space": f"{space}-leo", "X-Geniffy-Space": f"{space}-leo", "user_id": f"{space}-leo"}

    await said(ana, "create", path=NOTES, file_text="Ana's", **more)

    assert (await said(leo, "view", path="/memories")).endswith("\n0B\t/memories")


ODD = [
    ({"command": "create", "path": NOTES}, "file_text"),
    ({"command": "create", "path": NOTES, "file_text": None}, "file_text"),
    ({"command": "create", "path": NOTES, "file_text": ["x"]}, "file_text"),
    ({"command": "create", "path": NOTES, "file_text": "half \ud83d"}, "surrogate"),
    ({"command": "create", "file_text": "x"}, "A path is text"),
    ({"command": "view"}, "A path is text"),
    ({"command": "view", "path": "/memories/a", "view_range": ["one", "two"]}, "view_range"),
    ({"command": "view", "path": "/memories/a", "view_range": "12"}, "view_range"),
    ({"command": "view", "path": "/memories/a", "view_range": [1, None]}, "view_range"),
    ({"command": "str_replace", "path": "/memories/a", "new_str": "x"}, "old_str"),
    ({"command": "str_replace", "path": "/memories/a", "old_str": "", "new_str": "x"}, "old_str is empty"),
    ({"command": "str_replace", "path": "/memories/a", "old_str": "o", "new_str": 1}, "new_str"),
    ({"command": "str_replace", "path": "/memories/a", "old_str": "o", "new_str": "\ude00"}, "surrogate"),
    ({"command": "insert", "path": "/memories/a", "insert_text": "x"}, "insert_line"),
    ({"command": "insert", "path": "/memories/a", "insert_text": "x", "insert_line": "first"}, "insert_line"),
    ({"command": "insert", "path": "/memories/a", "insert_line": 0}, "insert_text"),
    ({"command": "delete"}, "A path is text"),
    ({"command": "rename", "old_path": "/memories/a"}, "A path is text"),
    ({"command": "rename", "new_path": "/memories/a"}, "A path is text"),
]


@pytest.mark.parametrize(("given", "names"), ODD)
async def test_what_a_model_leaves_out_or_gets_wrong_is_told_in_a_sentence_and_changes_nothing(
    shelved: Any, shelf: Shelf, given: dict[str, Any], names: str
) -> None:
    shelf.texts["/memories/a"] = "one\ntwo"

    told = await refusal(shelved, **given)

    assert names in told
    assert told.endswith(".")
    assert "\n" not in told
    assert shelf.texts == {"/memories/a": "one\ntwo"}


async def test_an_insert_line_written_as_text_is_read_as_a_number(shelved: Any, shelf: Shelf) -> None:
    shelf.texts["/memories/a"] = "one\n"

    await said(shelved, "insert", path="/memories/a", insert_line="1", insert_text="two")

    assert shelf.texts["/memories/a"] == "one\ntwo\n"


async def test_a_file_of_too_many_lines_is_not_shown(shelved: Any, shelf: Shelf) -> None:
    shelf.texts[NOTES] = "\n" * 999_999

    assert await refusal(shelved, "view", path=NOTES) == f"File {NOTES} exceeds maximum line limit of 999,999 lines."
    shelf.texts[NOTES] = "\n" * 999_998
    assert (await said(shelved, "view", path=NOTES, view_range=[999_999, -1])).endswith("\n999999\t")


def down(asked: Any) -> Answered:
    raise httpx.ConnectError("refused")


FAULTS = {
    "down": down,
    "store away": lambda asked: refused(503, "memory_unavailable", "The store is away."),
    "bad key": lambda asked: refused(401, "bad_key", "No such key."),
    "busy": lambda asked: refused(429, "busy", "Too many."),
    "another server": lambda asked: Answered(404, {"detail": "Not Found"}),
    "a space that can't be": lambda asked: refused(422, "bad_space", "No such name for a space."),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_while_the_memory_is_away_claude_is_told_in_a_sentence_and_the_app_learns_why(
    shelf: Shelf, fault: str
) -> None:
    shelf.before = FAULTS[fault]
    for client in (shelf.client(), shelf.async_client()):
        told: list[Exception] = []
        tool = tool_on(client, "ana", on_error=told.append)

        assert await refusal(tool, "create", path=NOTES, file_text="x") == AWAY
        assert len(told) == 1
        assert isinstance(told[0], GeniffyError)


async def test_without_a_function_for_errors_a_warning_is_logged(
    shelved: Any, shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    shelf.before = FAULTS["store away"]

    with caplog.at_level(logging.WARNING, "geniffy_claude"):
        assert await refusal(shelved, "view", path="/memories") == AWAY

    assert [record.getMessage() for record in caplog.records if record.name.startswith("geniffy_claude")] == [
        "Claude went on without its memory: The store is away."
    ]


async def test_a_local_memory_that_was_closed_is_away(tmp_path: Any) -> None:
    told: list[Exception] = []
    client = Geniffy.local(tmp_path)
    tool = GeniffyMemoryTool(client, space="ana", on_error=told.append)
    client.close()

    assert await refusal(tool, "view", path="/memories") == AWAY
    assert "closed" in str(told[0])


def test_both_are_anthropics_own_kind_of_tool() -> None:
    assert issubclass(GeniffyMemoryTool, BetaAbstractMemoryTool)
    assert issubclass(AsyncGeniffyMemoryTool, BetaAsyncAbstractMemoryTool)
    assert set(geniffy_claude.__all__) == {"AsyncGeniffyMemoryTool", "GeniffyMemoryTool"}


def test_without_anthropic_installed_the_extra_is_named() -> None:
    program = "import sys; sys.modules['anthropic'] = None; import geniffy_claude"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)

    assert done.stderr.strip().endswith(
        "ImportError: geniffy_claude needs anthropic: pip install 'geniffy-agents[claude]'."
    )
