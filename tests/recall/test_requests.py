"""What must be known to do what a message asks for."""

from __future__ import annotations

import pytest

from geniffy_server.recall.requests import helping, opens_a_talk, topic_of_request


@pytest.mark.parametrize(
    ("message", "topic"),
    [
        ("Suggest a cake for Tara", "Tara"),
        ("Can you plan a dinner for Tomas and Ingrid?", "Tomas and Ingrid"),
        ("Draft a renewal email to Oskar.", "Oskar"),
        ("Schreib eine Mail an Tomas", "Tomas"),
        ("Write an email to the contractor", "contractor"),
        ("please book me a flight for tomorrow", "flight"),
        ("Make a list", None),
        ("Plan what we eat on Friday", None),
        ("Remind me when the rent is due", None),
        ("I plan a dinner for Tomas", None),
        ("Where does Tomas live?", None),
        ("Plan " + "a very long thing " * 40, None),
    ],
)
def test_a_request_is_about_whom_it_names_or_what_it_speaks_of(message: str, topic: str | None) -> None:
    assert topic_of_request(message) == topic


@pytest.mark.parametrize(
    ("message", "opens"),
    [
        ("A call is starting. What matters about this caller?", True),
        ("Summarise what you remember", True),
        ("Remind me what matters before I start", True),
        ("Is there anything I should know?", True),
        ("What should I remember about the trip?", False),
        ("What matters about the contract?", False),
    ],
)
def test_a_talk_opens_with_a_question_for_whatever_matters_of_its_owner(message: str, opens: bool) -> None:
    assert opens_a_talk(message) is opens


@pytest.mark.parametrize(
    ("message", "is_answered", "asked"),
    [
        ("What should I get Tara for her birthday?", True, ["What do you know about Tara?"]),
        ("Any gift ideas for Tara?", False, ["What do you know about Tara?"]),
        ("Suggest a cake for Tara", True, []),  # what bears on it is enough
        ("What should I cook tonight?", False, ["What can't I eat?"]),
        ("recommend a recipe", False, ["What do you know about recipe?", "What can't I eat?"]),
        ("Plan dinner for me and Tara", False, ["What do you know about Tara?", "What can't I eat?"]),
        ("Plan dinner for Tara", False, ["What do you know about Tara?"]),
        ("I had dinner with Tara", False, []),
        ("When is dinner?", True, []),
    ],
)
def test_what_to_give_and_what_to_eat_ask_for_more_than_they_say(
    message: str, is_answered: bool, asked: list[str]
) -> None:
    assert helping(message, is_answered=is_answered) == asked
