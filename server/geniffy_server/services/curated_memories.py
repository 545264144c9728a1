"""Memories with what is kept beside them, as the Omi tools and the pages show them; made, edited and deleted as one.

Locks bind here: this is what the Omi tools call (decisions 19).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from geniffy_server.caller import Caller
from geniffy_server.domain.conversation import MemoryCategory
from geniffy_server.domain.curation import Curation, CurationFilter, Sort, carried_on
from geniffy_server.domain.file import FilePath
from geniffy_server.domain.memory import Memory, MemoryId
from geniffy_server.domain.source import PassageId, SourceId, new_source_id
from geniffy_server.domain.space import Space, SpaceId
from geniffy_server.errors import Locked
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import readable, shown, writable
from geniffy_server.services.answers import MAX_QUESTION_CHARS
from geniffy_server.services.categorizing import categorized_space
from geniffy_server.services.curating import usable_memory
from geniffy_server.services.facts import new_memory, statement
from geniffy_server.services.owner_names import settle_owner_name
from geniffy_server.services.reconciling import New, Plan, Reported, Slot, Stored, plan_facts
from geniffy_server.services.removing import (
    absorb,
    forget_memory,
    is_usable,
    marks_of,
    refuse,
    release_clashes,
)
from geniffy_server.services.scrubbing import owe_scrub, scrub
from geniffy_server.services.whole import Whole, lay_whole, read_whole

_STEPS_BACK: Final = 8  # corrections that are followed to the conversation a memory once came from


@dataclass(frozen=True, slots=True)
class CuratedMemory:
    """A memory with what is kept beside it. `conversation_id`: the conversation that tells it, or once told it."""

    memory: Memory
    curation: Curation
    conversation_id: SourceId | None


@dataclass(frozen=True, slots=True)
class CuratedPage:
    """Memories in the order that was asked for. `scanned`: how many a filter looked at, None when none was given."""

    memories: Sequence[CuratedMemory]
    has_more: bool
    scanned: int | None


@dataclass(frozen=True, slots=True)
class Relevant:
    """A memory that a search found. `score` is from 0 to 1, and never below that of one that comes behind it."""

    found: CuratedMemory
    score: float


async def list_curated(
    ports: Ports, caller: Caller, only: CurationFilter, sort: Sort, *, limit: int, offset: int
) -> CuratedPage:
    """A page of usable memories; empty for a space that holds nothing."""
    await categorized_space(ports, caller)

    def work(tx: Transaction) -> CuratedPage:
        space = readable(tx, caller)
        if space is None:
            return CuratedPage([], has_more=False, scanned=0 if only.is_narrow else None)
        ids = tx.curations.page(space.id, only, sort, limit + 1, offset)
        scanned = sum(tx.memories.counts(space.id, {}).values()) if only.is_narrow else None
        return CuratedPage(_curated(tx, space, ids[:limit]), has_more=len(ids) > limit, scanned=scanned)

    return await ports.store.read(work)


async def search_curated(ports: Ports, caller: Caller, question: str, *, limit: int) -> Sequence[Relevant]:
    """The memories that match best, best first, without those that are locked; empty when nothing is stored."""
    await categorized_space(ports, caller)

    def work(tx: Transaction) -> Sequence[Relevant]:
        space = readable(tx, caller)
        if space is None:
            return []
        locked = tx.curations.locked(space.id)
        used = question[:MAX_QUESTION_CHARS]
        found = ports.recall.search(tx, space, used, limit=limit + len(locked))
        open_ones = [hit for hit in found if hit.memory.id not in locked][:limit]
        curated = _curated(tx, space, [hit.memory.id for hit in open_ones])
        likeness = [hit.features.get("cosine", 0.0) for hit in open_ones]
        return [Relevant(one, min(1.0, max(0.0, *likeness[place:]))) for place, one in enumerate(curated)]

    return await ports.store.read(work)


async def create_whole(ports: Ports, caller: Caller, content: str, category: MemoryCategory | None) -> CuratedMemory:
    """Keep a text whole as one memory, added by hand and reviewed with that (decisions 11).

    It does to what is held what a note that says it would do. Words that are a memory already gain a line.
    """
    space = await ports.store.read(lambda tx: readable(tx, caller))
    owner = space.owner_name if space else None
    whole, detected = await asyncio.to_thread(_read, ports, content, owner=owner, given=category)
    plan = await ports.store.read(lambda tx: _plan(ports, tx, space, whole)) if space else None

    def work(tx: Transaction) -> CuratedMemory:
        space, rev = writable(tx, caller)
        now = ports.clock.now()  # not before the store is ours: ids, by which lists go, grow as these times do
        _, line = lay_whole(tx, space, caller, "text", whole, now)
        mark = statement(space, whole.fact)
        memory_id = tx.memories.by_statement(space.id, [mark]).get(mark)
        if memory_id is None:
            memory_id = tx.memories.add(space.id, new_memory(ports, space, whole.fact, whole.vector, now), line, rev)
            _carry_out(tx, space.id, memory_id, plan, rev)
        else:
            tx.memories.add_line(space.id, memory_id, line, rev)
        held = tx.curations.find_many(space.id, [memory_id])[memory_id]
        chosen = category if category is not None or held.category_given else detected
        tx.curations.set(
            space.id,
            memory_id,
            replace(
                held,
                category=chosen or held.category,
                category_given=held.category_given or category is not None,
                manually_added=True,
                reviewed=True,
                updated_at=now,
            ),
        )
        settle_owner_name(tx, space)
        return _curated(tx, tx.spaces.by_id(space.id) or space, [memory_id])[0]

    return await ports.store.write(work)


async def edit_whole(ports: Ports, caller: Caller, memory_id: MemoryId, content: str) -> CuratedMemory:
    """Give a memory other words, whole, under the same id; what it said is marked wrong and stays in its history.

    Raises NotFound when the memory is not in use, Locked.
    """

    def find(tx: Transaction) -> tuple[Space, Memory, Curation]:
        space = readable(tx, caller)
        memory, curation = _open(tx, space, memory_id)
        assert space is not None
        return space, memory, curation

    space, before, kept = await ports.store.read(find)
    given = kept.category if kept.category_given else None
    whole, category = await asyncio.to_thread(
        _read, ports, content, owner=space.owner_name, given=given, instead_of=before
    )

    def work(tx: Transaction) -> CuratedMemory:
        space, rev = writable(tx, caller)
        memory, _ = _open(tx, space, memory_id)
        now = ports.clock.now()
        if whole.masked.text != memory.text:
            _, line = lay_whole(tx, space, caller, "correction", whole, now)
            mark = statement(space, whole.fact)
            same = tx.memories.by_statement(space.id, [mark]).get(mark)
            release_clashes(tx, space.id, [memory_id], rev)
            refuse(tx, space, [memory], but=marks_of(space, whole.fact))
            new = new_memory(ports, space, whole.fact, whole.vector, now)
            tx.memories.rewrite(space.id, memory_id, new, line, rev, now)
            if same is not None and same != memory_id:
                kept = tx.curations.find_many(space.id, [same, memory_id])
                absorb(tx, space.id, same, memory_id, rev, now)
                tx.curations.set(space.id, memory_id, carried_on(kept[same], kept[memory_id]))
        curation = tx.curations.find_many(space.id, [memory_id])[memory_id]
        detected = curation.category if curation.category_given else category
        tx.curations.set(space.id, memory_id, replace(curation, category=detected, edited=True, updated_at=now))
        settle_owner_name(tx, space)
        return _curated(tx, space, [memory_id])[0]

    return await ports.store.write(work)


async def delete_curated(ports: Ports, caller: Caller, memory_id: MemoryId) -> Sequence[FilePath]:
    """Forget a memory in use for good; the paths of files kept exactly that still say it. Raises NotFound, Locked."""

    def work(tx: Transaction) -> Sequence[FilePath]:
        space, rev = writable(tx, caller)
        memory, _ = _open(tx, space, memory_id)
        now = ports.clock.now()
        owe_scrub(tx, now)
        files = forget_memory(tx, space, memory, rev, now)
        settle_owner_name(tx, space)
        return files

    files = await ports.store.write(work)
    await scrub(ports)
    return files


async def get_curated(ports: Ports, caller: Caller, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Curation]:
    """What is kept beside memories of any status; those that are not there are left out."""
    await categorized_space(ports, caller)

    def work(tx: Transaction) -> Mapping[MemoryId, Curation]:
        space = readable(tx, caller)
        return tx.curations.find_many(space.id, memory_ids) if space else {}

    return await ports.store.read(work)


def _open(tx: Transaction, space: Space | None, memory_id: MemoryId) -> tuple[Memory, Curation]:
    """A memory in use that is not locked."""
    memory, curation = usable_memory(tx, space, memory_id)
    if curation.locked:
        raise Locked(
            f"The memory {memory_id} is locked (a paid plan is required); unlock it on the memories page, or with "
            "`geniffy-server unlock memory`."
        )
    return memory, curation


def _read(
    ports: Ports,
    content: str,
    *,
    owner: str | None,
    given: MemoryCategory | None,
    instead_of: Memory | None = None,
) -> tuple[Whole, MemoryCategory]:
    """A text read whole, with its category: the one that was given, else the one that is detected. Blocking."""
    about, kind = (instead_of.about, instead_of.kind) if instead_of else (None, None)
    whole = read_whole(ports, content, ports.clock.now(), owner=owner, about=about, kind=kind)
    return whole, given or ports.categories.memory(whole.fact.text, whole.fact.kind, whole.vector)


def _plan(ports: Ports, tx: Transaction, space: Space, whole: Whole) -> Plan:
    """What the statement does to what is held, as if a new source told it."""
    told = Reported(PassageId(0), whole.fact)
    return plan_facts(ports, tx, space, new_source_id(), [told], whole.vector[None, :])


def _carry_out(tx: Transaction, space_id: SpaceId, new: MemoryId, plan: Plan | None, rev: int) -> None:
    """Do to the memories that are still in use what was planned for the new one."""
    outcome = plan.outcomes[0] if plan else None
    if not isinstance(outcome, New):
        return
    for earlier in _in_use(tx, space_id, outcome.replaces):
        tx.memories.set_status(space_id, earlier, "replaced", new, rev)
    for other in _in_use(tx, space_id, outcome.clashes):
        tx.memories.add_clash(space_id, new, other)
        for side in (new, other):
            tx.memories.set_status(space_id, side, "clash", None, rev)


def _in_use(tx: Transaction, space_id: SpaceId, slots: Sequence[Slot]) -> list[MemoryId]:
    return [slot.id for slot in slots if isinstance(slot, Stored) and is_usable(tx.memories.find(space_id, slot.id))]


def _curated(tx: Transaction, space: Space, ids: Sequence[MemoryId]) -> list[CuratedMemory]:
    """Memories in the order of their ids, each with what is kept beside it."""
    memories, curations = tx.memories.find_many(space.id, ids), tx.curations.find_many(space.id, ids)
    told_in = _conversations_of(tx, space.id, ids)
    return [CuratedMemory(shown(space, memories[one]), curations[one], told_in.get(one)) for one in ids]


def _conversations_of(tx: Transaction, space_id: SpaceId, ids: Sequence[MemoryId]) -> Mapping[MemoryId, SourceId]:
    """For each memory the conversation that tells it, or that told what was corrected into it."""
    found: dict[MemoryId, SourceId] = {}
    now_called = {one: one for one in ids}
    for _ in range(_STEPS_BACK):
        for memory_id, talks in tx.conversations.of_memories(space_id, now_called.keys()).items():
            found.setdefault(now_called[memory_id], talks[0])
        left = {memory_id for memory_id, now in now_called.items() if now not in found}
        earlier = [it for it in tx.memories.replaced_by(space_id, left) if it.status == "wrong"] if left else []
        now_called = {it.id: now_called[it.replaced_by] for it in earlier if it.replaced_by is not None}
        if not now_called:
            break
    return found
