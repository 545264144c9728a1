"""Lines in which an app gives back what a memory told it."""

from __future__ import annotations

import json

import pytest

from geniffy_server.learn.change.told_back import is_citation, printed_values, says_again, told_back, words_of


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        ("You told me that Lea lives in Porto.", "Lea lives in Porto."),
        ("As you mentioned earlier, Lea lives in Porto.", "Lea lives in Porto"),
        ("According to my memory, you prefer tea.", "I prefer tea."),
        ("You keep your bike in the cellar.", "I keep my bike in the cellar"),
        ("The user keeps their bike in the cellar.", "I keep my bike in the cellar"),
        ("[memory:12] Lea lives in Porto. (said 2026-01-05)", "Lea lives in Porto."),
        ("Du hast mir gesagt, dass Lea in Porto wohnt", "Lea in Porto wohnt"),
    ],
)
def test_a_line_that_gives_a_statement_back_has_its_words(line: str, statement: str) -> None:
    assert told_back(line) == words_of(statement)


def test_what_is_denied_is_not_given_back() -> None:
    assert told_back("You don't prefer tea.") != words_of("I prefer tea.")


@pytest.mark.parametrize("line", ["Lea lives in Porto.", "I prefer tea.", "word " * 200])
def test_an_ordinary_line_gives_nothing_back(line: str) -> None:
    assert told_back(line) is None


def test_the_statements_of_a_printed_result_are_read() -> None:
    printed = {"results": [{"id": "memory:1", "title": "x", "text": 'Lea said "no".'}, {"text": "Ben\nowns a boat."}]}

    assert printed_values(json.dumps(printed)) == ["x", 'Lea said "no".', "Ben\nowns a boat."]
    assert printed_values(json.dumps(printed, indent=2)) == printed_values(json.dumps(printed))
    assert printed_values('Lea said: "text": is a word.') == []


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("(said 2026-01-05)", True),
        ("[memory:12]", True),
        ("2026-01-05T10:00:00+00:00", True),
        ("Lea (said 2026-01-05)", False),
        ("said", False),
    ],
)
def test_a_citation_is_told_from_a_statement(line: str, is_one: bool) -> None:
    assert is_citation(line) is is_one


def test_a_sentence_says_a_statement_again_when_it_holds_all_its_words() -> None:
    statement = words_of("I keep my savings at Fortis.")

    assert says_again("Got it, you keep your savings at Fortis!", statement)
    assert not says_again("You keep your bike at home.", statement)
    assert not says_again("Smoke alarms save lives.", words_of("I smoke."))
    assert says_again("You smoke.", words_of("I smoke."))
