"""Others write at the same time: no edit is lost, and none is made over a text that it was not made from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from anthropic.tools import ToolError

from geniffy_agents import AsyncGeniffy
from geniffy_agents.local import BASE_URL as LOCAL
from geniffy_claude import commands
from tests.claude.conftest import refusal, said, tool_on
from tests.claude.shelf import Answered, Asked, Shelf, refused
from tests.sdk.capture import outcome

NOTES = "/memories/notes.md"
WRITERS = 10
# SHA-256 of "one\n".
TAG_OF_ONE = '"2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"'

Meanwhile = Callable[[], Answered | None]


def before_put(shelf: Shelf, meanwhile: Meanwhile, times: int = 1) -> None:
    """Let someone else do something between the read and the write of the next edits."""
    left = [times]

    def step_in(asked: Asked) -> Answered | None:
        if asked.method != "PUT" or left[0] == 0:
            return None
        left[0] -= 1
        return meanwhile()

    shelf.before = step_in


async def test_an_edit_is_made_again_over_what_was_written_meanwhile(shelved: Any, shelf: Shelf) -> None:
    shelf.texts[NOTES] = "one\ntwo\n"

    def meanwhile() -> None:
        shelf.texts[NOTES] = "zero\n" + shelf.texts[NOTES]

    before_put(shelf, meanwhile, times=3)
    reply = await said(shelved, "str_replace", path=NOTES, old_str="two", new_str="2")
    before_put(shelf, meanwhile, times=3)
    await said(shelved, "insert", path=NOTES, insert_line=1, insert_text="mine")

    assert shelf.texts[NOTES] == "zero\nmine\n" + "zero\n" * 5 + "one\n2\n"
    assert reply.splitlines()[1:] == ["     3\tzero", "     4\tone", "     5\t2", "     6\t"]


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize(
    ("command", "made"),
    [
        ({"command": "insert", "insert_line": 0, "insert_text": "mine"}, "mine\none\ntwo\n"),
        ({"command": "insert", "insert_line": 2, "insert_text": "a\nb\n"}, "one\ntwo\na\nb\n"),
        ({"command": "str_replace", "old_str": "two", "new_str": "two and more"}, "one\ntwo and more\n"),
        ({"command": "str_replace", "old_str": "two", "new_str": "2"}, "one\n2\n"),
        ({"command": "str_replace", "old_str": "two\n"}, "one\n"),
    ],
)
@pytest.mark.parametrize("theirs", ["", "zero\n", "mine too, b and 2\n"])
async def test_an_edit_whose_answer_was_lost_is_made_once_also_when_someone_else_wrote_before_it_was_sent_again(
    shelf: Shelf, command: dict[str, Any], made: str, arrives: bool, theirs: str
) -> None:
    shelf.texts[NOTES] = "one\ntwo\n"
    lost = [True]

    def step_in(asked: Asked) -> Answered | None:
        if asked.method != "PUT" or not lost:
            return None
        lost.clear()
        if arrives:
            shelf.texts[NOTES] = asked.body["text"]
        shelf.texts[NOTES] += theirs
        return Answered(504, {}, {"retry-after": "0"})

    shelf.before = step_in

    tool = tool_on(shelf.client(max_retries=1), "ana")
    await said(tool, **command, path=NOTES)

    assert shelf.texts[NOTES] == (made + theirs)


@pytest.mark.parametrize("held", [NOTES, f"{NOTES}/one.md"])
@pytest.mark.parametrize(
    ("command", "left"),
    [
        ({"command": "delete", "path": NOTES}, []),
        ({"command": "rename", "old_path": NOTES, "new_path": "/memories/old"}, ["/memories/old"]),
    ],
)
async def test_what_was_done_is_told_as_done_where_only_the_answer_was_lost(
    shelf: Shelf, command: dict[str, Any], left: list[str], held: str
) -> None:
    shelf.texts[held] = "one"
    beneath = held.removeprefix(NOTES)
    lost = [True]

    def step_in(asked: Asked) -> Answered | None:
        is_it = asked.method == "POST" or (asked.method == "DELETE" and (not beneath or "prefix" in asked.query))
        if not is_it or not lost:
            return None
        lost.clear()
        shelf.texts.clear()
        shelf.texts.update({path + beneath: "one" for path in left})
        return Answered(504, {}, {"retry-after": "0"})

    shelf.before = step_in

    assert (await said(tool_on(shelf.client(max_retries=1), "ana"), **command)).startswith("Successfully")
    assert list(shelf.texts) == [path + beneath for path in left]


async def test_a_move_that_was_not_made_is_not_told_as_made(shelf: Shelf) -> None:
    shelf.texts[NOTES] = "one"
    shelf.before = lambda asked: Answered(504, {}) if asked.method == "POST" else None

    told = await refusal(tool_on(shelf.client(), "ana"), "rename", old_path=NOTES, new_path="/memories/old")

    assert "not available" in told


async def test_what_someone_else_replaced_first_is_not_replaced_again(shelved: Any, shelf: Shelf) -> None:
    shelf.texts[NOTES] = "one"

    def meanwhile() -> None:
        shelf.texts[NOTES] = "uno"

    before_put(shelf, meanwhile)

    assert await refusal(shelved, "str_replace", path=NOTES, old_str="one", new_str="1") == (
        f"No replacement was performed, old_str `one` did not appear verbatim in {NOTES}."
    )
    assert shelf.texts[NOTES] == "uno"


async def test_a_file_that_was_deleted_meanwhile_is_not_written_back(shelved: Any, shelf: Shelf) -> None:
    shelf.texts[NOTES] = "one"
    before_put(shelf, shelf.texts.clear)

    assert await refusal(shelved, "insert", path=NOTES, insert_line=0, insert_text="x") == (
        f"The file {NOTES} no longer exists (may have been deleted or renamed concurrently)."
    )
    assert shelf.texts == {}


async def test_a_file_that_others_never_leave_alone_is_given_up_in_the_end(
    shelved: Any, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "ATTEMPTS", 4)
    monkeypatch.setattr(commands, "FIRST_PAUSE_S", 0.0)
    shelf.texts[NOTES] = "one"

    def meanwhile() -> None:
        shelf.texts[NOTES] += "!"

    before_put(shelf, meanwhile, times=1000)

    told = await refusal(shelved, "str_replace", path=NOTES, old_str="one", new_str="1")

    assert told == f"Others are writing to {NOTES} all the time, so it was not edited. Try again later."
    assert shelf.texts[NOTES] == "one!!!!"


async def test_a_file_that_was_created_meanwhile_is_not_written_over(shelved: Any, shelf: Shelf) -> None:
    def meanwhile() -> None:
        shelf.texts[NOTES] = "theirs"

    before_put(shelf, meanwhile)

    assert await refusal(shelved, "create", path=NOTES, file_text="mine") == f"File {NOTES} already exists"
    assert shelf.texts == {NOTES: "theirs"}


async def test_a_destination_that_was_taken_meanwhile_is_told_and_nothing_moves(shelved: Any, shelf: Shelf) -> None:
    shelf.texts[NOTES] = "mine"

    def step_in(asked: Asked) -> None:
        if asked.method == "POST":
            shelf.texts["/memories/b.md"] = "theirs"

    shelf.before = step_in

    assert await refusal(shelved, "rename", old_path=NOTES, new_path="/memories/b.md") == (
        "The destination /memories/b.md already exists"
    )
    assert shelf.texts == {NOTES: "mine", "/memories/b.md": "theirs"}


async def test_a_file_that_was_moved_away_meanwhile_is_told_to_be_missing(shelved: Any, shelf: Shelf) -> None:
    shelf.texts[NOTES] = "mine"

    def step_in(asked: Asked) -> None:
        if asked.method == "POST":
            shelf.texts.clear()

    shelf.before = step_in

    assert await refusal(shelved, "rename", old_path=NOTES, new_path="/memories/b.md") == (
        f"The path {NOTES} does not exist"
    )


async def test_an_edit_is_conditional_where_a_proxy_takes_the_etag_away(shelved: Any, shelf: Shelf) -> None:
    shelf.texts[NOTES] = "one\n"

    def step_in(asked: Asked) -> Answered | None:
        if asked.method == "GET":
            return Answered(200, {"path": NOTES, "text": shelf.texts[NOTES], "size": 4})
        return refused(412, "changed", "No.") if asked.headers["if-match"] != TAG_OF_ONE else None

    shelf.before = step_in
    await said(shelved, "insert", path=NOTES, insert_line=0, insert_text="zero")

    assert shelf.texts[NOTES] == "zero\none\n"


async def at_once(client: Any, space: str, work: Callable[[int], list[dict[str, Any]]]) -> list[list[str]]:
    """What ten tools are told, each given its own commands, all at the same time: in threads, or awaited."""
    loop = asyncio.get_running_loop()

    async def use(writer: int) -> list[str]:
        tool, told = tool_on(client, space), []
        for command in work(writer):
            given = tool.call if isinstance(client, AsyncGeniffy) else partial(loop.run_in_executor, threads, tool.call)
            try:
                told.append(str(await given(command)))
            except ToolError as refused:
                told.append(str(refused))
        return told

    with ThreadPoolExecutor(WRITERS) as threads:
        return await asyncio.gather(*(use(writer) for writer in range(WRITERS)))


async def test_ten_writers_on_one_file_lose_no_edit(client: Any, space: str) -> None:
    # Through HTTP fewer each: a key may call six hundred times a minute.
    edits = 5 if client.base_url == LOCAL else 2
    counters = [f"writer {writer}: 0\n" for writer in range(WRITERS)]
    await said(tool_on(client, space), "create", path=NOTES, file_text="".join(counters))

    def work(writer: int) -> list[dict[str, Any]]:
        """Every writer counts up in its own line, and adds lines at the beginning of the file."""
        named, given = f"writer {writer}: ", []
        for count in range(edits):
            words = {"old_str": f"{named}{count}\n", "new_str": f"{named}{count + 1}\n"}
            given += [
                {"command": "str_replace", "path": NOTES, **words},
                {"command": "insert", "path": NOTES, "insert_line": 0, "insert_text": f"line {writer}.{count}"},
            ]
        return given

    told = await at_once(client, space, work)

    assert {words.partition(".")[0] for each in told for words in each} == {
        f"The file {NOTES.partition('.')[0]}",
        "The memory file has been edited",
    }
    added = [f"line {writer}.{count}" for writer in range(WRITERS) for count in range(edits)]
    counted = [f"writer {writer}: {edits}" for writer in range(WRITERS)]
    text = (await outcome(client.space(space).files.get(NOTES))).text
    assert sorted(text.splitlines()) == sorted([*added, *counted])


async def test_of_ten_who_create_one_file_one_does(client: Any, space: str) -> None:
    told = await at_once(
        client, space, lambda writer: [{"command": "create", "path": NOTES, "file_text": f"writer {writer}"}]
    )

    (winner,) = [n for n, (words,) in enumerate(told) if words == f"File created successfully at: {NOTES}"]
    assert sorted(words for (words,) in told)[:-1] == [f"File {NOTES} already exists"] * (WRITERS - 1)
    assert (await outcome(client.space(space).files.get(NOTES))).text == f"writer {winner}"


async def test_ten_agents_keep_files_of_their_own_in_one_space(client: Any, space: str) -> None:
    def work(writer: int) -> list[dict[str, Any]]:
        path = f"/memories/agent-{writer}/notes.md"
        return [
            {"command": "create", "path": path, "file_text": f"I am agent {writer}.\n"},
            {"command": "rename", "old_path": path, "new_path": f"/memories/done/{writer}.md"},
            {"command": "view", "path": f"/memories/done/{writer}.md"},
        ]

    told = await at_once(client, space, work)

    assert [words.splitlines()[1] for *_, words in told] == [f"     1\tI am agent {n}." for n in range(WRITERS)]
    assert (await said(tool_on(client, space), "view", path="/memories")).count("\n") == 1 + 1 + WRITERS
