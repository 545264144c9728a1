from __future__ import annotations

import numpy as np
import pytest

from geniffy_server.domain.memory import Memory
from geniffy_server.recall.bm25 import Postings
from geniffy_server.recall.coverage import Coverage, coverage, topic
from geniffy_server.recall.features import Question
from geniffy_server.recall.rivals import margin
from tests.recall.told import SAID, memory


def covered(question: str, told: Memory) -> tuple[float, int]:
    found = covering(question, told)
    return round(found.share, 2), found.missing


def covering(question: str, told: Memory) -> Coverage:
    asked = Question.read(question, SAID.date())
    return coverage(topic(asked, asked.names, [], Postings.empty()), told)


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
        ("Where does Kim work?", "Kim is still at the bakery.", (0.7, 0)),
        ("Where does Kim work?", "Kim has been at Halden for ten years.", (0.7, 0)),
        ("Where does Kim work?", "Kim is at the airport.", (0.0, 1)),
        ("Wo arbeitet Kim?", "Kim ist noch bei der Bank.", (0.7, 0)),
        ("Which vet does Kim recommend?", "Dr. Holm is good with old dogs.", (0.7, 0)),
        ("Where does Kim work?", "Kim is a paramedic in Hull.", (0.7, 0)),
        ("Who is my manager?", "I run every Sunday with Kim.", (0.0, 1)),
        ("Who is my manager?", "Kim runs our team.", (0.7, 0)),
        ("What is Kim's phone number?", "Kim's passport number ends in 12.", (0.5, 1)),
        ("Who is my dentist?", "My GP is Dr. Holm.", (0.0, 1)),
        ("Who looks after the parrot?", "The parrot is called Captain.", (0.5, 1)),
        ("Who looks after the parrot?", "Kim minds the parrot.", (1.0, 0)),
        ("車の鍵はどこですか？", "自転車の鍵は棚にあります。", (0.5, 1)),
        ("車の鍵はどこですか？", "車の鍵は棚にあります。", (1.0, 0)),
        ("What's my name?", "Hi, I'm Dana from the payments team.", (1.0, 0)),
        ("Wie heiße ich?", "Ich heiße Dana.", (1.0, 0)),
        ("What's my name?", "I'm from Hull.", (0.0, 1)),
        ("Where are the winter tires?", "The winter tyres are at Kern's.", (1.0, 0)),
        ("What can Kim cook?", "Kim quit her job.", (0.0, 1)),  # a kind answers for a member of it in yes or no alone
        ("Which club does Kim support?", "kim has supported Brann since school.", (0.62, 1)),  # a club has some name
        ("Which club does Kim support?", "Kim supported her sister.", (0.5, 1)),
    ],
)
def test_a_memory_covers_the_words_it_holds_or_answers(question: str, text: str, expected: tuple[float, int]) -> None:
    assert covered(question, memory(text)) == expected


@pytest.mark.parametrize(
    ("question", "text", "contradicted"),
    [
        ("How does Kim take her tea?", "Kim takes her coffee black.", 1),  # another of its kind
        ("Which instrument does Kim play?", "Kim plays the cello.", 0),  # the kind is answered by any of it
        ("Can Kim eat walnuts?", "Kim is allergic to nuts.", 0),  # what holds of a kind holds of each
        ("Who broke the gate?", "Kim fixed the gate.", 1),  # the opposite
        ("Has INV-2045 been paid?", "INV-2044 is unpaid.", 1),  # another number
        ("¿Kim toca el piano?", "Kim toca la guitarra.", 1),
    ],
)
def test_another_of_a_kind_contradicts_what_is_asked_for(question: str, text: str, contradicted: int) -> None:
    assert covering(question, memory(text)).contradicted == contradicted


def test_a_question_of_one_language_is_covered_in_another() -> None:
    assert covered("Where does Kim live?", memory("Kim vive en Sevilla.")) == (0.7, 0)


def test_the_margin_tells_on_whose_side_the_best_lies() -> None:
    own, others = np.array([True, True, True, False, False, False]), np.array([False] * 3 + [True] * 3)
    cosine = np.array([0.1, 0.2, 0.1, 0.6, 0.5, 0.4], np.float32)
    bm25 = np.zeros(6, np.float32)

    assert margin(own, others, cosine, bm25) < -1
    assert margin(others, own, cosine, bm25) > 1
    assert margin(own, np.zeros(6, bool), cosine, bm25) == 0
