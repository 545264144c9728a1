from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.domain.answer import NOTHING_STORED
from geniffy_server.domain.memory import SourceRef
from geniffy_server.domain.source import SourceId
from geniffy_server.recall.context import render
from tests.recall.told import memory


def source(kind: str, title: str, *, given: bool) -> SourceRef:
    return SourceRef(SourceId("s"), kind, title, given, {})


@pytest.mark.parametrize(
    ("of", "line"),
    [
        (source("note", "Contact preferences", given=True), "- Kim likes tea.  [Contact preferences, 2026-10-05]"),
        (source("note", "Kim likes tea and", given=False), "- Kim likes tea.  [note, 2026-10-05]"),
        (source("file", "/memories/kim.md", given=False), "- Kim likes tea.  [/memories/kim.md, 2026-10-05]"),
        (None, "- Kim likes tea.  [note, 2026-10-05]"),
    ],
)
def test_a_line_names_where_and_when_it_was_said(of: SourceRef | None, line: str) -> None:
    assert render([memory("Kim likes tea.", source=of)]) == line


def test_without_sources_a_line_has_no_bracket() -> None:
    assert render([memory("Kim likes tea.")], with_sources=False) == "- Kim likes tea."


def test_the_date_is_that_of_the_zone_it_was_said_in() -> None:
    late = datetime(2026, 10, 5, 23, 30, tzinfo=timezone(timedelta(hours=-7)))

    assert render([memory("Kim likes tea.", said_at=late)]).endswith(", 2026-10-05]")


def test_no_memories_give_the_fixed_sentence() -> None:
    assert render([]) == NOTHING_STORED


def test_the_lines_keep_the_order_of_the_memories() -> None:
    assert render([memory("One."), memory("Two.")], with_sources=False) == "- One.\n- Two."


@given(st.text(min_size=1), st.text())
def test_no_text_or_title_begins_a_line_of_its_own(text: str, title: str) -> None:
    lines = render([memory(text, source=source("note", title, given=True))]).splitlines()

    assert len(lines) == 1
    assert lines[0].startswith("- ")
