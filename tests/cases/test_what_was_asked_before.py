"""A short answer is found by the question it answers, and keeps nothing of it when the question's words go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from geniffy_server.recall.tokens import keys
from geniffy_server.services.learning import embed_missing
from tests.cases.conftest import Traces
from tests.conftest import Server

Talk = dict[str, Any]


def talk(*turns: tuple[str, str], **more: Any) -> Talk:
    return {"messages": [{"role": "user", "name": name, "content": content} for name, content in turns], **more}


def key_bytes(words: str) -> bytes:
    return np.array(keys(words), "<u4").tobytes()


@pytest.fixture
def keys_of(server: Server) -> Callable[[int], bytes]:
    """The search keys of a memory as the store keeps them."""

    def kept(memory_id: int) -> bytes:
        def work(tx: Any) -> bytes:
            sql = "SELECT tok FROM memory_vectors WHERE memory_id = ?"
            return bytes(tx._connection.exec_driver_sql(sql, (memory_id,)).scalar_one())

        return server.read(work)

    return kept


def test_a_short_answer_is_found_by_what_was_asked_right_before_it(sdk: Any, learned: Callable[..., Any]) -> None:
    told = talk(
        ("Ana", "I sold the bicycle at the spring market."),
        ("Ben", "How much did you get for it?"),
        ("Ana", "Ninety euros."),
        ("Ben", "And how is your knee?"),
        ("Ana", "Stiff."),
        ("Ben", "Which film did you see on Sunday?"),
        ("Ana", "An old western."),
    )
    learned(sdk, sdk.memories.add(**told))

    first = [sdk.search(question)[0].quote for question in ("What film did Ana see?", "How is Ana's knee?")]

    assert first == ["An old western.", "Stiff."]


def test_a_forgotten_name_leaves_the_answers_to_questions_that_had_it(
    server: Server,
    sdk: Any,
    learned: Callable[..., Any],
    held: Callable[[str], Any],
    vector_of: Callable[[int], bytes],
    traces: Traces,
    person_name: str,
) -> None:
    told = talk(
        ("Ben", f"{person_name} plays the harp."),
        ("Ana", f"For how long has {person_name} been at it?"),
        ("Ben", "Two years, every single day."),
    )
    learned(sdk, sdk.memories.add(**told))
    answer = held("Two years")
    vector = vector_of(answer.id)
    assert traces(vector, key_bytes(person_name))

    sdk.memories.delete(held("harp").id)

    assert traces(person_name, vector, key_bytes(person_name)) == []
    server.run(embed_missing(server.ports))  # unless the worker did
    assert vector_of(answer.id) not in (b"", vector)
    assert sdk.search("How often does Ben play?")[0].id == answer.id


def test_an_answer_keeps_nothing_of_a_question_that_was_taken_back(
    sdk: Any,
    learned: Callable[..., Any],
    held: Callable[[str], Any],
    vector_of: Callable[[int], bytes],
    keys_of: Callable[[int], bytes],
    person_name: str,
) -> None:
    asked, answered = f"Where does {person_name} live?", "In the blue house behind the mill."
    learned(sdk, sdk.memories.add(**talk(("Ana", asked), ("Ben", answered), external_id="talk")))
    answer = held("blue house").id
    vector = vector_of(answer)
    assert key_bytes(person_name) in keys_of(answer)
    assert held("blue house").text == f"{person_name} lives in the blue house behind the mill."

    learned(sdk, sdk.memories.add(**talk(("Ana", "Where do they live now?"), ("Ben", answered), external_id="talk")))

    assert vector_of(answer) != vector
    assert key_bytes(person_name) not in keys_of(answer)
    assert (held("blue house").text, held("blue house").about) == (answered, None)


def test_an_answer_that_a_note_says_too_keeps_nothing_of_a_deleted_talk(
    sdk: Any,
    learned: Callable[..., Any],
    held: Callable[[str], Any],
    vector_of: Callable[[int], bytes],
    traces: Traces,
    person_name: str,
) -> None:
    said = "The spare key is with the baker."
    asked = talk(("Ana", f"Where did {person_name} leave the spare key?"), ("Ben", said))
    source = learned(sdk, sdk.memories.add(**asked))
    learned(sdk, sdk.memories.add(said))
    vector = vector_of(held("spare key").id)

    sdk.sources.delete(source.id)

    assert held("spare key").quote == said
    assert traces(person_name, vector, key_bytes(person_name)) == []
