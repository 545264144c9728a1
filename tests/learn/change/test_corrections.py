"""Statements that put an earlier one right."""

from __future__ import annotations

import pytest

from geniffy_server.learn.change.corrections import correction, put_right


@pytest.mark.parametrize(
    ("text", "right", "denied"),
    [
        ("Correction: the code is 4016", "The code is 4016", None),
        ("Actually, the code is 4016", "The code is 4016", None),
        ("Lea is from Sweden, not Norway.", "Lea is from Sweden", "Norway"),
        ("The venue is not the Rex but the Odeon", "The venue is the Odeon", "the Rex"),
        ("It's not May, the lease ends in July", "The lease ends in July", "May"),
        ("Me equivoqué, es el 15", "Es el 15", None),
        ("Lea kommt aus Graz, nicht Linz", "Lea kommt aus Graz", "Linz"),
        ("我住在上海，不是北京", "我住在上海", "北京"),
    ],
)
def test_what_is_right_is_told_from_what_is_denied(text: str, right: str, denied: str | None) -> None:
    found = correction(text)

    assert found is not None
    assert (found.text, found.denied) == (right, denied)


@pytest.mark.parametrize(
    "text",
    [
        "I don't like it",
        "I'm not sure, but it works",
        "No me gusta el café",
        "Update the docs on Friday",
        "Wait for Ana at noon",
        "Edit the file",
        "Not bad",
        "a" * 300,
    ],
)
def test_a_statement_that_puts_nothing_right_is_no_correction(text: str) -> None:
    assert correction(text) is None


@pytest.mark.parametrize(
    ("held", "said", "wanted"),
    [
        ("Ada has 15 students.", "Actually it's 14, not 15.", "Ada has 14 students."),
        ("The meeting is at 3 pm.", "Sorry, I meant 4 pm.", "The meeting is at 4 pm"),
        ("The meeting is on Monday.", "I meant Tuesday.", "The meeting is on Tuesday."),
        ("The lease ends in May.", "I meant July", "The lease ends in July."),
        ("Ada has 15 students.", "Actually it's 14, not 16.", None),
        ("Ada has 15 students and 15 books.", "Actually it's 14, not 15.", None),
        ("The meeting is on Monday.", "Sorry, I meant 4 pm.", None),
        ("I prefer email.", "Please use WhatsApp, not email.", None),
        ("The meeting is at 3 pm.", "Sorry, I meant well.", None),
    ],
)
def test_a_bare_value_is_put_where_the_wrong_one_stood(held: str, said: str, wanted: str | None) -> None:
    found = correction(said)

    assert found is not None
    assert put_right(held, found) == wanted
