"""Categories by rule and by likeness, with an embedder that knows shared words alone."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from geniffy_server.domain.conversation import CONVERSATION_CATEGORIES, MEMORY_CATEGORIES
from geniffy_server.learn.conversation.categories import Categorizer, prototypes


def by_words(texts: Sequence[str]) -> NDArray[np.float32]:
    """A vector whose places are words, so that texts are alike by the words they share."""
    rows = np.zeros((len(texts), 384), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().strip(".").split():
            row[zlib.crc32(word.encode()) % 384] += 1
        row /= max(float(np.linalg.norm(row)), 1e-9)
    return rows


def test_every_category_has_sentences_that_stand_for_it() -> None:
    assert set(prototypes()["memory"]) == set(MEMORY_CATEGORIES)
    assert set(prototypes()["conversation"]) == set(CONVERSATION_CATEGORIES) - {"other"}
    assert all(len(held) >= 8 for held in [*prototypes()["memory"].values(), *prototypes()["conversation"].values()])


def test_a_memory_is_of_the_category_it_is_like() -> None:
    assert Categorizer(by_words).memory("I have asthma.", "detail", None) == "core"
    assert Categorizer(by_words).memory("My salary was raised.", "detail", None) == "work"


def test_a_given_vector_is_used_instead_of_embedding_the_text() -> None:
    (like_interests,) = by_words(["He is fascinated by black holes."])
    assert Categorizer(by_words).memory("Quux.", "detail", like_interests) == "interests"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Ich gehe jeden Morgen joggen.", "habits"),
        ("Trabajo en un banco en Madrid.", "work"),
        ("J'ai appris que le silence peut convaincre.", "learnings"),
        ("Vivo da solo con due gatti.", "lifestyle"),
        ("Я хорошо играю в шахматы.", "skills"),
        ("我妹妹住在上海。", "core"),
        ("趣味は釣りです。", "hobbies"),
        ("मैं एक बैंक में काम करता हूँ।", "work"),
        ("أنا مهتم بتاريخ الأندلس.", "interests"),
    ],
)
def test_other_languages_are_told_by_their_words(text: str, category: str) -> None:
    assert Categorizer(by_words).memory(text, "detail", None) == category


def test_what_is_like_nothing_is_other() -> None:
    categorizer = Categorizer(by_words)
    nothing = np.zeros((2, 384), np.float32)
    assert categorizer.memory("Zyxwv qwrtp.", "detail", nothing[0]) == "other"
    assert categorizer.conversation(["Zyxwv qwrtp.", "Plugh."], nothing) == "other"
    assert categorizer.conversation([], None) == "other"
    assert categorizer.conversation(["  "], None) == "other"


def test_small_talk_does_not_hide_what_a_conversation_is_about() -> None:
    turns = ["Hm.", "The doctor prescribed antibiotics.", "I had surgery at the hospital.", "Ok!"]
    assert Categorizer(by_words).conversation(turns, None) == "health"
    assert Categorizer(by_words).conversation(turns, by_words(turns)) == "health"


def test_the_sentences_are_embedded_once_whoever_asks_first() -> None:
    asked: list[Sequence[str]] = []

    def counted(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.append(texts)
        return by_words(texts)

    categorizer = Categorizer(counted)
    with ThreadPoolExecutor(8) as threads:
        found = list(
            threads.map(
                lambda _: categorizer.memory("I have asthma.", "detail", by_words(["I have asthma."])[0]), range(16)
            )
        )
    assert found == ["core"] * 16
    assert len(asked) == len(MEMORY_CATEGORIES)
