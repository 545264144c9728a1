"""What a slice of new facts does to the memories that are held: planned on a reading of the store, written later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.instants import said_on
from geniffy_server.domain.memory import Fact, Memory, MemoryId, Spoken, occasion_of
from geniffy_server.domain.source import PassageId, SourceId
from geniffy_server.domain.space import Space
from geniffy_server.learn.change.corrections import Correction, correction, put_right
from geniffy_server.learn.change.reconcile import decide, reach
from geniffy_server.learn.change.told_back import is_citation, printed_values, told_back, words_of
from geniffy_server.learn.dates.spoken import pick
from geniffy_server.learn.quotes import echo_of, normalised
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.candidates import candidates
from geniffy_server.services.facts import statement
from geniffy_server.services.stopping import unless_stopping

# Facts of the same slice that a new one is compared with, as `candidates` does with what is stored.
_NEAR: Final = 8
_LEAST_COSINE: Final = 0.45
_FAR: Final = 24
_FAR_LEAST_COSINE: Final = 0.1
_JUST_SAID: Final = 4  # statements before it that "I meant 4 pm" may put right
_LONG_BEFORE: Final = timedelta(days=60)


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory in the store."""

    id: MemoryId


Slot = Stored | int
"""A memory in the store, or the position of an earlier fact of the same slice that will be one."""


@dataclass(frozen=True, slots=True)
class Same:
    """The fact is held already: it gains one more line.

    `replaces`: what contradicted it until now, and was said earlier than this line.
    """

    as_: Slot
    replaces: Sequence[MemoryId] = ()


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
    """A fact as it was read.

    `echo` is the memory's text when its line looks like one that `context` printed, and `printed` what a result in the
    same passage states when it is one that a program printed.
    """

    passage_id: PassageId
    fact: Fact
    echo: str | None = None
    printed: Sequence[str] = ()


def reported(passage_id: PassageId, text: str, fact: Fact) -> Reported:
    """A fact that was read in a passage of these words."""
    start = text.rfind("\n", 0, fact.start) + 1
    end = text.find("\n", fact.end)
    return Reported(passage_id, fact, echo_of(text[start : end if end >= 0 else len(text)]), printed_values(text))


@dataclass(frozen=True, slots=True)
class Plan:
    """Facts in order, each with the mark of its statement and what becomes of it.

    `reworded` are the positions of facts that were worded after what they put right: their vectors are to be made anew.
    """

    facts: Sequence[Reported]
    statements: Sequence[bytes]
    outcomes: Sequence[Outcome]
    reworded: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class _Held:
    slot: Slot
    text: str
    about: str | None
    how: str
    said_at: datetime
    spoken: Spoken | None
    is_of_another_source: bool

    @property
    def occasion(self) -> str:
        return occasion_of(self.spoken)


def plan_facts(
    ports: Ports,
    tx: Transaction,
    space: Space,
    source_id: SourceId,
    facts: Sequence[Reported],
    vectors: NDArray[np.float32] | None,
) -> Plan:
    """Compare each fact of a source with what is held and with the facts before it in the slice.

    Raises Stopping between two of them when the process is asked to stop.
    """
    read, wrong = _put_right(tx, space, source_id, facts)
    reworded = [index for index, one in enumerate(read) if one is not facts[index]]
    only = [one.fact for one in read]
    back = [told_back(fact.quote) for fact in only]
    marks = [statement(space, fact) for fact in only]
    held = tx.memories.by_statement(space.id, marks)
    asked = [None if one.echo or words else one.fact for one, words in zip(read, back, strict=True)]
    near = candidates(ports, tx, space, asked, vectors)
    outcomes: list[Outcome] = []
    first_of: dict[bytes, int] = {}
    for index, fact in enumerate(only):
        if index:
            unless_stopping(ports)
        mark = marks[index]
        if _is_told_back(tx, space, read[index], back[index], near[index]):
            outcomes.append(Echo())
        elif mark in held:
            outcomes.append(_again(tx, space, held[mark], fact))
        elif mark in first_of:
            outcomes.append(Same(first_of[mark]))
        else:
            before = _before(only, vectors, index, reworded)
            others = [
                *(_stored(memory, source_id) for memory in [*wrong.get(index, ()), *near[index]]),
                *(_told(only[i], i) for i in before if isinstance(outcomes[i], New)),
            ]
            outcomes.append(_compare(tx, space, fact, others))
            first_of[mark] = index
    return Plan(read, marks, outcomes, reworded)


def between(earlier: Memory, later: Memory) -> str:
    """What becomes of a memory beside one that was said no earlier: `replaces`, `clash`, `same` or `both`."""
    held, new = _as_told(earlier), _as_told(later)
    if earlier.source is not None and later.source is not None:
        held = replace(held, is_of_another_source=earlier.source.id != later.source.id)
    verdict = _verdict(held, new)
    return "clash" if verdict == "replaces" and _has_no_later_side(held, new) else verdict


def _put_right(
    tx: Transaction, space: Space, source_id: SourceId, facts: Sequence[Reported]
) -> tuple[list[Reported], dict[int, Sequence[Memory]]]:
    """The facts, where one that says nothing alone (`it's 14, not 15`) is worded after the statement it puts right.

    With them the memories that are put right, each under the position of the fact that does so.
    """
    read: list[Reported] = []
    wrong: dict[int, Sequence[Memory]] = {}
    for one in facts:
        right = correction(one.fact.text)
        if right is None or right.value is None:
            read.append(one)
            continue
        before: list[Fact | Memory] = [said.fact for said in reversed(read[-_JUST_SAID:])]
        if len(before) < _JUST_SAID:
            newest = tx.memories.page(space.id, None, {}, _JUST_SAID - len(before), 0)
            # Without what was wrong it puts right what was just said, in the same source.
            before += [it for it in newest if right.denied or (it.source is not None and it.source.id == source_id)]
        said, text = _what_is_right(right, before)
        if isinstance(said, Memory):
            wrong[len(read)] = [said]
        read.append(one if said is None else _worded_after(one, said, text))
    return read, wrong


