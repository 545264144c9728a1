"""What stands beside a secret is remembered, and what says it is not."""

from __future__ import annotations

import pytest

from geniffy_server.learn.beside_secrets import beside_secrets


def told(text: str) -> list[str]:
    """What the sentence says beside its secret."""
    return [text[start:end] for start, end in beside_secrets(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ana likes tea and my key is ████.", ["Ana likes tea"]),
        ("The password is ████ and Ana likes tea.", ["Ana likes tea."]),
        ("My card is ████; my bank is Nordea.", ["my bank is Nordea."]),
        ("Meine Karte ist ████; meine Bank heißt Nordea.", ["meine Bank heißt Nordea."]),
        ("Kim's password is ████ Kim lives in Rome.", ["Kim lives in Rome."]),
        ("Ana lives in Rome (door PIN ████) and plays golf.", ["Ana lives in Rome"]),
        ("I live in Oslo and my PIN is ████ and I like tea.", ["I live in Oslo", "I like tea."]),
    ],
)
def test_a_part_that_can_stand_alone_is_told(text: str, expected: list[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The password is ████.",
        "The old host name and the password are ████.",
        "My user is, and the key is ████ and the other ████",
        "Use ████ and the usual port for the staging machine.",
        "████",
    ],
)
def test_what_says_nothing_without_its_secret_is_left_out(text: str) -> None:
    assert told(text) == []
