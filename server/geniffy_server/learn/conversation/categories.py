"""Categories of memories and conversations, without a model from a network.

Two things speak for a category: how near a text is to sentences that are like it (`words/categories.toml`, embedded
once), which knows English alone, and words listed for it in the text's language (`memory_categories` and
`conversation_categories` of each language).
"""

from __future__ import annotations

import math
import threading
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.conversation import (
    CONVERSATION_CATEGORIES,
    MEMORY_CATEGORIES,
    ConversationCategory,
    MemoryCategory,
)
from geniffy_server.domain.memory import Kind
from geniffy_server.learn.language import language_of
from geniffy_server.learn.lexicon import fragments

Embed = Callable[[Sequence[str]], NDArray[np.float32]]


class Categorizer:
    """Says what a memory or a conversation is about. Blocking, and may be used from several threads at once.

    `embed` is the embedder's; the sentences that stand for a category are embedded at the first use.
    """

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._lock = threading.Lock()
        self._prototypes: dict[str, Sequence[NDArray[np.float32]]] = {}

    def memory(self, text: str, kind: Kind, vector: NDArray[Any] | None) -> MemoryCategory:
        """The category of one memory; `other` when nothing speaks for one.

        `vector`: the (384,) vector of the text, of length 1; None to have it embedded. Raises what `embed` raises.
        """
        given = None if vector is None else np.asarray(vector, np.float32)[None, :]
        scores = self._scores(MEMORY_CATEGORIES, "memory", [text[:_LONGEST]], given)[:, 0]
        if kind == "plan":
            scores[MEMORY_CATEGORIES.index("other")] += _PLAN
        best = int(np.argmax(scores))
        return MEMORY_CATEGORIES[best] if scores[best] >= _least([text], _LEAST_MEMORY) else "other"

    def conversation(self, turns: Sequence[str], vectors: NDArray[Any] | None) -> ConversationCategory:
        """The category of a conversation; `other` when nothing speaks for one, and for one without words.

        `vectors`: (len(turns), 384), of the turns; None to have them embedded. Only the first `MOST_TURNS` are looked
        at. Raises what `embed` raises.
        """
        kept = [at for at, turn in enumerate(turns) if turn.strip()][:MOST_TURNS]
        if not kept:
            return "other"
        said = [turns[at][:_LONGEST] for at in kept]
        given = None if vectors is None else np.asarray(vectors, np.float32)[kept]
        scores = self._scores(CONVERSATION_CATEGORIES, "conversation", said, given)
        telling = math.ceil(len(said) / 2)  # greetings and small talk are like no category
        means = np.sort(scores, axis=1)[:, -telling:].mean(axis=1)
        best = int(np.argmax(means))
        return CONVERSATION_CATEGORIES[best] if means[best] >= _least(said, _LEAST_CONVERSATION) else "other"

    def _scores(
        self, names: Sequence[str], table: str, texts: Sequence[str], vectors: NDArray[np.float32] | None
    ) -> NDArray[np.float32]:
        """float32 (len(names), len(texts)): how much speaks for each category in each text."""
        languages = [language_of(text) for text in texts]
        scores = np.zeros((len(names), len(texts)), np.float32)
        english = [at for at, language in enumerate(languages) if language == "en"]
        if english:
            rows = self._embed([texts[at] for at in english]) if vectors is None else vectors[english]
            for place, alike in enumerate(self._of(table, names)):
                if len(alike):
                    nearest = np.sort(rows @ alike.T, axis=1)[:, -_NEAREST:]
                    scores[place, english] = nearest.mean(axis=1)
        for place, name in enumerate(names):
            for at, (text, language) in enumerate(zip(texts, languages, strict=True)):
                scores[place, at] += _CUE[table] * min(_MOST_CUES, _cues(table, name, text, language))
        return scores

    def _of(self, table: str, names: Sequence[str]) -> Sequence[NDArray[np.float32]]:
        """The vectors of the sentences that stand for each category, embedded once."""
        with self._lock:
            if table not in self._prototypes:
                held = prototypes()[table]
                self._prototypes[table] = [self._embed(list(held.get(name, ()))) for name in names]
            return self._prototypes[table]


MOST_TURNS: Final = 200
"""How many turns of a conversation are looked at."""
_LONGEST: Final = 1_000  # characters of one text

# Chosen on the seen half of tests/quality/conversations.jsonl, among .05 to .5 for a cue, .1 to .35 for the least, and
# 0 to .2 for a plan.
_NEAREST: Final = 2  # sentences of a category that a text is compared with: one alone may be a chance likeness
_CUE: Final[Mapping[str, float]] = {"memory": 0.2, "conversation": 0.3}
_MOST_CUES: Final = 2
_LEAST_MEMORY: Final = 0.2
_LEAST_CONVERSATION: Final = 0.27
_PLAN: Final = 0.1  # what is to be done matters for a while


@cache
def prototypes() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The sentences of each category, by table: `memory` and `conversation`."""
    text = resources.files("geniffy_server.learn").joinpath("words", "categories.toml").read_text("utf-8")
    return {
        table: {name: tuple(sentences) for name, sentences in keys.items()}
        for table, keys in tomllib.loads(text).items()
    }


def _cues(table: str, name: str, text: str, language: str) -> int:
    found = fragments(f"{table}_categories", name, language).finditer(text)
    return sum(1 for _ in zip(range(_MOST_CUES), found, strict=False))


def _least(texts: Sequence[str], least: float) -> float:
    """The score below which a category is a guess: of English, that of likeness; elsewhere any listed word counts."""
    return least if any(language_of(text) == "en" for text in texts) else 1e-6
