"""A drafted answer may only say what the evidence says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from geniffy_server.domain.memory import Memory, MemoryId, Spoken
from geniffy_server.ports import Found
from geniffy_server.recall.draft import answer_from, data_of, declines

LUNCH = Memory(
    id=MemoryId(7),
    text="Kim met Omar in Porto on 4 October.",
    kind="people",
    about="Kim",
    how="name",
    status="current",
    quote="Kim met Omar in Porto on 4 October.",
    said_at=datetime(2026, 10, 5, tzinfo=UTC),
    learned_at=datetime(2026, 10, 5, tzinfo=UTC),
    spoken=Spoken(date(2026, 10, 4), date(2026, 10, 4), "day"),
    replaced_by=None,
    source=None,
)
TEA = replace(LUNCH, id=MemoryId(9), text="Kim does not drink tea.", quote="Kim does not drink tea.", spoken=None)
FOUND = [Found(LUNCH, 1.0, {}), Found(TEA, 0.5, {})]
ASKED = "Whom did Kim meet in Porto?"


def test_an_answer_made_of_what_it_cites_passes_with_its_memories() -> None:
    answered = answer_from({"answer": "Kim met  Omar,\non 4 October 2026.", "memories": [7]}, ASKED, FOUND)

    assert answered is not None
    assert answered.answer == "Kim met Omar, on 4 October 2026."
    assert [memory.id for memory in answered.memories] == [7]


@pytest.mark.parametrize(
    "reply",
    [
        {"answer": "Kim met Omar.", "memories": []},
        {"answer": "Kim met Omar.", "memories": [8]},
        {"answer": "Kim met Omar.", "memories": [7, 8]},
        {"answer": "Kim met Omar.", "memories": ["7"]},
        {"answer": "Kim met Omar.", "memories": [True]},
        {"answer": "Kim met Omar.", "memories": 7},
        {"answer": "", "memories": [7]},
        {"answer": 7, "memories": [7]},
        {"answer": "Kim met Priya.", "memories": [7]},
        {"answer": "Kim met Omar on 5 May 2019.", "memories": [7]},
        {"answer": "Kim never met Omar.", "memories": [7]},
        {"answer": "Priya met Omar.", "memories": [7]},  # a name at the head
        {"answer": "kim met priya omar.", "memories": [7]},
        {"answer": "Kim hates Omar.", "memories": [7]},
        {"answer": "Omar met Kim in Porto.", "memories": [7]},  # who did it to whom
        {"answer": "Kimberly met Omar in Porto.", "memories": [7]},
        {"answer": "Kim drinks tea.", "memories": [7, 9]},  # another of them affirms
        {"answer": "Kim did not meet Omar.", "memories": [7, 9]},  # another of them denies
        {"answer": "Kim met Omar. \ud83d", "memories": [7]},
        {"answer": "Kim met Omar. \x1b[8m", "memories": [7]},
        {"answer": "Kim met \u202eOmar.", "memories": [7]},
        {"answer": "Kim drinks tea.", "memories": [9]},
        {"answer": "They both went there because somebody wanted lunch together.", "memories": [7]},
        {"answer": "Kim met Omar. " * 200, "memories": [7]},
        {},
    ],
)
def test_an_answer_that_says_more_than_its_evidence_is_thrown_away(reply: Any) -> None:
    assert answer_from(reply, ASKED, FOUND) is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is Omar married to Priya?", "Omar is married to Priya."),
        ("Did Kimberly meet Omar?", "Yes, Kimberly met Omar."),
        ("Did Kim meet Omar on 9 October?", "Kim met Omar on 9 October."),
        ("Was Porto expensive and noisy?", "Porto was expensive and noisy."),
    ],
)
def test_what_the_question_says_is_no_evidence(question: str, answer: str) -> None:
    assert answer_from({"answer": answer, "memories": [7]}, question, FOUND) is None


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("Omar", [7]),
        ("On 4 October.", [7]),
        ("Yes, in Porto.", [7]),
        ("She met Omar there on 4 October 2026.", [7]),
        ("No, Kim does not drink tea.", [9]),
        ("Kim met Omar in Porto, but does not drink tea.", [7, 9]),
    ],
)
def test_shorter_and_joined_answers_pass(answer: str, cited: list[int]) -> None:
    assert answer_from({"answer": answer, "memories": cited}, ASKED, FOUND) is not None


def test_what_memories_contradict_one_another_about_is_not_answered_by_a_model() -> None:
    disputed = [Found(replace(LUNCH, status="clash"), 1.0, {})]

    assert answer_from({"answer": "Kim met Omar.", "memories": [7]}, ASKED, disputed) is None


def test_only_a_null_declines() -> None:
    assert declines({"answer": None, "memories": []})
    assert not declines({"memories": []})
    assert not declines({"answer": "", "memories": []})


def test_the_evidence_is_handed_over_as_data_with_its_dates() -> None:
    handed = data_of(ASKED, FOUND, date(2026, 11, 1))

    assert handed["today"] == "2026-11-01"
    assert handed["memories"] == [
        {"id": 7, "text": LUNCH.text, "about": "Kim", "said_on": "2026-10-05", "speaks_of": "4 October 2026"},
        {"id": 9, "text": TEA.text, "about": "Kim", "said_on": "2026-10-05", "speaks_of": None},
    ]
