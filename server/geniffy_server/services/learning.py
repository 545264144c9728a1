"""Learning what sources say: one slice of one job at a time, each slice whole or not at all.

A slice reads some passages that are not learned yet with a little of what stands before them, makes facts of them,
compares those with what is held, and writes memories, lines, history and the learned marks in one transaction. A
crash between slices loses nothing: the passages are simply not learned yet.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.job import Job
from geniffy_server.domain.memory import OWNER, Fact, MemoryId
from geniffy_server.domain.source import Passage, Source, Turn
from geniffy_server.domain.space import Space
from geniffy_server.learn.asked import asked_before, questions_in
from geniffy_server.learn.learn import Reading, facts_of, stated_owner_name
from geniffy_server.learn.secrets import mask
from geniffy_server.ports import EMBEDDER_NOTE, Ports, Transaction
from geniffy_server.services.accounts import month_of
from geniffy_server.services.drafting import drafted
from geniffy_server.services.facts import line_of, new_memory, vectors_of, with_questions
from geniffy_server.services.owner_names import as_owner, settle_owner_name
from geniffy_server.services.reconciling import Echo, Plan, Reported, Same, Slot, Stored, plan_facts, reported
from geniffy_server.services.removing import cut_refused, is_usable, marks_of, quote_mark, retire
from geniffy_server.services.scrubbing import owe_scrub
from geniffy_server.services.stopping import Stopping, unless_stopping

log = logging.getLogger(__name__)

# A slice takes about half a second, so that no source starves another: so many passages, and of long ones so many
# characters, since each statement costs 4 ms to embed and more to compare.
SLICE: Final = 64
SLICE_CHARS: Final = 8_000
CONTEXT: Final = 4  # passages or turns before a new one that tell who "she" is
LEASE_S: Final = 60.0
MAX_ATTEMPTS: Final = 5
_KNOWN_SUBJECTS: Final = 400
_EMBEDDED_AT_ONCE: Final = 16  # statements, some 60 ms: how soon embedding sees that the process is to stop
_CHARS_A_TOKEN: Final = 4  # what usage counts as a token


@dataclass(frozen=True, slots=True)
class Slice:
    """Passages of one source to learn now. `readings[i]` stands for `passages[i]`, None for context only."""

    job: Job
    space: Space
    source: Source
    readings: Sequence[Reading]
    passages: Sequence[Passage | None]
    known: Sequence[str]


async def learn_next(ports: Ports) -> bool:
    """Take the next job and learn one slice of it; False when no job waits that may be taken.

    A fault gives the job back to be tried later, and after five attempts the source is `failed` with a sentence. A
    process that is asked to stop gives it back too, with nothing of the slice written.
    """
    if not await ports.store.read(lambda tx: tx.jobs.waiting()):
        return False
    worker = ports.store.worker
    job = await ports.store.write(lambda tx: tx.jobs.claim(worker, ports.clock.now(), LEASE_S))
    if job is None:
        return await _free_abandoned(ports)
    try:
        await _learn_slice(ports, job)
    except Stopping:
        await ports.store.write(lambda tx: tx.jobs.yield_(job.id, job.revision, ports.clock.now()))
    except Exception:
        log.exception("learning source %s failed, attempt %d", job.source_id, job.attempts)
        await _give_back(ports, job)
    return True


async def _learn_slice(ports: Ports, job: Job) -> None:
    piece = await ports.store.read(lambda tx: _load(tx, job))
    if piece is None:
        await ports.store.write(lambda tx: tx.jobs.finish(job.id, job.revision))
        return
    go_on = partial(unless_stopping, ports)
    read = await asyncio.to_thread(
        facts_of, piece.readings, owner=piece.space.owner_name, known=piece.known, before_each=go_on
    )
    read = await drafted(ports, piece.readings, read, owner=piece.space.owner_name, known=piece.known)
    facts = _reported(piece, read)
    vectors, stored = await asyncio.to_thread(_embed, ports, [read.fact for read in facts])
    plan = await ports.store.read(lambda tx: plan_facts(ports, tx, piece.space, piece.source.id, facts, vectors))
    if plan.reworded:
        _, stored = await asyncio.to_thread(_embed, ports, [read.fact for read in plan.facts])
    ended = await ports.store.write(lambda tx: _write(ports, tx, piece, plan, stored))
    if ended:
        ports.bell.learned()


def _load(tx: Transaction, job: Job) -> Slice | None:
    """What to read for the next slice; None when the source is gone or another revision is to be learned."""
    space = tx.spaces.by_id(job.space_id)
    source = tx.sources.find(job.space_id, job.source_id)
    if space is None or source is None or source.revision != job.revision:
        return None
    wanted = _bounded(tx.sources.unlearned(space.id, source.id, SLICE))
    known = tx.memories.subjects(space.id, _KNOWN_SUBJECTS)
    if source.form == "turns":
        pairs = _turn_readings(tx, space, source, wanted)
    else:
        pairs = _text_readings(tx, space, source, wanted)
    return Slice(job, space, source, [r for r, _ in pairs], [p for _, p in pairs], [k for k in known if k != OWNER])


def _bounded(passages: Sequence[Passage]) -> Sequence[Passage]:
    """The first passages that together hold no more than a slice's characters; always one, if there is one."""
    chars = 0
    for count, passage in enumerate(passages):
        chars += passage.end - passage.start
        if chars > SLICE_CHARS and count:
            return passages[:count]
    return passages


