"""What each command says and does, over the real server, through every kind of client."""

from __future__ import annotations

from typing import Any

import pytest

from tests.claude.conftest import Say, said
from tests.claude.shelf import Shelf
from tests.sdk.capture import outcome

NOTES = "/memories/notes.md"


async def held(client: Any, space: str, path: str) -> str:
    return str((await outcome(client.space(space).files.get(path))).text)


async def test_a_file_comes_back_as_it_was_written(say: Say, client: Any, space: str) -> None:
    text = "\ufeff# Lumen\r\n\n- été 😀\t \u2028end"

    assert await say("create", path=NOTES, file_text=text) == f"File created successfully at: {NOTES}"
    assert await held(client, space, NOTES) == text
    assert await say("view", path=NOTES) == (
        f"Here's the content of {NOTES} with line numbers:\n"
        "     1\t\ufeff# Lumen\r\n     2\t\n     3\t- été 😀\t \u2028end"
    )
    assert (await say("view", path=NOTES, view_range=[2, 2])).splitlines()[1:] == ["     2\t"]


async def test_a_file_that_is_there_is_not_written_over(say: Say, refuse: Say, client: Any, space: str) -> None:
    await say("create", path=NOTES, file_text="one")
    await say("create", path="/memories/a/b.md", file_text="x")

    for path in (NOTES, f"{NOTES}/", "/memories/a", "/memories", "/memories/"):
        for text in ("two", "one"):
            assert await refuse("create", path=path, file_text=text) == f"File {path} already exists"
    assert await held(client, space, NOTES) == "one"


async def test_a_text_is_replaced_where_it_stands_once(say: Say, refuse: Say, client: Any, space: str) -> None:
    await say("create", path=NOTES, file_text="a\nb\nc one\nd\ne\nf two two\n")

    assert await say("str_replace", path=NOTES, old_str="one", new_str="1\n2") == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     1\ta\n     2\tb\n     3\tc 1\n     4\t2\n     5\td"
    )
    assert await refuse("str_replace", path=NOTES, old_str="two", new_str="2") == (
        "No replacement was performed. Multiple occurrences of old_str `two` in lines: 7, 7. Please ensure it is unique"
    )
    assert await refuse("str_replace", path=NOTES, old_str="four", new_str="4") == (
        f"No replacement was performed, old_str `four` did not appear verbatim in {NOTES}."
    )
    assert await held(client, space, NOTES) == "a\nb\nc 1\n2\nd\ne\nf two two\n"


async def test_without_a_new_text_the_old_one_is_deleted(say: Say, client: Any, space: str) -> None:
    await say("create", path=NOTES, file_text="one, two")

    await say("str_replace", path=NOTES, old_str=", two")

    assert await held(client, space, NOTES) == "one"


async def test_lines_are_inserted_after_the_line_named(say: Say, refuse: Say, client: Any, space: str) -> None:
    await say("create", path=NOTES, file_text="one\ntwo")

    assert await say("insert", path=NOTES, insert_line=1, insert_text="1.5\n\n") == f"The file {NOTES} has been edited."
    await say("insert", path=NOTES, insert_line=0, insert_text="zero")
    assert await held(client, space, NOTES) == "zero\none\n1.5\ntwo\n"
    assert await refuse("insert", path=NOTES, insert_line=5, insert_text="x") == (
        "Invalid `insert_line` parameter: 5. It should be within the range [0, 4]."
    )


async def test_a_directory_is_shown_two_levels_deep_with_sizes_in_characters(say: Say) -> None:
    assert (await say("view", path="/memories")).splitlines()[1:] == ["0B\t/memories"]
    for path, text in {
        "b.md": "é" * 12,
        "a/one.md": "x" * 1536,
        "a/deep/er/x.md": "x" * 1024,
        "a/.kept": "xx",
        ".hidden/x": "xxx",
        "a-b": "",
        "node_modules/m.js": "x",
    }.items():
        await say("create", path=f"/memories/{path}", file_text=text)

    assert await say("view", path="/memories/") == (
        "Here're the files and directories up to 2 levels deep in /memories/, excluding hidden items:\n"
        "2.5K\t/memories/\n"
        "2.5K\t/memories//a/\n"
        "1K\t/memories//a/deep/\n"
        "1.5K\t/memories//a/one.md\n"
        "0B\t/memories//a-b\n"
        "12B\t/memories//b.md\n"
        "1B\t/memories//node_modules/\n"
        "1B\t/memories//node_modules/m.js"
    )
    assert (await say("view", path="/memories/a/deep")).splitlines()[1:] == [
        "1K\t/memories/a/deep",
        "1K\t/memories/a/deep/er/",
        "1K\t/memories/a/deep/er/x.md",
    ]


