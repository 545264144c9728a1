"""A statement kept whole: one memory with a source of its own, already learned when the call returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from geniffy_server.caller import Caller
from geniffy_server.domain.memory import Fact, Kind, Line
from geniffy_server.domain.source import Form, NewPassage, Source
from geniffy_server.domain.space import Space
from geniffy_server.domain.text import one_line
from geniffy_server.learn.learn import whole_fact
from geniffy_server.learn.secrets import Masked, mask
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.adding import fresh_source, keyed
from geniffy_server.services.facts import line_of, vectors_of
from geniffy_server.services.owner_names import as_owner


@dataclass(frozen=True, slots=True)
class Whole:
    """A text that is one statement: masked, read as one fact, and embedded."""

    masked: Masked
    fact: Fact
    vector: NDArray[np.float32]


def read_whole(
    ports: Ports, text: str, now: datetime, *, owner: str | None, about: str | None = None, kind: Kind | None = None
) -> Whole:
    """Read a text as one statement, said now. Where none is found in it, `about` and `kind` hold. Blocking."""
    masked = mask(text)
    fact = as_owner(whole_fact(masked.text, now, owner=owner, about=about, kind=kind), owner)
    return Whole(masked, fact, vectors_of(ports, [fact])[0])


def lay_whole(
    tx: Transaction, space: Space, caller: Caller, form: Form, whole: Whole, now: datetime
) -> tuple[Source, Line]:
    """Keep the text as a source that was learned; the source, and the line for the memory that it teaches."""
    tx.spaces.added(space.id, now)
    text = whole.masked.text
    source = replace(
        fresh_source(caller, form, None, now),
        title=one_line(text),
        said_at=now,
        status="learned",
        facts=1,
        withheld=whole.masked.withheld,
    )
    tx.sources.add(space.id, source, text)
    passage = keyed(space, NewPassage(digest=source.id.encode(), start=0, end=len(text), kind="para"))
    (passage_id,) = tx.sources.add_passages(space.id, source.id, [(0, passage)])
    tx.sources.mark_learned(space.id, [passage_id])
    return source, line_of(whole.fact, source.id, passage_id)
