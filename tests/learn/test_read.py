"""Blocks and passages of notes and Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.learn.read import MAX_PASSAGE_CHARS, blocks, cells, passages

_MARKS = (
    "# |- |> |1. |```\n|\n|\n\n|\r\n|\r|\t|    |---\n|\u2028|\x0c|[x]: y\n|<div>|**b** |é|Ana lives in Porto. |今日は。"
)
_TABLE = ("| a | b |\n|---|---|\n", "| c | d |\n")
_MARKDOWN = st.lists(st.sampled_from([*_MARKS.split("|"), *_TABLE])).map("".join)


def words_of(text: str) -> list[tuple[str, str, str | None]]:
    return [(text[block.start : block.end], block.kind, block.heading) for block in blocks(text)]


def test_items_stand_under_their_heading_without_their_marks() -> None:
    text = "# Kim Park\n\n- CFO at Acme\n- [x] booked the room\n  1. nested\n\n> quoted\n"
    assert words_of(text) == [
        ("CFO at Acme", "item", "Kim Park"),
        ("[x] booked the room", "item", "Kim Park"),
        ("nested", "item", "Kim Park"),
        ("quoted", "quote", "Kim Park"),
    ]


def test_a_row_carries_its_heading_and_its_column_heads() -> None:
    text = "# Team\n\n| Name | Role |\n|---|---|\n| Ana | Designer |\n"
    assert words_of(text) == [("| Ana | Designer |", "row", "Team\nName | Role")]


def test_code_front_matter_and_headings_are_left_out() -> None:
    assert words_of("---\ntitle: x\n---\n# H\n\n```\ncode\n```\n\nsaid\n") == [("said", "para", "H")]


def test_a_deeper_heading_gives_way_to_the_next_of_its_level() -> None:
    assert [heading for *_, heading in words_of("# A\n## B\nx\n\n## C\ny\n\n# D\nz")] == ["B", "C", "D"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("    indented as plain notes are", "indented as plain notes are"),
        ("<div>Ana lives in Porto</div>", "<div>Ana lives in Porto</div>"),
        ("[note]: something", "[note]: something"),
        ("4. Oktober treffe ich sie", "4. Oktober treffe ich sie"),
        ("\ufeffAna lives in Porto", "Ana lives in Porto"),
        ("I like tea.\n---\n", "I like tea."),
    ],
)
def test_what_plain_notes_do_is_read_as_words(text: str, words: str) -> None:
    assert next(iter(words_of(text)))[0].lstrip("\ufeff") == words


def test_line_ends_of_every_kind_keep_the_offsets() -> None:
    text = "# A\r\n\r\none\u2028still one\x0c\rtwo\r\n\r\nthree"
    assert [words for words, _, _ in words_of(text)] == ["one\u2028still one\x0c\rtwo", "three"]


def test_an_escaped_bar_does_not_part_cells() -> None:
    assert cells(r"| a \| b | c |") == [r"a \| b", "c"]


def test_a_long_line_becomes_many_passages_that_cover_it() -> None:
    text = "Ana lives in Porto, near the river. " * 1000
    found = passages(text)
    assert len(found) > 8
    assert max(passage.end - passage.start for passage in found) <= MAX_PASSAGE_CHARS
    assert " ".join(text[passage.start : passage.end] for passage in found) == text.strip()


def test_a_change_at_the_beginning_of_a_long_paragraph_leaves_its_later_passages() -> None:
    text = " ".join(f"Fact number {n} is about the river Douro." for n in range(2000))
    before, after = passages(text), passages(f"A new first sentence. {text}")
    kept = {passage.digest for passage in before} & {passage.digest for passage in after}
    assert len(kept) >= len(before) - 3


def test_the_digest_covers_words_heading_and_kind() -> None:
    texts = ["one", "two", "# A\n\none", "# B\n\none", "- one", "> one"]
    assert len({passages(text)[0].digest for text in texts}) == len(texts)
    assert passages("one")[0].digest == passages("\n\none\n")[0].digest


def test_a_blank_text_has_no_passage() -> None:
    assert passages(" \n\t\r\n") == []


@given(_MARKDOWN | st.text())
def test_blocks_lie_in_order_inside_the_text_and_are_trimmed(text: str) -> None:
    at = 0
    for block in blocks(text):
        assert at <= block.start < block.end <= len(text)
        words = text[block.start : block.end]
        assert words == words.strip()
        at = block.end


@given(_MARKDOWN)
def test_passages_carry_what_blocks_say(text: str) -> None:
    assert [(p.start, p.end, p.kind, p.heading) for p in passages(text)] == [
        (b.start, b.end, b.kind, b.heading) for b in blocks(text)
    ]


@pytest.mark.parametrize("unit", ["a", "[", "|", "- ", "日", "> ", "\n", "a\n", "- a\n", "# a\n", "|a|b|\n", "```\n"])
def test_a_very_long_text_of_bait_becomes_a_bounded_number_of_passages(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    assert len(passages(text)) <= 2_000


def test_deep_nesting_keeps_its_words() -> None:
    text = ">" * 25 + "deep one\n" + "  " * 60 + "- deep two\n"
    read = " ".join(words for words, _, _ in words_of(text))
    assert "deep one" in read
    assert "deep two" in read


def test_a_line_that_leads_to_a_list_heads_it() -> None:
    assert words_of("# Home\n\nShopping:\n\n- milk\n\nAna came.") == [
        ("milk", "item", "Shopping"),
        ("Ana came.", "para", "Home"),
    ]
    assert words_of("Standup 5 Oct\n- Kim is off")[0] == ("Kim is off", "item", "Standup 5 Oct")
    assert words_of("Ana came.\n\n- milk")[0] == ("Ana came.", "para", None)