async def test_a_directory_of_many_files_is_shown_whole_and_deleted_whole(say: Say, client: Any, space: str) -> None:
    files = client.space(space).files
    for number in range(205):
        await outcome(files.put(f"/memories/many/{number:03}.md", ""))

    assert len((await say("view", path="/memories/many")).splitlines()) == 207
    await say("delete", path="/memories/many")
    assert (await say("view", path="/memories")).splitlines()[1:] == ["0B\t/memories"]


async def test_commands_make_few_calls(shelved: Any, shelf: Shelf) -> None:
    async def calls(command: str, **arguments: Any) -> int:
        before = len(shelf.sent)
        await said(shelved, command, **arguments)
        return len(shelf.sent) - before

    assert await calls("create", path=NOTES, file_text="one") == 3
    assert await calls("view", path=NOTES) == 1
    assert await calls("str_replace", path=NOTES, old_str="one", new_str="two") == 2
    assert await calls("insert", path=NOTES, insert_line=0, insert_text="x") == 2
    assert await calls("rename", old_path=NOTES, new_path="/memories/b.md") == 3
    assert await calls("delete", path="/memories/b.md") == 1
    shelf.texts.update({f"/memories/{number:03}.md": "" for number in range(401)})
    assert await calls("view", path="/memories") == 3


async def test_a_file_and_a_directory_are_deleted(say: Say, refuse: Say) -> None:
    for path in ("a/1.md", "a/2.md", "a-b.md", "c.md"):
        await say("create", path=f"/memories/{path}", file_text="x")

    assert await say("delete", path="/memories/c.md") == "Successfully deleted /memories/c.md"
    assert await say("delete", path="/memories/a/") == "Successfully deleted /memories/a/"
    assert (await say("view", path="/memories")).splitlines()[1:] == ["1B\t/memories", "1B\t/memories/a-b.md"]
    assert await refuse("delete", path="/memories/a") == "The path /memories/a does not exist"
    assert await refuse("delete", path="/memories/") == "Cannot delete the /memories directory itself"


async def test_a_file_and_a_directory_are_renamed(say: Say, refuse: Say, client: Any, space: str) -> None:
    for path in ("a/1.md", "a/2.md", "c.md"):
        await say("create", path=f"/memories/{path}", file_text=path)

    assert await say("rename", old_path="/memories/a", new_path="/memories/new/b") == (
        "Successfully renamed /memories/a to /memories/new/b"
    )
    await say("rename", old_path="/memories/c.md", new_path="/memories/d.md")
    assert await held(client, space, "/memories/new/b/2.md") == "a/2.md"
    assert await held(client, space, "/memories/d.md") == "c.md"
    for taken in ("/memories/new/b/1.md", "/memories/new", "/memories"):
        assert await refuse("rename", old_path="/memories/d.md", new_path=taken) == (
            f"The destination {taken} already exists"
        )
    assert await refuse("rename", old_path="/memories/a", new_path="/memories/z") == (
        "The path /memories/a does not exist"
    )
    assert await refuse("rename", old_path="/memories", new_path="/memories/z") == (
        "Cannot rename the /memories directory itself"
    )


@pytest.mark.parametrize("path", ["/memories/a", "/memories/a.md"])
async def test_nothing_is_renamed_into_itself(say: Say, refuse: Say, path: str) -> None:
    await say("create", path="/memories/a/1.md", file_text="x")
    await say("create", path="/memories/a.md", file_text="x")

    assert await refuse("rename", old_path=path, new_path=f"{path}/b/c") == (
        f"Cannot rename {path} to {path}/b/c, a path inside of it"
    )
    assert (await say("view", path="/memories")).splitlines()[1:] == [
        "2B\t/memories",
        "1B\t/memories/a/",
        "1B\t/memories/a/1.md",
        "1B\t/memories/a.md",
    ]


async def test_nothing_is_kept_beneath_a_file(say: Say, refuse: Say) -> None:
    await say("create", path="/memories/a/b", file_text="x")
    await say("create", path="/memories/c", file_text="x")

    for told in (
        await refuse("create", path="/memories/a/b/c.md", file_text="y"),
        await refuse("rename", old_path="/memories/c", new_path="/memories/a/b/c.md"),
    ):
        assert told == "/memories/a/b is a file, so there can be no /memories/a/b/c.md"
    assert await refuse("view", path="/memories/a/b/c.md") == (
        "The path /memories/a/b/c.md does not exist. Please provide a valid path."
    )


@pytest.mark.parametrize("path", ["/memories/none.md", "/memories/none/", "/memories/" + "x" * 245])
async def test_a_missing_path_is_told_so(refuse: Say, path: str) -> None:
    missing = f"The path {path} does not exist. Please provide a valid path."

    assert await refuse("view", path=path) == missing
    assert await refuse("str_replace", path=path, old_str="a", new_str="b") == missing
    assert await refuse("insert", path=path, insert_line=0, insert_text="x") == missing
    assert await refuse("delete", path=path) == f"The path {path} does not exist"
    assert await refuse("rename", old_path=path, new_path="/memories/z") == f"The path {path} does not exist"


