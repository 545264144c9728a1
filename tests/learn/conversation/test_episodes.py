"""Events: what happened or will happen at a time, and what only seems to."""

from __future__ import annotations

import pytest

from geniffy_server.learn.conversation.episodes import events
from tests.learn.labels import SAID, spoken
from tests.learn.said import statements


@pytest.mark.parametrize(
    ("text", "when", "title"),
    [
        ("I have a dentist appointment on Tuesday at 3 pm.", "2026-10-06T15:00", "Dentist appointment"),
        ("We went to Lisbon in May.", "2026-05", "We went to Lisbon"),
        ("I'm flying to Lisbon on 14 October.", "2026-10-14", "I'm flying to Lisbon"),
        ("My sister's birthday is on 14 November.", "2026-11-14", "My sister's birthday"),
        ("Last weekend we took the kids camping.", "2026-10-03..2026-10-04", "We took the kids camping"),
        ("The conference takes place from 3 to 5 November.", "2026-11-03..2026-11-05", "Conference"),
        ("The launch party is on 12 March 2027 in Lisbon.", "2027-03-12", "Launch party in Lisbon"),
        ("Lunch with Ana is on 14 October at Nopi.", "2026-10-14", "Lunch with Ana at Nopi"),
        ("The Christmas party is on 18 December.", "2026-12-18", "Christmas party"),
        ("The trip to Japan is from 3 May to 17 June.", "2027-05-03..2027-06-17", "Trip to Japan"),
        ("Leo's concert was moved from Friday to Saturday.", "2026-10-10", None),
        ("I moved to Utrecht in 2019.", "2019", "I moved to Utrecht"),
        ("Am Dienstag habe ich einen Termin beim Zahnarzt.", "2026-10-06", None),
        ("La reunión con Kim es el martes.", "2026-10-06", "Reunión con Kim"),
        ("Nous sommes allés à Lisbonne en mai.", "2026-05", None),
        ("Ieri siamo andati al concerto.", "2026-10-04", None),
        ("В мае мы ездили в Лиссабон.", "2026-05", None),
        ("我昨天去了医院。", "2026-10-04", None),
        ("会議は10月12日です。", "2026-10-12", None),
        ("मैं कल अस्पताल गया था।", "2026-10-04", None),
        ("الاجتماع يوم الخميس.", "2026-10-08", None),
    ],
)
def test_a_dated_happening_is_an_event(text: str, when: str, title: str | None) -> None:
    (event,) = events(statements(text))
    expected = spoken(when)
    assert expected is not None
    assert (event.when.low, event.when.high, event.when.clock) == (expected.low, expected.high, expected.clock)
    assert event.quote == text
    assert title is None or event.title == title


@pytest.mark.parametrize(
    "text",
    [
        "I've lived in Utrecht since 2019.",
        "We have a stand-up every Monday.",
        "The budget for 2027 is 40,000 euros.",
        "I was living in Rome in 2015.",
        "Omar was born on 3 May 1990.",
        "My favourite film is from 1994.",
        "I'm very tired today.",
        "I prefer tea over coffee.",
        "Vivo en Madrid desde 2019.",
    ],
)
def test_what_lasts_recurs_or_only_holds_is_no_event(text: str) -> None:
    assert events(statements(text)) == []


@pytest.mark.parametrize(
    "text", ["The meeting on Friday was cancelled.", "We didn't go to Lisbon in May.", "I might fly to Rome in June."]
)
def test_what_does_not_take_place_is_no_event(text: str) -> None:
    assert events(statements(text)) == []


@pytest.mark.parametrize("text", ["Kim told me yesterday that she is vegan.", "As I said on Monday, I prefer tea."])
def test_the_day_on_which_something_was_said_is_no_event(text: str) -> None:
    assert events(statements(text)) == []


def test_a_task_with_a_day_is_no_event() -> None:
    assert events(statements("I have to pay the electricity bill by 15 October.")) == []


def test_events_come_in_the_order_of_their_days_and_once_each() -> None:
    said = statements(
        "We went to Lisbon in May.", "The concert is on 9 October.", ("Kim", SAID, "We went to Lisbon in May.")
    )
    assert [event.title for event in events(said)] == ["We went to Lisbon", "Concert"]


def test_a_title_has_at_most_sixty_characters() -> None:
    long = "Yesterday we visited the old lighthouse behind the dunes near the village where my grandmother grew up."
    (event,) = events(statements(long))
    assert len(event.title) <= 60
    assert event.description == long
