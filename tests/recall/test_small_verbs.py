from __future__ import annotations

import pytest

from geniffy_server.recall.small_verbs import is_wished, small_verb, tells_of_it


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does Bela own?", "own"),
        ("What do we have?", "have"),
        ("What is Darek like?", "like"),
        ("What happened to Byte?", "befall"),
        ("Have I ever been to Bled?", "been"),
        ("What does Amir have to do?", "must"),
        ("What does Kim like?", None),
        ("What pets does Bela have?", None),  # pets is a word to look for
        ("What happened in May?", None),
    ],
)
def test_a_question_tells_which_stop_word_it_asks_by(question: str, expected: str | None) -> None:
    assert small_verb(question) == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What does Bela own?", "Bela lives in Split.", False),
        ("What does Bela own?", "Bela has to leave at six.", False),
        ("What does Bela own?", "Bela owns a yacht.", True),
        ("What does Bela own?", "Bela has two sons.", False),
        ("What does Bela have?", "Bela has two sons.", True),
        ("What does Bela have?", "Bela's canoe is green.", True),
        ("What is Darek like?", "Darek is kind of a micromanager.", True),
        ("What is Darek like?", "Darek is on the third floor.", False),
        ("What happened to Byte?", "Byte died yesterday.", True),
        ("What happened to Byte?", "Byte is a grey cat.", False),
        ("Have I ever been to Bled?", "We spent a week at Bled.", True),
        ("Have I ever been to Bled?", "I want to travel to Bled.", False),
        ("What does Amir have to do?", "Amir: migrate the database by Friday.", True),
        ("What does Amir have to do?", "Amir is a database engineer.", False),
    ],
)
def test_a_statement_answers_by_its_form(question: str, text: str, expected: bool) -> None:
    verb = small_verb(question)

    assert verb is not None
    assert tells_of_it(verb, text, ("Bled",)) is expected


def test_what_is_thought_of_was_not_done() -> None:
    assert is_wished("We're thinking about moving to Vienna.")
    assert not is_wished("Ana moved to Porto in May.")
