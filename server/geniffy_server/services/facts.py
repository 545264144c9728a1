"""From a fact that was read to a memory that can be stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.memory import Fact, Line, NewMemory, embedded_text, occasion_of, statement_of
from geniffy_server.domain.source import PassageId, SourceId
from geniffy_server.domain.space import Space
from geniffy_server.learn.quotes import normalised
from geniffy_server.ports import Ports


def vectors_of(ports: Ports, facts: Sequence[Fact]) -> NDArray[np.float32]:
    """float32 (len(facts), 384), rows of length 1. Blocking."""
    return ports.embedder.embed([embedded_text(f.text, f.quote, first_person=f.first_person) for f in facts])


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
        tokens=ports.recall.tokens(fact.text, fact.about, fact.said_at, said_by=fact.said_by),
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
