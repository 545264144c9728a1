from __future__ import annotations

from datetime import UTC, datetime

import pytest

from geniffy_server.learn.asked import asked_before, questions_in
from geniffy_server.learn.learn import Reading


def turn(text: str, speaker: str | None = None, *, is_agent: bool = False) -> Reading:
    return Reading(text, datetime(2026, 10, 5, tzinfo=UTC), kind="turn", speaker=speaker, is_agent=is_agent)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I sold it. How much did you pay? Just curious.", "How much did you pay?"),
        ("Who? Where is it? And when?", "Where is it? And when?"),
        ("どこに住んでいますか？", "どこに住んでいますか？"),
        ("أين تسكن؟", "أين تسكن؟"),
        ("It was fine.", None),
        ("", None),
    ],
)
def test_the_last_questions_of_a_text_are_what_it_asks(text: str, asked: str | None) -> None:
    assert questions_in(text) == asked


def test_a_turn_may_answer_what_another_speaker_asked_right_before() -> None:
    readings = [turn("Where to?", "Ana"), turn("Porto.", "Ben"), turn("Nice.", "Ana"), turn("By train.", "Ben")]

    assert asked_before(readings) == [None, "Where to?", None, None]


def test_nobody_answers_their_own_question_and_an_agent_may_ask() -> None:
    assert asked_before([turn("Where to?"), turn("Never mind.")]) == [None, None]
    assert asked_before([turn("Which system?", is_agent=True), turn("Debian.")]) == [None, "Which system?"]