def _text_readings(
    tx: Transaction, space: Space, source: Source, wanted: Sequence[Passage]
) -> list[tuple[Reading, Passage | None]]:
    text = tx.sources.text(space.id, source.id) or ""
    if source.form == "kept":
        text = _masked(text)
    said_at = source.said_at or source.added_at
    pairs: list[tuple[Reading, Passage | None]] = []
    seen = -1
    for passage in wanted:
        before = tx.sources.passages(space.id, source.id, max(seen + 1, passage.position - CONTEXT), passage.position)
        for near in (*before, passage):
            reading = Reading(
                text=text[near.start : near.end],
                said_at=said_at,
                heading=near.heading,
                kind=near.kind,
                wanted=near is passage,
            )
            pairs.append((reading, passage if near is passage else None))
        seen = passage.position
    return pairs


@lru_cache(maxsize=2)
def _masked(text: str) -> str:
    """A file's text without its secrets. A long file is read once a slice, and masking is its dearest step."""
    return mask(text).text


def _turn_readings(
    tx: Transaction, space: Space, source: Source, wanted: Sequence[Passage]
) -> list[tuple[Reading, Passage | None]]:
    by_turn = {passage.turn: passage for passage in wanted if passage.turn is not None}
    if not by_turn:
        return []
    first = max(0, min(by_turn) - CONTEXT)
    pairs: list[tuple[Reading, Passage | None]] = []
    for position, turn in enumerate(tx.sources.turns(space.id, source.id, first, max(by_turn) + 1), first):
        if not any(near in by_turn for near in range(position, position + CONTEXT + 1)):
            continue
        pairs.append((_turn_reading(turn, source, wanted=position in by_turn), by_turn.get(position)))
    return pairs


def _turn_reading(turn: Turn, source: Source, *, wanted: bool) -> Reading:
    return Reading(
        text=turn.text,
        said_at=turn.said_at or source.added_at,
        kind="turn",
        speaker=turn.name if turn.role == "user" else None,
        wanted=wanted,
        is_agent=turn.role != "user",
    )


def _reported(piece: Slice, facts_by_reading: Sequence[Sequence[Fact]]) -> list[Reported]:
    """The facts of the slice in order. What is said of the owner by name is about the owner."""
    owner = piece.space.owner_name
    found: list[Reported] = []
    asked_by_reading = asked_before(piece.readings)
    for passage, reading, facts, asked in zip(
        piece.passages, piece.readings, facts_by_reading, asked_by_reading, strict=True
    ):
        if passage is None:
            continue
        for fact in facts:
            found.append(reported(passage.id, reading.text, replace(as_owner(fact, owner), asked=asked)))
    return found


