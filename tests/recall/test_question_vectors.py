from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from geniffy_server.recall.question_vectors import QuestionEmbedder


class Counting:
    """An embedder that counts its calls. Each fails while `is_broken`; in another thread it waits for `may_end`."""

    id = "counting"

    def __init__(self) -> None:
        self.calls = 0
        self.is_broken = False
        self.may_end = threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if threading.current_thread() is not threading.main_thread():
            assert self.may_end.wait(10)
        if self.is_broken:
            raise RuntimeError("no model here")
        return np.ones((len(texts), 384), np.float32)


def test_a_question_that_is_under_way_is_not_embedded_again() -> None:
    model = Counting()
    questions = QuestionEmbedder(model)

    first, second = questions.begin("Where?"), questions.begin("Where?")
    model.may_end.set()

    assert first() is not None
    assert second() is first()
    assert questions.begin("Where?")() is first()
    assert model.calls == 1


def test_a_question_that_could_not_be_embedded_is_tried_again() -> None:
    model = Counting()
    questions = QuestionEmbedder(model)
    model.may_end.set()
    model.is_broken = True
    assert questions.begin("Where?")() is None

    model.is_broken = False

    assert questions.begin("Where?")() is not None


def test_one_that_no_thread_is_free_for_is_embedded_by_whoever_waits() -> None:
    model = Counting()
    questions = QuestionEmbedder(model)
    busy = [questions.begin(text) for text in ("one", "two")]
    waiting = [questions.begin("three"), questions.begin("three")]

    assert [one() is not None for one in waiting] == [True, True]

    model.may_end.set()
    assert [one() is not None for one in busy] == [True, True]
