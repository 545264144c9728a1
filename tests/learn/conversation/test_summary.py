"""Titles and overviews: the conversation's own words, short enough, and telling."""

from __future__ import annotations

from geniffy_server.domain.conversation import Statement
from geniffy_server.domain.source import Turn
from geniffy_server.learn.conversation.summary import OVERVIEW_CHARS, TITLE_CHARS, overview, title
from tests.learn.labels import SAID
from tests.learn.said import statements

TRIP = [
    ("Zoë", "Hey Omar! How are you?"),
    ("Omar", "Great, thanks!"),
    ("Zoë", "We booked flights to Lisbon for the first week of May."),
    ("Omar", "Nice! The flights to Lisbon were cheap this year."),
    ("Zoë", "Our hotel in Lisbon is close to the castle."),
    ("Omar", "Ok, cool."),
    ("Zoë", "I also bought a new umbrella."),
]


def conversation(said: list[tuple[str, str]]) -> tuple[list[Turn], list[Statement]]:
    turns = [Turn("user", name, text, None) for name, text in said]
    return turns, statements(*((name, SAID, text) for name, text in said))


def test_a_title_is_what_the_conversation_keeps_coming_back_to() -> None:
    turns, stated = conversation(TRIP)
    assert title(turns, stated) == "We booked flights to Lisbon for the first week of May"


def test_a_title_that_is_too_long_is_cut_at_a_word() -> None:
    long = "The extraordinarily complicated reconstruction of the northern harbour promenade begins in the early autumn"
    turns, stated = conversation([("Zoë", f"{long}.")])
    cut = title(turns, stated)
    assert len(cut) <= TITLE_CHARS
    assert long.startswith(cut.removesuffix("..."))
    assert cut.removesuffix("...").split() == long.split()[: len(cut.removesuffix("...").split())]


def test_an_overview_is_two_to_four_statements_in_their_order() -> None:
    turns, stated = conversation(TRIP)
    told = overview(turns, stated)
    places = [told.find(one.text) for one in stated if one.text in told]
    assert 2 <= len(places) <= 4
    assert places == sorted(places)
    assert "Lisbon" in told
    assert "How are you" not in told


def test_an_overview_stays_short_however_long_the_statements() -> None:
    said = [
        ("Zoë", f"The harbour of town {n} has " + " and ".join(f"pier{n}{k} and crane{n}{k}" for k in range(20)) + ".")
        for n in range(9)
    ]
    turns, stated = conversation(said)
    assert 0 < len(overview(turns, stated)) <= OVERVIEW_CHARS


def test_the_same_thing_is_not_told_twice() -> None:
    turns, stated = conversation(
        [
            ("Zoë", "The kitchen lamp is broken."),
            ("Omar", "The kitchen lamp is broken!"),
            ("Zoë", "Uma painted the fence."),
        ]
    )
    assert overview(turns, stated).count("lamp") == 1


def test_one_statement_is_an_overview_of_its_own() -> None:
    turns, stated = conversation([("Zoë", "Ramadan starts next week.")])
    assert overview(turns, stated) == "Ramadan starts next week."


def test_without_statements_the_turns_themselves_are_summed_up() -> None:
    turns, _ = conversation(TRIP)
    assert title(turns, []) == "We booked flights to Lisbon for the first week of May"
    assert "Lisbon" in overview(turns, [])


def test_a_conversation_that_states_nothing_has_its_first_words_for_a_title() -> None:
    turns = [Turn("user", None, "Is this microphone on?", None), Turn("user", None, "Yes.", None)]
    assert title(turns, []) == "Is this microphone on"
    assert overview(turns, []) == ""
    assert title([], []) == ""
    assert overview([], []) == ""