def _what_is_right(right: Correction, before: Sequence[Fact | Memory]) -> tuple[Fact | Memory | None, str]:
    """The statement that a bare value puts right, and how it reads then; None where two could be meant."""
    found = [(said, text) for said in before if (text := put_right(said.text, right)) is not None]
    if not found or (right.denied is not None and len({text for _, text in found}) > 1):
        return None, ""
    return found[0]


def _worded_after(one: Reported, said: Fact | Memory, text: str) -> Reported:
    spoken = pick(text, said_on(one.fact.said_at)) if said.spoken is not None else None
    worded = replace(one.fact, text=text, about=said.about, how=said.how, kind=said.kind, spoken=spoken)
    return replace(one, fact=replace(worded, first_person=False))


def _stored(memory: Memory, source_id: SourceId) -> _Held:
    is_elsewhere = memory.source is not None and memory.source.id != source_id
    return replace(_as_told(memory), is_of_another_source=is_elsewhere)


def _as_told(memory: Memory) -> _Held:
    slot = Stored(memory.id)
    return _Held(slot, memory.text, memory.about, memory.how, memory.said_at, memory.spoken, is_of_another_source=True)


def _told(fact: Fact, slot: Slot) -> _Held:
    return _Held(slot, fact.text, fact.about, fact.how, fact.said_at, fact.spoken, is_of_another_source=False)


def _is_told_back(
    tx: Transaction, space: Space, read: Reported, back: tuple[str, ...] | None, near: Sequence[Memory]
) -> bool:
    """Whether the line gives back what is held: as `context` or a result prints it, or to the one who said it."""
    if read.echo is not None:
        words = normalised(read.echo)
        return any(normalised(memory.text) == words for memory in near)
    if is_citation(read.fact.quote):
        return True
    if read.printed:
        return all(tx.memories.saying(space.id, value) for value in read.printed)
    return bool(back) and any(words_of(memory.text) == back for memory in near)


def _before(
    facts: Sequence[Fact], vectors: NDArray[np.float32] | None, index: int, reworded: Sequence[int]
) -> list[int]:
    """Earlier facts of the slice that may be changed by this one, nearest first."""
    if index in reworded:
        return list(range(index - 1, max(-1, index - 1 - _JUST_SAID), -1))
    if vectors is None or index == 0:
        return []
    fact = facts[index]
    far = reach(fact.text, fact.about)
    most, least = (_NEAR, _LEAST_COSINE) if far == "near" else (_FAR, _FAR_LEAST_COSINE)
    cosines = vectors[:index] @ vectors[index]
    order = np.argsort(-cosines, kind="stable")
    return [
        int(i)
        for i in order[: most * 2]
        if cosines[i] >= least and (fact.about is None or far == "any" or facts[i].about in (None, fact.about))
    ][:most]


def _again(tx: Transaction, space: Space, memory_id: MemoryId, fact: Fact) -> Same:
    """What is held is said again. If it contradicts what was said earlier than this, the contradiction is settled."""
    others = tx.memories.clashing_with(space.id, [memory_id]).get(memory_id, ())
    again = _told(fact, Stored(memory_id))
    settled = [
        other.id
        for other in tx.memories.find_many(space.id, others).values()
        if other.status == "clash"
        and _last_said(tx, space, other.id, other.said_at) < fact.said_at
        and _verdict(_as_told(other), again) == "replaces"
    ]
    return Same(Stored(memory_id), settled)


def _compare(tx: Transaction, space: Space, fact: Fact, candidates: Sequence[_Held]) -> Outcome:
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
                return _again(tx, space, held.slot.id, fact) if isinstance(held.slot, Stored) else Same(held.slot)
            continue  # the words again, of another day: both happened
        if verdict in ("replaces", "clash") and is_later and _is_of_long_before(new, held):
            continue
        if verdict == "replaces" and is_later and _is_said_again_later(tx, space, held, fact):
            is_later = False
            verdict = _verdict(new, held)
        if verdict == "replaces" and _has_no_later_side(held, new):
            verdict = "clash"
        if verdict == "replaces" and is_later:
            replaces.append(held.slot)
        elif verdict == "replaces" and replaced_by is None:
            replaced_by = held.slot
        elif verdict == "clash":
            clashes.append(held.slot)
    return New(replaces, clashes, replaced_by)


def _is_of_long_before(new: _Held, held: _Held) -> bool:
    """Whether the newer statement tells what happened long before the other was said: `I moved to Cork in 2019`."""
    spoken = new.spoken
    if spoken is None or spoken.precision in ("yearly", "since") or held.spoken is not None:
        return False
    return spoken.high < held.said_at.date() - _LONG_BEFORE


def _is_said_again_later(tx: Transaction, space: Space, held: _Held, fact: Fact) -> bool:
    return isinstance(held.slot, Stored) and _last_said(tx, space, held.slot.id, held.said_at) > fact.said_at


def _last_said(tx: Transaction, space: Space, memory_id: MemoryId, first: datetime) -> datetime:
    """When a memory was last said; it carries the day on which it was first said."""
    return max((line.said_at for line in tx.memories.lines(space.id, memory_id)), default=first)


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
