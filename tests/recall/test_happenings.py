"""Questions for whatever happened in a time."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from geniffy_server.domain.memory import Spoken
from geniffy_server.recall.happenings import anchor_of, asks_what_happened, beside, telling, without_anchor
from tests.recall.told import SAID, memory

TODAY = SAID.date()


@pytest.mark.parametrize(
    "question",
    [
        "What happened in May?",
        "what happened in may",
        "What happened between March and May 2026?",
        "What happened in Q2?",
        "What happened last summer?",
        "What did we do on 3 June?",
        "What did Kim do in July?",
        "What have I been up to since the wedding?",
        "What happened before the move?",
        "Did anything happen in April?",
        "¿Qué hicimos en mayo?",
        "Qu'est-ce qu'on a fait en mai ?",
        "Was haben wir im Mai gemacht?",
        "Cosa abbiamo fatto a maggio?",
        "5月に何をした？",
        "我们五月做了什么？",
        "मई में क्या हुआ?",
    ],
)
def test_a_question_for_nothing_but_a_time_is_known(question: str) -> None:
    assert asks_what_happened(question, names=("Kim",))


@pytest.mark.parametrize(
    "question",
    [
        "What happened to the roof in May?",
        "What did we do about the roof in May?",
        "What did Kim say in July?",
        "When did we move?",
        "What is planned for May?",
        "Where did Kim go in July?",
    ],
)
def test_a_question_for_something_of_a_time_is_another(question: str) -> None:
    assert not asks_what_happened(question, names=("Kim",))


def test_a_question_counts_from_the_event_that_it_names() -> None:
    before, after = anchor_of("What did we do before the move?"), anchor_of("What happened since we moved to Rome?")
    assert before is not None
    assert after is not None
    assert (before.event, before.side, after.event, after.side) == ("the move", "before", "we moved to Rome", "after")
    assert anchor_of("What happened after 3 May?") is None
    assert anchor_of("What happened since April?") is None
    assert without_anchor("What happened after the trip to Rome?") == "What happened after"


def test_the_time_beside_an_event_leaves_out_its_own_day() -> None:
    day = TODAY - timedelta(days=30)
    moved = memory("We moved to Rome.", spoken=Spoken(day, day, "day"))

    assert beside(moved, "before", TODAY).high == day - timedelta(days=1)
    assert (beside(moved, "after", TODAY).low, beside(moved, "after", TODAY).high) == (day + timedelta(days=1), TODAY)
    assert beside(memory("We moved."), "before", date(2030, 1, 1)).high == TODAY - timedelta(days=1)


def test_what_happened_tells_more_of_a_time_than_what_is_so() -> None:
    dated = memory("We moved on Friday.", spoken=Spoken(TODAY, TODAY, "day"))
    told = [dated, memory("We painted the hall."), memory("The hall is green."), memory("No, and I don't miss it.")]

    assert [telling(one) for one in told] == [3, 2, 1, 0]
