"""When two lines say the same, and when a line is one that this memory printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.learn.quotes import echo_of, normalised


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer tea.", "i prefer  tea"),
        ("My favourite colour is green", "My favorite color is green."),
        ("I'm allergic to nuts", "I am allergic to nuts!"),
        ("I can't eat gluten", "I cannot eat gluten"),
        ("**Ana** lives in `Porto`", "Ana lives in Porto"),
        ("The budget is 1,500 euros", "the budget is 1500 euros"),
        ("café", "cafe\u0301"),
        ("كِتاب جديد", "كتاب جديد"),
    ],
)
def test_the_same_words_have_the_same_key(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann manages Bob", "Bob manages Ann"),
        ("I like tea", "I don't like tea"),
        ("I like tea", "I never like tea"),
        ("I like tea", "He likes tea"),
        ("The port is 8080", "The port is 8081"),
        ("It costs $5", "It costs €5"),
        ("10%", "10"),
        ("C++", "C#"),
        ("v2.1", "v21"),
        ("I moved to Berlin", "I moved from Berlin"),
        ("I prefer tea over coffee", "I prefer coffee over tea"),
        ("vitamin A", "vitamin B"),
        ("vitamin A", "vitamin"),
        ("今日は猫", "今日は犬"),
        ("👍", "👎"),
    ],
)
def test_what_changes_the_meaning_changes_the_key(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


@given(st.text())
def test_a_text_that_shows_anything_has_a_key(text: str) -> None:
    key = normalised(text)
    assert key == normalised(text)
    assert bool(key) or not text.strip() or not any(ch.isalnum() for ch in text)


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        ("- Ana lives in Porto.  [note, 2026-10-05]", "Ana lives in Porto."),
        ("Ana lives in Porto.  [note, 2026-10-05]", "Ana lives in Porto."),
        ("- x  [Contact preferences, 2026-10-05]\n", "x"),
        ("- a  [b]  [/memories/a b.md, 2026-10-05]", "a  [b]"),
        ("- Ana lives in Porto.", None),
        ("- Ana lives in Porto. [note, 2026-10-05]", None),
        ("- Ana  [Porto]", None),
        ("", None),
    ],
)
def test_a_printed_line_gives_its_statement_back(line: str, statement: str | None) -> None:
    assert echo_of(line) == statement
