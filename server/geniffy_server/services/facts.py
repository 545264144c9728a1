"""From a fact that was read to a memory that can be stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.memory import Fact, Line, NewMemory, embedded_text, occasion_of, statement_of
from geniffy_server.domain.source import PassageId, SourceId
from geniffy_server.domain.space import Space
from geniffy_server.learn.quotes import normalised
from geniffy_server.ports import Ports

# What was asked counts half: a short answer lies near the question it answers, and two wordings of one statement still
# lie within .89 of one another when only one of them answers something.
_ASKED: Final = np.float32(0.5)


def vectors_of(ports: Ports, facts: Sequence[Fact]) -> NDArray[np.float32]:
    """float32 (len(facts), 384), rows of length 1: what facts are compared by. Blocking."""
    return ports.embedder.embed([embedded_text(f.text, f.quote, first_person=f.first_person) for f in facts])


def with_questions(ports: Ports, vectors: NDArray[np.float32], asked: Sequence[str | None]) -> NDArray[np.float32]:
    """Those vectors with a share of what was asked before each: what memories are found by. Blocking."""
    questions = list(dict.fromkeys(one for one in asked if one))
    if not questions:
        return vectors
    at = {one: row for row, one in enumerate(questions)}
    rows = np.array([row for row, one in enumerate(asked) if one])
    shares = ports.embedder.embed(questions)[[at[one] for one in asked if one]]
    mixed = vectors.copy()
    mixed[rows] += _ASKED * shares
    mixed[rows] /= np.maximum(np.linalg.norm(mixed[rows], axis=1, keepdims=True), np.float32(1e-6))
    return mixed


def statement(space: Space, fact: Fact) -> bytes:
    """The mark under which the same fact from another source is found.

    It is that of the words, of the occasion they speak of, and of the subject where they do not name it: what they
    name may be read otherwise under another heading, or in a line that context printed.
    """
    is_named = fact.about is not None and fact.about.casefold() in fact.text.casefold()
    words = "\x1f".join(part for part in (normalised(fact.text), occasion_of(fact.spoken)) if part)
    return statement_of(space.secret, words, None if is_named else fact.about)


def new_memory(ports: Ports, space: Space, fact: Fact, vector: NDArray[np.float32] | None, now: datetime) -> NewMemory:
    """The memory a fact becomes; float16 vectors cost no recall and half the room."""
    return NewMemory(
        text=fact.text,
        kind=fact.kind,
        about=fact.about,
        how=fact.how,
        first_person=fact.first_person,
        statement=statement(space, fact),
        spoken=fact.spoken,
        learned_at=now,
        status="current",
        vector=b"" if vector is None else vector.astype(np.float16).tobytes(),
        tokens=ports.recall.tokens(fact.text, fact.about, fact.said_at, said_by=fact.said_by, asked=fact.asked),
    )


def line_of(fact: Fact, source_id: SourceId, passage_id: PassageId) -> Line:
    """Where a fact was said."""
    return Line(
        source_id=source_id,
        passage_id=passage_id,
        start=fact.start,
        end=fact.end,
        quote=fact.quote,
        said_at=fact.said_at,
    )
