"""Sentences of two statements."""

from __future__ import annotations

import pytest

from geniffy_server.learn.change.compounds import clauses


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in clauses(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I live in Bath and I love rowing.", ["I live in Bath", "I love rowing."]),
        ("I love rowing, but I live in Bath.", ["I love rowing", "I live in Bath."]),
        ("Lea works at Initech; she plays chess.", ["Lea works at Initech", "she plays chess."]),
        ("Vivo en Lima y me gusta el mar.", ["Vivo en Lima", "me gusta el mar."]),
    ],
)
def test_statements_of_which_one_gives_an_attribute_its_value_are_parted(text: str, wanted: list[str]) -> None:
    assert parts(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "I love rowing and I hate the rain.",
        "Lea lives in Bath and works at Initech.",
        "According to my notes, Lea lives in Bath.",
        "I live in Bath and Hull.",
        "I live in Bath and " + "I love rowing " * 20,
    ],
)
def test_any_other_sentence_stays_whole(text: str) -> None:
    assert parts(text) == [text]
