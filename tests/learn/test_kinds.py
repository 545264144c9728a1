"""Plans, preferences, people and details."""

from __future__ import annotations

import pytest

from geniffy_server.domain.memory import Kind
from geniffy_server.learn.dates.spoken import pick
from geniffy_server.learn.kinds import kind
from geniffy_server.learn.language import language_of
from tests.learn.labels import SAID


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I prefer WhatsApp, never email.", "pref"),
        ("Please always answer in British English.", "pref"),
        ("Never book me on a red-eye flight.", "pref"),
        ("I don't drink alcohol.", "pref"),
        ("Let's use metric units from now on.", "pref"),
        ("我喜欢喝茶", "pref"),
        ("Ich trinke keinen Alkohol.", "pref"),
        ("I'll send the invoice in 2 weeks.", "plan"),
        ("Do not forget to configure the proxy.", "plan"),
        ("The launch is on 20 November.", "plan"),
        ("I might sell the car someday.", "plan"),
        ("Ravi to email legal", "plan"),
        ("来月引っ越す予定です。", "plan"),
        ("I used to plan parties.", "detail"),
        ("I live in Graz.", "detail"),
        ("We met yesterday.", "detail"),
        ("Trabajo como enfermera.", "detail"),
        ("Window seats only.", "pref"),
        ("I take my coffee black.", "pref"),
        ("I'd rather walk.", "pref"),
        ("Reports in PDF, never Word.", "pref"),
        ("Mornings work best for me.", "pref"),
        ("No onions in anything, please.", "pref"),
        ("I always book the aisle.", "pref"),
        ("I read the book.", "detail"),
        ("The planning office is closed.", "detail"),
        ("Send the slides to Uma.", "plan"),
        ("Book the vet.", "plan"),
        ("Call me Mags.", "detail"),
        ("I owe Kirsten a dinner.", "plan"),
        ("Always send the slides to Uma.", "pref"),
        ("Tengo que pagar la multa.", "plan"),
        ("Je dois appeler le notaire.", "plan"),
        ("Am liebsten trinke ich Tee.", "pref"),
        ("Mi piace molto il caffè della zia.", "pref"),
        ("我讨厌香菜。", "pref"),
        ("コーヒーは苦手です。", "pref"),
        ("אני מעדיפה רכבת.", "pref"),
        ("אני צריך לשלם.", "plan"),
    ],
)
def test_the_words_and_the_date_tell_the_kind(text: str, expected: Kind) -> None:
    assert kind(text, pick(text, SAID), SAID, is_person=False, language=language_of(text)) == expected


def test_what_is_said_of_a_person_is_of_people() -> None:
    assert kind("Ana lives in Porto.", None, SAID, is_person=True, language="en") == "people"


def test_a_plan_of_a_person_is_a_plan() -> None:
    assert kind("Ana will move to Porto.", None, SAID, is_person=True, language="en") == "plan"
