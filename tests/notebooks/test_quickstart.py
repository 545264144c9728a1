"""What a reader of the first notebook sees."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.notebooks.running import Ran, pictures_of

SILENT = "Nothing that was added says that yet, so I won't guess."


@pytest.fixture(scope="module")
def shown(ran: Callable[[str], Ran]) -> Ran:
    return ran("01_quickstart")


def test_a_fact_stands_in_its_own_words_beside_the_line_it_came_from(shown: Ran) -> None:
    lines = [line.split("  ", 1) for line in shown.lines("learned")]
    facts = {fact: line.strip() for fact, line in lines}

    assert shown.printed("tell") == f"{len(facts)} facts learned\n"
    assert facts["Kim Park signs the Acme renewal."] == "She signs the Acme renewal."


def test_what_was_told_is_answered_and_what_was_not_is_refused(shown: Ran) -> None:
    who, how, when = shown.lines("ask")

    assert who.endswith("Kim Park signs the Acme renewal.")
    assert how.endswith("Priya Nair prefers WhatsApp to email.")
    assert "12 October 2026" in when
    assert all(line.endswith(SILENT) for line in shown.lines("ask-unknown"))
    assert shown.printed("context") == "- Priya Nair prefers WhatsApp to email.  [Call with Noor, 2026-10-05]\n"


def test_what_changed_is_answered_as_it_is_now_and_drawn_as_it_was(shown: Ran) -> None:
    where, due, project = shown.lines("change")

    assert ("Berlin" in where, "September" in due, "Borealis" in project) == (True, True, True)
    assert len(pictures_of(shown.cell("timeline"))) == 1


def test_a_correction_is_answered_and_what_was_forgotten_is_nowhere(shown: Ran) -> None:
    assert shown.lines("correct") == ["Priya Nair signs the Acme renewal."]
    assert shown.lines("forget") == [SILENT]
    assert shown.lines("scan")[0] == "Nothing here holds the text."