async def test_a_directory_is_not_edited(say: Say, refuse: Say) -> None:
    await say("create", path="/memories/a/b.md", file_text="x")

    for path in ("/memories/a", "/memories"):
        told = [
            await refuse("str_replace", path=path, old_str="a", new_str="b"),
            await refuse("insert", path=path, insert_line=0, insert_text="x"),
        ]
        assert told == [f"The path {path} is not a file."] * 2


async def test_a_file_that_has_the_name_of_the_directory_of_all_is_not_seen(
    say: Say, refuse: Say, client: Any, space: str
) -> None:
    await outcome(client.space(space).files.put("/memories", "an app's own"))

    assert (await say("view", path="/memories")).splitlines()[1:] == ["0B\t/memories"]
    assert await refuse("delete", path="/memories") == "Cannot delete the /memories directory itself"
    assert await held(client, space, "/memories") == "an app's own"


async def test_slashes_are_kept_single_and_repeated_as_typed(say: Say, client: Any, space: str) -> None:
    typed = "/memories//a///b.md//"

    assert await say("create", path=typed, file_text="x") == f"File created successfully at: {typed}"
    assert await held(client, space, "/memories/a/b.md") == "x"
    assert (await say("view", path="/memories/a//b.md/")).startswith("Here's the content of /memories/a//b.md/ with")


async def test_the_longest_path_is_a_file_and_never_asked_about_as_a_directory(say: Say, refuse: Say) -> None:
    longest = "/memories/" + "x" * 245

    await say("create", path=longest, file_text="one")
    await say("str_replace", path=longest, old_str="one", new_str="two")
    assert (await say("view", path=longest)).endswith("     1\ttwo")
    await say("rename", old_path=longest, new_path="/memories/short")
    await say("rename", old_path="/memories/short", new_path=longest)
    assert await say("delete", path=longest) == f"Successfully deleted {longest}"
    assert "255 characters" in await refuse("create", path=f"{longest}x", file_text="x")


async def test_a_directory_whose_files_would_get_paths_too_long_stays_where_it_is(say: Say, refuse: Say) -> None:
    await say("create", path="/memories/a/" + "x" * 100, file_text="x")

    told = await refuse("rename", old_path="/memories/a", new_path="/memories/" + "y" * 200)

    assert told.endswith(".")
    assert "255" in told
    assert (await say("view", path="/memories/a")).splitlines()[1] == "1B\t/memories/a"


async def test_what_the_server_refuses_is_told_in_its_sentence_and_changes_nothing(say: Say, refuse: Say) -> None:
    await say("create", path=NOTES, file_text="one")

    for told in (
        await refuse("create", path="/memories/nul", file_text="a\x00b"),
        await refuse("insert", path=NOTES, insert_line=0, insert_text="\x00"),
        await refuse("create", path="/memories/long", file_text="x" * 2_000_001),
    ):
        assert told.endswith(".")
        assert "\n" not in told
    assert (await say("view", path="/memories")).splitlines()[1:] == ["3B\t/memories", f"3B\t{NOTES}"]


async def test_everything_under_memories_is_cleared_at_once_by_the_app(
    tool: Any, say: Say, client: Any, space: str
) -> None:
    await say("create", path="/memories/a/b.md", file_text="x")
    await outcome(client.space(space).files.put("/other.md", "x"))

    assert await outcome(tool.clear_all_memory()) == "All memory cleared"
    assert (await say("view", path="/memories")).splitlines()[1:] == ["0B\t/memories"]
    assert await held(client, space, "/other.md") == "x"


async def test_what_claude_writes_is_recalled_and_what_it_deletes_is_not(say: Say, client: Any, space: str) -> None:
    mem = client.space(space)
    await say("create", path=NOTES, file_text="# Lumen\n- Priya Nair signs the renewal.\n")
    source = await outcome(mem.sources.get(external_id=f"file:{NOTES}"))
    await outcome(mem.sources.wait(source.id))

    assert source.labels == {"channel": "claude-memory"}
    assert source.added_by.startswith("geniffy-claude/")
    assert "Priya Nair signs the renewal." in await outcome(mem.context("Who signs the renewal?"))
    await say("delete", path=NOTES)
    assert "Priya" not in await outcome(mem.context("Who signs the renewal?"))


async def test_an_edit_leaves_the_labels_that_an_app_gave_a_file(say: Say, client: Any, space: str) -> None:
    mem = client.space(space)
    await outcome(mem.files.put(NOTES, "one", labels={"team": "sales"}))

    await say("str_replace", path=NOTES, old_str="one", new_str="two")
    await say("insert", path=NOTES, insert_line=0, insert_text="zero")

    assert (await outcome(mem.sources.get(external_id=f"file:{NOTES}"))).labels == {"team": "sales"}
