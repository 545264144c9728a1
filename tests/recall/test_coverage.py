from __future__ import annotations

import numpy as np
import pytest

from geniffy_server.domain.memory import Memory
from geniffy_server.recall.bm25 import Postings
from geniffy_server.recall.coverage import coverage, topic
from geniffy_server.recall.features import Question
from geniffy_server.recall.rivals import margin
from tests.recall.told import SAID, memory


def covered(question: str, told: Memory) -> tuple[float, int]:
    asked = Question.read(question, SAID.date())
    found = coverage(topic(asked, [], Postings.empty()), told)
    return round(found.share, 2), found.missing


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("Where does Kim work?", "Kim works at Acme.", (1.0, 0)),
        ("What is Kim's job?", "Kim works at Acme.", (0.7, 0)),
        ("What is Kim's favourite food?", "Kim lives in Oslo.", (0.0, 2)),
        ("When did Tom break his leg?", "Tom broke his arm.", (0.5, 1)),
        ("Does Mia play chess?", "Mia plays the violin.", (0.5, 1)),
        ("How old is Kim?", "Kim is 34.", (0.7, 0)),
        ("Kim?", "Kim lives in Oslo.", (1.0, 0)),
    ],
)
def test_a_memory_covers_the_words_it_holds_or_answers(question: str, text: str, expected: tuple[float, int]) -> None:
    assert covered(question, memory(text)) == expected


def test_the_margin_tells_on_whose_side_the_best_lies() -> None:
    own, others = np.array([True, True, True, False, False, False]), np.array([False] * 3 + [True] * 3)
    cosine = np.array([0.1, 0.2, 0.1, 0.6, 0.5, 0.4], np.float32)
    bm25 = np.zeros(6, np.float32)

    assert margin(own, others, cosine, bm25) < -1
    assert margin(others, own, cosine, bm25) > 1
    assert margin(own, np.zeros(6, bool), cosine, bm25) == 0
