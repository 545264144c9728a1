"""Listing, reading, correcting and forgetting memories."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from geniffy_server.caller import Caller
from geniffy_server.domain.curation import carried_on
from geniffy_server.domain.file import FilePath
from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import Kind, Memory, MemoryId
from geniffy_server.domain.source import Source
from geniffy_server.domain.space import Space
from geniffy_server.errors import Conflict, NotFound
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import readable, shown, writable
from geniffy_server.services.facts import new_memory, statement
from geniffy_server.services.owner_names import settle_owner_name
from geniffy_server.services.removing import forget_memory, is_usable, marks_of, refuse, release_clashes
from geniffy_server.services.scrubbing import owe_scrub, scrub
from geniffy_server.services.whole import lay_whole, read_whole


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """Memories newest first. `counts` are by kind under the same labels; `next` is the next cursor or None."""

    memories: Sequence[Memory]
    counts: Mapping[str, int]
    total: int
    next: int | None


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory with the values it held before, oldest first."""

    memory: Memory
    history: Sequence[Memory]


async def list_memories(
    ports: Ports, caller: Caller, kind: Kind | None, labels: LabelFilter, *, limit: int, cursor: int
) -> MemoryPage:
    """A page of usable memories, newest first; empty for a space that holds nothing."""

    def work(tx: Transaction) -> MemoryPage:
        space = readable(tx, caller)
        if space is None:
            return MemoryPage(memories=[], counts=_counts({}), total=0, next=None)
        counts = _counts(tx.memories.counts(space.id, labels))
        total = counts[kind or "all"]
        memories = [shown(space, m) for m in tx.memories.page(space.id, kind, labels, limit, cursor)]
        after = cursor + len(memories)
        return MemoryPage(memories, counts, total, after if memories and after < total else None)

    return await ports.store.read(work)


async def get_memory(ports: Ports, caller: Caller, memory_id: MemoryId) -> Remembered:
    """A memory and its history. Raises NotFound, also for an id of another space."""

    def work(tx: Transaction) -> Remembered:
        space = readable(tx, caller)
        memory = tx.memories.find(space.id, memory_id) if space else None
        if space is None or memory is None:
            raise no_memory(memory_id)
        return Remembered(shown(space, memory), [shown(space, m) for m in history_of(tx, space, memory)])

    return await ports.store.read(work)


def history_of(tx: Transaction, space: Space, memory: Memory) -> Sequence[Memory]:
    """What a memory replaced or corrected, and what that had, oldest first (contract Q16)."""
    seen = {memory.id}
    earlier: list[Memory] = []
    step: Sequence[Memory] = [memory]
    while step := [m for m in tx.memories.replaced_by(space.id, [m.id for m in step]) if m.id not in seen]:
        seen |= {m.id for m in step}
        earlier = [*step, *earlier]
    return earlier


async def correct(ports: Ports, caller: Caller, memory_id: MemoryId, text: str) -> Source:
    """Mark a memory wrong, never to be used again, and keep `text` whole as the one memory in its place.

    The right statement is a note of its own, already learned when this returns (decisions 11). What people decided of
    the memory holds of it too. Raises NotFound when the memory is not there, was forgotten, or is no longer in use.
    """

    def find(tx: Transaction) -> tuple[Space, Memory]:
        space = readable(tx, caller)
        memory = tx.memories.find(space.id, memory_id) if space else None
        if space is None or memory is None or not is_usable(memory):
            raise no_memory(memory_id)
        return space, memory

    space, wrong = await ports.store.read(find)
    asked_at = ports.clock.now()

    whole = await asyncio.to_thread(
        lambda: read_whole(ports, text, asked_at, owner=space.owner_name, about=wrong.about, kind=wrong.kind)
    )
    fact = whole.fact

    def work(tx: Transaction) -> Source:
        space, rev = writable(tx, caller)
        now = ports.clock.now()  # not before the store is ours: ids, by which lists go, grow as these times do
        memory = tx.memories.find(space.id, memory_id)
        if memory is None or not is_usable(memory):
            raise no_memory(memory_id)
        source, line = lay_whole(tx, space, caller, "correction", whole, now)
        same = tx.memories.by_statement(space.id, [statement(space, fact)]).get(statement(space, fact))
        if same is None or same == memory_id:
            right = tx.memories.add(space.id, new_memory(ports, space, fact, whole.vector, now), line, rev)
        else:
            right = same
            tx.memories.add_line(space.id, right, line, rev)
        release_clashes(tx, space.id, [memory_id], rev)
        tx.memories.set_status(space.id, memory_id, "wrong", right, rev)
        refuse(tx, space, [memory], but=marks_of(space, fact))
        kept = tx.curations.find_many(space.id, [memory_id, right])
        curation = carried_on(kept[memory_id], kept[right])
        tx.curations.set(space.id, right, replace(curation, edited=True, updated_at=now))
        settle_owner_name(tx, space)
        return source

    return await ports.store.write(work)


async def forget(ports: Ports, caller: Caller, memory_id: MemoryId) -> Sequence[FilePath]:
    """Forget a memory for good; the paths of files kept exactly that still say it. Raises NotFound."""

    def work(tx: Transaction) -> Sequence[FilePath]:
        space, rev = writable(tx, caller)
        memory = tx.memories.find(space.id, memory_id)
        if memory is None:
            raise no_memory(memory_id)
        now = ports.clock.now()
        owe_scrub(tx, now)
        files = forget_memory(tx, space, memory, rev, now)
        settle_owner_name(tx, space)
        return files

    files = await ports.store.write(work)
    await scrub(ports)
    return files


async def settle(ports: Ports, caller: Caller, keep_id: MemoryId, wrong_id: MemoryId) -> Memory:
    """Say which of two memories that contradict each other holds; the other becomes its history (decisions 8).

    Returns the one that holds. Raises NotFound when one is not there, Conflict when they don't contradict each other.
    """

    def work(tx: Transaction) -> Memory:
        space, rev = writable(tx, caller)
        for memory_id in (keep_id, wrong_id):
            if not is_usable(tx.memories.find(space.id, memory_id)):
                raise no_memory(memory_id)
        if wrong_id not in tx.memories.clashing_with(space.id, [keep_id]).get(keep_id, ()):
            raise Conflict(f"The memories {keep_id} and {wrong_id} don't contradict each other.")
        release_clashes(tx, space.id, [wrong_id], rev)
        tx.memories.set_status(space.id, wrong_id, "replaced", keep_id, rev)
        settle_owner_name(tx, space)
        held = tx.memories.find(space.id, keep_id)
        assert held is not None
        return shown(space, held)

    return await ports.store.write(work)


def no_memory(memory_id: object) -> NotFound:
    """What a caller is told who names a memory that is not there."""
    return NotFound(f"There is no memory {memory_id} here; it may have been forgotten, corrected or replaced.")


def _counts(by_kind: Mapping[str, int]) -> dict[str, int]:
    counts = {kind: by_kind.get(kind, 0) for kind in ("people", "plan", "pref", "detail")}
    return {"all": sum(counts.values()), **counts}
