"""Paths that are refused before anything is asked of the memory, and those that are not."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.tools import ToolError

from geniffy_claude.paths import memory_path
from tests.claude.conftest import refusal, said
from tests.claude.shelf import Shelf

OUT = [
    "/memories/..",
    "/memories/../etc/passwd",
    "/memories/a/../../x",
    "/memories/a/../b",
    "/memories/./a",
    "/memories/a/.",
    "/memories//../x",
    "/memories/../memories/x",
    "/memories/..//",
    "/memories\\..\\x",
    "/memories/a\\b",
    # Percent-encoded, wholly or in part, and again.
    "/memories/%2e%2e/x",
    "/memories/%2E%2e/x",
    "/memories/.%2e/x",
    "/memories/%2e",
    "/memories/a%2f..%2fb",
    "/memories/%2e%2e%2f%2e%2e%2fetc",
    "/memories/%5c..%5cx",
    "/memories/a%5Cb",
    "/memories/%252e%252e/x",
    "/memories/%25252e%25252e/x",
    "/memories/%25%32%65%25%32%65/x",
    # As lenient decoders read it: overlong UTF-8, and an escape that no standard has.
    "/memories/%c0%ae%c0%ae/x",
    "/memories/%C0%AE./x",
    "/memories/%e0%80%ae%e0%80%ae/x",
    "/memories/%f0%80%80%ae%f0%80%80%ae/x",
    "/memories/a%c0%af..%c0%afx",
    "/memories/%c1%9cx",
    "/memories/%u002e%u002e/x",
    "/memories/%u005cx",
    "/memories/%uff0e%uff0e/x",
    # Characters that a system which makes look-alikes equal reads as dots and slashes.
    "/memories/．．/x",
    "/memories/․․/x",
    "/memories/‥/x",
    "/memories/a／．．／x",
    "/memories/a＼b",
    "/memories/％2e％2e/x",
    "/memories/%ef%bc%8e%ef%bc%8e/x",
]
CONTROL = [
    "/memories/a\nb",
    "/memories/a\x00",
    "/memories/\x7f",
    "/memories/a\x85b",
    "/memories/a%00.md",
    "/memories/a%0ab",
    "/memories/%2500",
    "/memories/%c0%80",
    "/memories/%u0000",
    "/memories/\ud800",
]
ELSEWHERE = [
    "",
    "/",
    "/etc/passwd",
    "memories/a",
    "/memoriesx",
    "/memoriesx/a",
    "/memories.md",
    "/memories%2fa",
    "/Memories/a",
    "//memories/a",
    " /memories/a",
    "%2fmemories/a",
    "file:///memories/a",
]
FINE = {
    "/memories": "/memories",
    "/memories/": "/memories",
    "/memories//a//b/": "/memories/a/b",
    "/memories/...": "/memories/...",
    "/memories/..a": "/memories/..a",
    "/memories/a..": "/memories/a..",
    "/memories/.hidden": "/memories/.hidden",
    "/memories/100%.md": "/memories/100%.md",
    "/memories/%zz": "/memories/%zz",
    "/memories/a%20b": "/memories/a%20b",
    "/memories/a%2fb": "/memories/a%2fb",
    "/memories/%ff": "/memories/%ff",
    "/memories/日本…": "/memories/日本…",
    "/memories/e\u0301té": "/memories/e\u0301té",
    "/memories/~": "/memories/~",
    "/memories/memories": "/memories/memories",
}


@pytest.mark.parametrize("path", OUT)
def test_what_could_lead_out_is_refused_in_every_encoding(path: str) -> None:
    with pytest.raises(ToolError) as refused:
        memory_path(path)
    assert str(refused.value) == f"Path {path} would escape /memories directory"


@pytest.mark.parametrize("path", CONTROL)
def test_control_characters_are_refused_in_every_encoding(path: str) -> None:
    with pytest.raises(ToolError) as refused:
        memory_path(path)
    assert str(refused.value) == "A path holds no control characters: use a plain one, such as /memories/notes.md."


@pytest.mark.parametrize("path", ELSEWHERE)
def test_a_path_that_is_not_under_memories_is_told_where_to_start(path: str) -> None:
    with pytest.raises(ToolError) as refused:
        memory_path(path)
    assert str(refused.value) == f"Path must start with /memories, got: {path}"


@pytest.mark.parametrize("path", ["/memories/" + "x" * 246, "/memories/" + "%25" * 100_000, "/memories/" + "é/" * 300])
def test_a_long_path_is_refused_before_it_is_decoded(path: str) -> None:
    with pytest.raises(ToolError, match="up to 255 characters"):
        memory_path(path)


@pytest.mark.parametrize("path", [None, 1, ["/memories/a"], b"/memories/a"])
def test_what_is_no_text_is_no_path(path: Any) -> None:
    with pytest.raises(ToolError, match="A path is text"):
        memory_path(path)


@pytest.mark.parametrize(("typed", "kept"), FINE.items())
def test_a_plain_path_is_kept_as_it_is_but_for_its_slashes(typed: str, kept: str) -> None:
    path = memory_path(typed)

    assert (path.typed, path.kept) == (typed, kept)
    assert path.is_root is (kept == "/memories")


@pytest.mark.parametrize(("length", "may_hold"), [(253, True), (254, False), (255, False)])
def test_slashes_that_are_dropped_do_not_count(length: int, may_hold: bool) -> None:
    path = memory_path("/memories" + "/" * 300 + "x" * (length - len("/memories/")))

    assert len(path.kept) == length
    assert path.may_hold is may_hold


def test_the_directories_above_a_path_are_named_from_the_outermost_in() -> None:
    assert memory_path("/memories/a/b/c").folders == ["/memories/a", "/memories/a/b"]
    assert memory_path("/memories/a").folders == []
    assert memory_path("/memories").folders == []


@pytest.mark.parametrize("path", [*OUT, *CONTROL, *ELSEWHERE])
async def test_no_command_asks_the_memory_about_a_refused_path(shelved: Any, shelf: Shelf, path: str) -> None:
    told = [
        await refusal(shelved, "view", path=path),
        await refusal(shelved, "create", path=path, file_text="x"),
        await refusal(shelved, "str_replace", path=path, old_str="x", new_str="y"),
        await refusal(shelved, "insert", path=path, insert_line=0, insert_text="x"),
        await refusal(shelved, "delete", path=path),
        await refusal(shelved, "rename", old_path=path, new_path="/memories/x"),
        await refusal(shelved, "rename", old_path="/memories/x", new_path=path),
    ]

    assert len(set(told)) == 1
    assert shelf.sent == []


async def test_a_path_is_stored_literally_where_it_is_allowed(shelved: Any, shelf: Shelf) -> None:
    for path in FINE:
        if FINE[path] != "/memories":
            await said(shelved, "create", path=path, file_text="x")

    assert set(shelf.texts) == set(FINE.values()) - {"/memories"}
