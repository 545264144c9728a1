"""A number may tell which of many things is spoken of; then another number is of another thing."""

from __future__ import annotations

import pytest

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.change.reconcile import decide


def decided(text: str, about: str | None) -> str:
    """What becomes of `text` said with 12 when it is said with 14."""
    held, new = text.format(12), text.format(14)
    return decide(held, new, held_about=about, new_about=about, held_how="np", new_how="np")


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("We sell product {}.", OWNER),
        ("I have a friend called Friend{}.", OWNER),
        ("I have been to country {}.", OWNER),
        ("Alice owns item {}.", "Alice"),
        ("Alice knows Bob{}.", "Alice"),
        ("Kim works on project {}.", "Kim"),
        ("The team uses tool {}.", "team"),
        ("Priya speaks language {}.", "Priya"),
        ("This is note number {}.", None),
        ("Fact number {}.", None),
        ("Unique fact {} about penguins.", None),
        ("I like Windows {}.", OWNER),
        ("I am a fan of B{}s.", OWNER),
        ("Ich mag Lied {}.", OWNER),
    ],
)
def test_what_is_counted_off_stays_beside_the_next(text: str, about: str | None) -> None:
    assert decided(text, about) == "both"


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Acme has {} offices.", "Acme"),
        ("We use Postgres {}.", OWNER),
        ("We use version {}.", OWNER),
        ("Kim sits in cubicle {}.", "Kim"),
        ("I'm on page {}.", OWNER),
        ("My bus is line {}.", "bus"),
        ("The server listens on port {}.", "server"),
        ("Coffee costs {}.", "Coffee"),
        ("I like my tea with {} sugars.", OWNER),
        ("I prefer GPT{}.", OWNER),
        ("Mein Code ist {}.", OWNER),
    ],
)
def test_how_much_or_where_something_stands_takes_the_place_of_what_was(text: str, about: str | None) -> None:
    assert decided(text, about) == "replaces"


def test_labels_with_two_numbers_are_of_two_things() -> None:
    held, new = "Room 11: booked for Kim.", "Room 12: booked for Kim."

    assert decide(held, new, held_about="Room 11", new_about="Room 12", held_how="np", new_how="np") == "both"


def test_now_says_that_the_number_changed() -> None:
    held, new = "Kim works on project 12.", "Kim works on project 14 now."

    assert decide(held, new, held_about="Kim", new_about="Kim", held_how="np", new_how="np") == "replaces"