def _embed(ports: Ports, facts: Sequence[Fact]) -> tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]:
    """The facts' vectors, to compare them by and to store; None when the embedder is away.

    They are embedded when it is back. Raises Stopping when the process is asked to stop.
    """
    if not facts:
        return None, None
    vectors: list[NDArray[np.float32]] = []
    stored: list[NDArray[np.float32]] = []
    try:
        for first in range(0, len(facts), _EMBEDDED_AT_ONCE):
            unless_stopping(ports)
            some = facts[first : first + _EMBEDDED_AT_ONCE]
            vectors.append(vectors_of(ports, some))
            stored.append(with_questions(ports, vectors[-1], [fact.asked for fact in some]))
        return np.concatenate(vectors), np.concatenate(stored)
    except Stopping:
        raise
    except Exception:
        log.exception("the embedder did not answer; what is learned now is embedded later")
        return None, None


def _write(ports: Ports, tx: Transaction, piece: Slice, plan: Plan, vectors: NDArray[np.float32] | None) -> bool:
    """Write a slice; whether the source ended learning with it."""
    source = tx.sources.find(piece.space.id, piece.source.id)
    space = tx.spaces.by_id(piece.space.id)
    if source is None or space is None or source.revision != piece.job.revision:
        tx.jobs.finish(piece.job.id, piece.job.revision)
        return False
    now = ports.clock.now()
    rev = tx.spaces.bump(space.id)
    _apply(ports, tx, space, source, piece, plan, vectors, rev, now)
    # What was refused was cut out of its text, and may have been its title.
    source = tx.sources.find(space.id, source.id) or source
    learned = [passage.id for passage in piece.passages if passage is not None]
    tx.sources.mark_learned(space.id, learned)
    chars = sum(len(reading.text) for reading in piece.readings if reading.wanted)
    tokens = -(-chars // _CHARS_A_TOKEN)
    tx.accounts.count_usage(space.account_id, month_of(now), learned_tokens=tokens)
    if stated_owner_name(piece.readings) is not None:
        settle_owner_name(tx, space)
    if tx.sources.unlearned(space.id, source.id, 1):
        tx.jobs.yield_(piece.job.id, piece.job.revision, now)
        return False
    source = replace(source, status="learned", error=None, facts=tx.memories.taught(space.id, source.id))
    tx.sources.update(space.id, source)
    tx.jobs.finish(piece.job.id, piece.job.revision)
    return True


def _apply(
    ports: Ports,
    tx: Transaction,
    space: Space,
    source: Source,
    piece: Slice,
    plan: Plan,
    vectors: NDArray[np.float32] | None,
    rev: int,
    now: datetime,
) -> None:
    """Carry out what was planned, looking again at what may have changed since: refusals, and memories in use."""
    marks = [marks_of(space, read.fact) | {quote_mark(space, read.fact)} for read in plan.facts]
    refused = set(tx.memories.refused(space.id, {mark for many in marks for mark in many}))
    held = tx.memories.by_statement(space.id, list(plan.statements))
    passages = {passage.id: passage for passage in piece.passages if passage is not None}
    made: dict[int, MemoryId] = {}

    def in_use(slot: Slot) -> MemoryId | None:
        if not isinstance(slot, Stored):
            return made.get(slot)
        return slot.id if is_usable(tx.memories.find(space.id, slot.id)) else None

    for index, (read, outcome) in enumerate(zip(plan.facts, plan.outcomes, strict=True)):
        fact = read.fact
        line = line_of(fact, source.id, read.passage_id)
        if marks[index] & refused:
            owe_scrub(tx, now)
            cut_refused(tx, space, source.id, passages[read.passage_id], fact)
            continue
        if isinstance(outcome, Echo):
            continue
        same = held.get(plan.statements[index])
        if same is None and isinstance(outcome, Same):
            same = in_use(outcome.as_)
        if same is not None:
            tx.memories.add_line(space.id, same, line, rev)
            made[index] = same
            if isinstance(outcome, Same):
                retire(
                    tx,
                    space.id,
                    [it for it in outcome.replaces if is_usable(tx.memories.find(space.id, it))],
                    same,
                    rev,
                )
            continue
        vector = vectors[index] if vectors is not None else None
        new = tx.memories.add(space.id, new_memory(ports, space, fact, vector, now), line, rev)
        made[index] = new
        held = {**held, plan.statements[index]: new}
        if isinstance(outcome, Same):
            continue
        going = [memory_id for one in outcome.replaces if (memory_id := in_use(one)) is not None and memory_id != new]
        retire(tx, space.id, going, new, rev)
        if outcome.replaced_by is not None and (later := in_use(outcome.replaced_by)) is not None and later != new:
            tx.memories.set_status(space.id, new, "replaced", later, rev)
            continue
        for other in outcome.clashes:
            if (memory_id := in_use(other)) is not None and memory_id != new:
                tx.memories.add_clash(space.id, new, memory_id)
                for side in (new, memory_id):
                    tx.memories.set_status(space.id, side, "clash", None, rev)


async def _free_abandoned(ports: Ports) -> bool:
    """Free the jobs of processes that were killed, rather than wait for their leases to end; whether there were any."""
    workers = await ports.store.read(lambda tx: tx.jobs.workers(ports.clock.now()))
    ended = await asyncio.to_thread(lambda: [worker for worker in workers if not ports.store.lives(worker)])
    if not ended:
        return False
    await ports.store.write(lambda tx: tx.jobs.free(ended))
    return True


async def _give_back(ports: Ports, job: Job) -> None:
    """Put a job that failed back for later, or end it as failed after too many attempts."""

    def work(tx: Transaction) -> bool:
        now = ports.clock.now()
        if job.attempts < MAX_ATTEMPTS:
            tx.jobs.retry(job.id, job.revision, now + timedelta(seconds=2.0**job.attempts))
            return False
        source = tx.sources.find(job.space_id, job.source_id)
        if source is not None and source.revision == job.revision:
            sentence = "This could not be learned; what it says is kept. Send it again to try once more."
            tx.sources.update(job.space_id, replace(source, status="failed", error=sentence))
        tx.jobs.finish(job.id, job.revision)
        return True

    if await ports.store.write(work):
        ports.bell.learned()


async def embed_missing(ports: Ports, limit: int = 64) -> bool:
    """Embed some memories that have no vector, because the embedder was away or changed; False when none is left."""
    rows = await ports.store.read(lambda tx: tx.memories.without_vector(limit))
    if not rows:
        return False
    asked = [questions_in(before) if before else None for *_, before in rows]

    def embed() -> NDArray[np.float32]:
        return with_questions(ports, ports.embedder.embed([text for _, _, text, _ in rows]), asked)

    halves = (await asyncio.to_thread(embed)).astype(np.float16)

    def work(tx: Transaction) -> None:
        left = {space_id for space_id, *_ in rows if tx.spaces.by_id(space_id) is not None}  # others were erased
        revs: Mapping[int, int] = {space_id: tx.spaces.bump(space_id) for space_id in left}
        tx.memories.set_vectors(
            [
                (space, memory, halves[i].tobytes(), revs[space])
                for i, (space, memory, *_) in enumerate(rows)
                if space in left
            ]
        )

    await ports.store.write(work)
    return True


async def check_embedder(ports: Ports) -> None:
    """Drop vectors that another embedder wrote; `embed_missing` makes them anew."""

    def work(tx: Transaction) -> None:
        if tx.meta(EMBEDDER_NOTE) == ports.embedder.id:
            return
        if tx.meta(EMBEDDER_NOTE) is not None:
            tx.memories.drop_vectors()
        tx.set_meta(EMBEDDER_NOTE, ports.embedder.id)

    if await ports.store.read(lambda tx: tx.meta(EMBEDDER_NOTE)) != ports.embedder.id:
        await ports.store.write(work)
