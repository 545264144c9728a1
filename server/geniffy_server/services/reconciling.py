"""What a slice of new facts does to the memories that are held: planned on a reading of the store, written later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.memory import Fact, Memory, MemoryId, occasion_of
from geniffy_server.domain.source import PassageId, SourceId
from geniffy_server.domain.space import Space
from geniffy_server.learn.quotes import echo_of, normalised
from geniffy_server.learn.reconcile import decide
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.facts import statement

# Candidates for change, `learning.md` 7: the nearest of the same subject, or where either subject is unknown.
_CANDIDATES: Final = 8
_LEAST_COSINE: Final = 0.45


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory in the store."""

    id: MemoryId


Slot = Stored | int
"""A memory in the store, or the position of an earlier fact of the same slice that will be one."""


@dataclass(frozen=True, slots=True)
class Same:
    """The fact is held already: it gains one more line."""

    as_: Slot


@dataclass(frozen=True, slots=True)
class Echo:
    """The line is one that recall printed and came back: it is not evidence of anything."""


@dataclass(frozen=True, slots=True)
class New:
    """The fact becomes a memory. `replaced_by`: a value said later is held already, so this one is history."""

    replaces: Sequence[Slot] = ()
    clashes: Sequence[Slot] = ()
    replaced_by: Slot | None = None


Outcome = Same | Echo | New


@dataclass(frozen=True, slots=True)
class Reported:
    """A fact as it was read. `echo` is the memory's text when its line looks like one that `context` printed."""

    passage_id: PassageId
    fact: Fact
    echo: str | None = None


def reported(passage_id: PassageId, text: str, fact: Fact) -> Reported:
    """A fact that was read in a passage of these words."""
    start = text.rfind("\n", 0, fact.start) + 1
    end = text.find("\n", fact.end)
    return Reported(passage_id, fact, echo_of(text[start : end if end >= 0 else len(text)]))


@dataclass(frozen=True, slots=True)
class Plan:
    """Facts in order, each with the mark of its statement and what becomes of it."""

    facts: Sequence[Reported]
    statements: Sequence[bytes]
    outcomes: Sequence[Outcome]


@dataclass(frozen=True, slots=True)
class _Held:
    slot: Slot
    text: str
    about: str | None
    how: str
    said_at: datetime
    occasion: str
    is_of_another_source: bool


def plan_facts(
    ports: Ports,
    tx: Transaction,
    space: Space,
    source_id: SourceId,
    facts: Sequence[Reported],
    vectors: NDArray[np.float32] | None,
) -> Plan:
    """Compare each fact of a source with what is held and with the facts before it in the slice."""
    only = [read.fact for read in facts]
    marks = [statement(space, fact) for fact in only]
    held = tx.memories.by_statement(space.id, marks)
    near: Sequence[Sequence[MemoryId]] = [[] for _ in only]
    if vectors is not None and len(only):
        abouts = [None if read.echo else read.fact.about for read in facts]
        near = ports.recall.near(tx, space, vectors, abouts, limit=_CANDIDATES, least=_LEAST_COSINE)
    memories = tx.memories.find_many(space.id, {memory_id for ids in near for memory_id in ids})
    outcomes: list[Outcome] = []
    first_of: dict[bytes, int] = {}
    for index, fact in enumerate(only):
        mark = marks[index]
        neighbours = [memories[memory_id] for memory_id in near[index] if memory_id in memories]
        if _is_echo(facts[index], neighbours):
            outcomes.append(Echo())
        elif mark in held:
            outcomes.append(Same(Stored(held[mark])))
        elif mark in first_of:
            outcomes.append(Same(first_of[mark]))
        else:
            candidates = [
                *(_stored(memory, source_id) for memory in neighbours),
                *(_told(only[i], i) for i in _near_before(only, vectors, index) if isinstance(outcomes[i], New)),
            ]
            outcomes.append(_compare(fact, candidates))
            first_of[mark] = index
    return Plan(facts, marks, outcomes)


def _stored(memory: Memory, source_id: SourceId) -> _Held:
    is_elsewhere = memory.source is not None and memory.source.id != source_id
    occasion = occasion_of(memory.spoken)
    return _Held(Stored(memory.id), memory.text, memory.about, memory.how, memory.said_at, occasion, is_elsewhere)


def _told(fact: Fact, slot: Slot) -> _Held:
    occasion = occasion_of(fact.spoken)
    return _Held(slot, fact.text, fact.about, fact.how, fact.said_at, occasion, is_of_another_source=False)


def _is_echo(read: Reported, neighbours: Sequence[Memory]) -> bool:
    """Whether the line is a held memory as `context` prints it, with its citation."""
    if read.echo is None:
        return False
    words = normalised(read.echo)
    return any(normalised(memory.text) == words for memory in neighbours)


def _near_before(facts: Sequence[Fact], vectors: NDArray[np.float32] | None, index: int) -> list[int]:
    """Earlier facts of the slice that may be changed by this one, nearest first."""
    if vectors is None or index == 0:
        return []
    cosines = vectors[:index] @ vectors[index]
    order = np.argsort(-cosines, kind="stable")
    about = facts[index].about
    return [
        int(i)
        for i in order[: _CANDIDATES * 2]
        if cosines[i] >= _LEAST_COSINE and (about is None or facts[i].about in (None, about))
    ][:_CANDIDATES]


def _compare(fact: Fact, candidates: Sequence[_Held]) -> Outcome:
    """What becomes of a fact beside these memories. One said later holds; one said earlier is history."""
    replaces: list[Slot] = []
    clashes: list[Slot] = []
    replaced_by: Slot | None = None
    new = _told(fact, 0)
    for held in candidates:
        is_later = held.said_at <= fact.said_at
        verdict = _verdict(held, new) if is_later else _verdict(new, held)
        if verdict == "same":
            if held.occasion == new.occasion:
                return Same(held.slot)
            continue  # the words again, of another day: both happened
        if verdict == "replaces" and _has_no_later_side(held, new):
            verdict = "clash"
        if verdict == "replaces" and is_later:
            replaces.append(held.slot)
        elif verdict == "replaces" and replaced_by is None:
            replaced_by = held.slot
        elif verdict == "clash":
            clashes.append(held.slot)
    return New(replaces, clashes, replaced_by)


def _verdict(earlier: _Held, later: _Held) -> str:
    return decide(
        earlier.text,
        later.text,
        held_about=earlier.about,
        new_about=later.about,
        held_how=earlier.how,
        new_how=later.how,
    )


def _has_no_later_side(held: _Held, new: _Held) -> bool:
    """Whether two sources say this of one moment, and no word such as "moved" tells which is the newer (contract 122).

    Within one source the order of its words tells.
    """
    return held.is_of_another_source and held.said_at == new.said_at and _verdict(new, held) == "replaces"
