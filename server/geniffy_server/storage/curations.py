"""Statements on what is kept of memories beside what they say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, and_, bindparam, case, exists, func, select, update

from geniffy_server.domain.conversation import MemoryCategory
from geniffy_server.domain.curation import ACTIVITY_LABEL, NOT_TELLING, Curation, CurationFilter, Sort
from geniffy_server.domain.memory import USABLE, MemoryId
from geniffy_server.domain.space import SpaceId
from geniffy_server.ports import Uncategorized
from geniffy_server.storage.batches import in_batches
from geniffy_server.storage.schema import AnyRow, memories, memory_lines, memory_vectors, source_labels, sources

_FIELDS = ("category", "category_given", "manually_added", "reviewed", "edited", "locked", "updated_at")
_CHOSEN: BindParameter[Any] = bindparam("chosen", expanding=True)
_IS_USABLE = memories.c.status.in_(USABLE)

_FIND_MANY = select(memories.c.id, *(memories.c[name] for name in _FIELDS)).where(
    memories.c.space_id == bindparam("space_id"), memories.c.id.in_(_CHOSEN)
)
_SET = (
    update(memories)
    .where(memories.c.space_id == bindparam("in_space"), memories.c.id == bindparam("of_memory"))
    .values({name: bindparam(f"new_{name}") for name in _FIELDS})
)
_CATEGORIZE = (
    update(memories)
    .where(
        memories.c.space_id == bindparam("in_space"),
        memories.c.id == bindparam("of_memory"),
        memories.c.category_given.is_(False),
    )
    .values(category=bindparam("found"))
)
_LOCKED = select(memories.c.id).where(
    memories.c.space_id == bindparam("space_id"), memories.c.locked.is_(True), _IS_USABLE
)
_UNCATEGORIZED = (
    select(memories.c.space_id, memories.c.id, memories.c.text, memories.c.kind, memory_vectors.c.vec)
    .select_from(
        memories.join(
            memory_vectors,
            and_(memory_vectors.c.space_id == memories.c.space_id, memory_vectors.c.memory_id == memories.c.id),
        )
    )
    .where(memories.c.category.is_(None), func.length(memory_vectors.c.vec) > 0)
    .order_by(memories.c.space_id, memories.c.id)
    .limit(bindparam("most"))
)

_of_memory = and_(memory_lines.c.space_id == memories.c.space_id, memory_lines.c.memory_id == memories.c.id)
_is_activity = exists(source_labels.c.source_id).where(
    source_labels.c.space_id == memory_lines.c.space_id,
    source_labels.c.source_id == memory_lines.c.source_id,
    source_labels.c.name == ACTIVITY_LABEL,
)
_IS_MORE_THAN_ACTIVITY = exists(memory_lines.c.n).where(_of_memory, ~_is_activity).correlate(memories)
_IS_SENSITIVE = (
    exists(memory_lines.c.n)
    .where(
        _of_memory,
        sources.c.space_id == memory_lines.c.space_id,
        sources.c.id == memory_lines.c.source_id,
        sources.c.withheld > 0,
    )
    .correlate(memories)
)
_TELLS = case((func.coalesce(memories.c.category, NOT_TELLING) != NOT_TELLING, 1), else_=0)
_NEWEST = (memories.c.id.desc(),)  # ids grow as time does, and their index gives a page without sorting
_ORDERS: Mapping[Sort, tuple[ColumnElement[Any], ...]] = {
    "scoring_desc": (memories.c.manually_added.desc(), _TELLS.desc(), *_NEWEST),
    "created_desc": _NEWEST,
    "updated_desc": (memories.c.updated_at.desc(), memories.c.id.desc()),
    "manual_first": (memories.c.manually_added.desc(), *_NEWEST),
}


class CurationRows:
    """`ports.Curations` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find_many(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Curation]:
        found: dict[MemoryId, Curation] = {}
        for batch in in_batches(memory_ids):
            for row in self._connection.execute(_FIND_MANY, {"space_id": space_id, "chosen": batch}):
                found[MemoryId(row.id)] = _curation(row)
        return found

    def page(self, space_id: SpaceId, only: CurationFilter, sort: Sort, limit: int, offset: int) -> Sequence[MemoryId]:
        chosen = select(memories.c.id).where(*_conditions(space_id, only)).order_by(*_ORDERS[sort])
        return [MemoryId(row.id) for row in self._connection.execute(chosen.limit(limit).offset(offset))]

    def set(self, space_id: SpaceId, memory_id: MemoryId, curation: Curation) -> None:
        new = {f"new_{name}": getattr(curation, name) for name in _FIELDS}
        self._connection.execute(_SET, {"in_space": space_id, "of_memory": memory_id, **new})

    def locked(self, space_id: SpaceId) -> Collection[MemoryId]:
        return {MemoryId(row.id) for row in self._connection.execute(_LOCKED, {"space_id": space_id})}

    def uncategorized(self, space_id: SpaceId | None, limit: int) -> Sequence[Uncategorized]:
        wanted = _UNCATEGORIZED if space_id is None else _UNCATEGORIZED.where(memories.c.space_id == space_id)
        rows = self._connection.execute(wanted, {"most": limit})
        return [Uncategorized(SpaceId(row.space_id), MemoryId(row.id), row.text, row.kind, row.vec) for row in rows]

    def categorize(self, found: Sequence[tuple[SpaceId, MemoryId, MemoryCategory]]) -> None:
        rows = [{"in_space": space, "of_memory": memory, "found": category} for space, memory, category in found]
        if rows:
            self._connection.execute(_CATEGORIZE, rows)


def _conditions(space_id: SpaceId, only: CurationFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [memories.c.space_id == space_id, _IS_USABLE]
    if only.categories:
        conditions.append(memories.c.category.in_(list(only.categories)))
    if only.reviewed is not None:
        conditions.append(memories.c.reviewed.is_(only.reviewed))
    if only.manually_added is not None:
        conditions.append(memories.c.manually_added.is_(only.manually_added))
    if only.updated_after is not None:
        conditions.append(memories.c.updated_at > only.updated_after)
    if not only.with_activity:
        conditions.append(_IS_MORE_THAN_ACTIVITY)
    if not only.with_sensitive:
        conditions.append(~_IS_SENSITIVE)
    return conditions


def _curation(row: AnyRow) -> Curation:
    return Curation(**{name: getattr(row, name) for name in _FIELDS})
