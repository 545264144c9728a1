"""Statements behind the cache of a space: what it loads, what is gone, and vectors that are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from sqlalchemy import (
    Connection,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    type_coerce,
    union,
    update,
)
from sqlalchemy import Text as SqlText

from geniffy_server.domain.memory import USABLE, MemoryId, embedded_text, parted_tokens
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import SpaceId
from geniffy_server.ports import ShardRow
from geniffy_server.storage.batches import in_batches
from geniffy_server.storage.schema import memories, memory_lines, memory_vectors, passages, spaces, tombstones, turns

_MANY_ROWS: Final = 5_000
TOMBSTONES_KEPT: Final = timedelta(days=1)

FIRST_LINE = and_(
    memory_lines.c.space_id == memories.c.space_id,
    memory_lines.c.memory_id == memories.c.id,
    memory_lines.c.n == memories.c.first_line,
)
_vector = and_(memory_vectors.c.space_id == memories.c.space_id, memory_vectors.c.memory_id == memories.c.id)
_said_at = type_coerce(memory_lines.c.said_at, SqlText)
_SHARD_ROWS = (
    select(
        memories.c.id,
        memories.c.rev,
        memory_vectors.c.vec,
        memory_vectors.c.tok,
        memories.c.kind,
        memories.c.about,
        memories.c.first_person,
        _said_at,
        memories.c.spoken_low,
        memories.c.spoken_high,
        memory_lines.c.source_id,
        passages.c.position,
    )
    .select_from(
        memories.join(memory_vectors, _vector)
        .join(memory_lines, FIRST_LINE)
        .join(
            passages,
            and_(passages.c.space_id == memory_lines.c.space_id, passages.c.id == memory_lines.c.passage_id),
        )
    )
    .where(
        memories.c.space_id == bindparam("space_id"),
        memories.c.rev > bindparam("after"),
        memories.c.status.in_(USABLE),
    )
    .order_by(memories.c.id)
)
_GONE = union(
    select(memories.c.id).where(
        memories.c.space_id == bindparam("space_id"),
        memories.c.rev > bindparam("after"),
        memories.c.status.not_in(USABLE),
    ),
    select(tombstones.c.memory_id).where(
        tombstones.c.space_id == bindparam("space_id"), tombstones.c.rev > bindparam("after")
    ),
)
_OLDEST_TOMBSTONE = select(spaces.c.pruned_rev).where(spaces.c.id == bindparam("space_id"))
_BURY = insert(tombstones)
_AGED = select(func.max(tombstones.c.rev)).where(
    tombstones.c.space_id == bindparam("space_id"), tombstones.c.removed_at < bindparam("before")
)
_PRUNE = delete(tombstones).where(
    tombstones.c.space_id == bindparam("space_id"), tombstones.c.rev <= bindparam("up_to")
)
_PRUNED = (
    update(spaces)
    .where(spaces.c.id == bindparam("of_space"), spaces.c.pruned_rev < bindparam("up_to"))
    .values(pruned_rev=bindparam("up_to"))
)
_turn, _turn_before = turns.alias("turn"), turns.alias("turn_before")
_passage = and_(passages.c.space_id == memory_lines.c.space_id, passages.c.id == memory_lines.c.passage_id)
_said_in = and_(
    _turn.c.space_id == memory_lines.c.space_id,
    _turn.c.source_id == memory_lines.c.source_id,
    _turn.c.position == passages.c.turn,
)
_said_before = and_(
    _turn_before.c.space_id == _turn.c.space_id,
    _turn_before.c.source_id == _turn.c.source_id,
    _turn_before.c.position == _turn.c.position - 1,
    or_(
        _turn_before.c.role != _turn.c.role,
        func.coalesce(_turn_before.c.name, "") != func.coalesce(_turn.c.name, ""),
    ),
)
_WITHOUT_VECTOR = (
    select(
        memories.c.space_id,
        memories.c.id,
        memories.c.text,
        memory_lines.c.quote,
        memories.c.first_person,
        _turn_before.c.text.label("before"),
    )
    .select_from(
        memory_vectors.join(memories, _vector)
        .outerjoin(memory_lines, FIRST_LINE)
        .outerjoin(passages, _passage)
        .outerjoin(_turn, _said_in)
        .outerjoin(_turn_before, _said_before)
    )
    .where(func.length(memory_vectors.c.vec) == literal_column("0"))  # as the index says it
    .order_by(memories.c.id)
    .limit(bindparam("most"))
)
_SET_VECTOR = (
    update(memory_vectors)
    .where(memory_vectors.c.space_id == bindparam("in_space"), memory_vectors.c.memory_id == bindparam("of_memory"))
    .values(vec=bindparam("vector"))
)
_STAMP = (
    update(memories)
    .where(memories.c.space_id == bindparam("in_space"), memories.c.id == bindparam("of_memory"))
    .values(rev=bindparam("stamp"))
)
_KEYS = select(memory_vectors.c.memory_id, memory_vectors.c.tok).where(
    memory_vectors.c.space_id == bindparam("space_id"),
    memory_vectors.c.memory_id.in_(bindparam("chosen", expanding=True)),
)
_LET_GO = (
    update(memory_vectors)
    .where(memory_vectors.c.space_id == bindparam("in_space"), memory_vectors.c.memory_id == bindparam("of_memory"))
    .values(vec=b"", tok=bindparam("own"))
)
_REWORD = (
    update(memories)
    .where(memories.c.space_id == bindparam("in_space"), memories.c.id == bindparam("of_memory"))
    .values(
        text=bindparam("new_text"),
        about=bindparam("new_about"),
        how=bindparam("new_how"),
        statement=bindparam("new_statement"),
        rev=bindparam("stamp"),
    )
)
_DROP_VECTORS = (
    update(memory_vectors).values(vec=b""),
    update(spaces).values(version=spaces.c.version + 1),
    update(memories).values(
        rev=select(spaces.c.version).where(spaces.c.id == memories.c.space_id).correlate(memories).scalar_subquery()
    ),
)


_KEYED_BEHIND = (
    select(memories.c.space_id, memories.c.id, memories.c.text, memories.c.about, memory_vectors.c.tok)
    .select_from(memories.join(memory_vectors, _vector))
    .where(memories.c.id > bindparam("after"))
    .order_by(memories.c.id)
    .limit(bindparam("most"))
)
_SET_KEYS = (
    update(memory_vectors)
    .where(memory_vectors.c.space_id == bindparam("in_space"), memory_vectors.c.memory_id == bindparam("of_memory"))
    .values(tok=bindparam("all_keys"))
)


class ShardRows:
    """The cache's half of `ports.Memories` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def shard_rows(self, space_id: SpaceId, after_rev: int) -> Iterable[ShardRow]:
        read = 0
        for row in self._connection.execute(_SHARD_ROWS, {"space_id": space_id, "after": after_rev}):
            read += 1
            memory_id, rev, vec, tok, kind, about, first_person, said_at, low, high, source_id, position = row
            yield ShardRow(
                id=memory_id,
                rev=rev,
                vector=vec,
                tokens=tok,
                kind=kind,
                about=about,
                first_person=first_person,
                said_on=date.fromisoformat(said_at[:10]).toordinal(),
                spoken_low=low or 0,
                spoken_high=high or 0,
                source_id=SourceId(source_id),
                position=position,
            )
        if read >= _MANY_ROWS:
            self._connection.exec_driver_sql("PRAGMA shrink_memory")  # the pages that held them are not read again soon

    def gone(self, space_id: SpaceId, after_rev: int) -> Sequence[MemoryId]:
        return list(self._connection.execute(_GONE, {"space_id": space_id, "after": after_rev}).scalars())

    def oldest_tombstone(self, space_id: SpaceId) -> int:
        return int(self._connection.execute(_OLDEST_TOMBSTONE, {"space_id": space_id}).scalar() or 0)

    def bury(self, space_id: SpaceId, memory_ids: Sequence[int], rev: int, now: datetime) -> None:
        """Leave a tombstone for each removed memory, and drop those that are older than a day."""
        if not memory_ids:
            return
        rows = [{"space_id": space_id, "memory_id": gone, "rev": rev, "removed_at": now} for gone in memory_ids]
        self._connection.execute(_BURY, rows)
        aged = self._connection.execute(_AGED, {"space_id": space_id, "before": now - TOMBSTONES_KEPT}).scalar()
        if aged is not None:
            self._connection.execute(_PRUNE, {"space_id": space_id, "up_to": aged})
            self._connection.execute(_PRUNED, {"of_space": space_id, "up_to": aged})

    def without_vector(self, limit: int) -> Sequence[tuple[SpaceId, MemoryId, str, str | None]]:
        return [
            (
                SpaceId(row.space_id),
                MemoryId(row.id),
                embedded_text(row.text, row.quote or row.text, first_person=row.first_person),
                row.before,
            )
            for row in self._connection.execute(_WITHOUT_VECTOR, {"most": limit})
        ]

    def set_vectors(self, vectors: Sequence[tuple[SpaceId, MemoryId, bytes, int]]) -> None:
        if not vectors:
            return
        rows = [
            {"in_space": space_id, "of_memory": memory_id, "vector": vector}
            for space_id, memory_id, vector, _ in vectors
        ]
        self._connection.execute(_SET_VECTOR, rows)
        stamps = [
            {"in_space": space_id, "of_memory": memory_id, "stamp": rev} for space_id, memory_id, _, rev in vectors
        ]
        self._connection.execute(_STAMP, stamps)

    def unasked(self, space_id: SpaceId, memory_ids: Collection[MemoryId], rev: int) -> None:
        for batch in in_batches(memory_ids):
            held = self._connection.execute(_KEYS, {"space_id": space_id, "chosen": batch}).all()
            parted = [(row.memory_id, *parted_tokens(row.tok)) for row in held]
            of = [({"in_space": space_id, "of_memory": one}, own) for one, own, asked in parted if asked]
            if of:
                self._connection.execute(_LET_GO, [{**memory, "own": own} for memory, own in of])
                self._connection.execute(_STAMP, [{**memory, "stamp": rev} for memory, _ in of])

    def keyed_behind(self, after: MemoryId, limit: int) -> Sequence[tuple[SpaceId, MemoryId, str, str | None, bytes]]:
        rows = self._connection.execute(_KEYED_BEHIND, {"after": after, "most": limit})
        return [(SpaceId(row.space_id), MemoryId(row.id), row.text, row.about, bytes(row.tok)) for row in rows]

    def set_keys(self, rows: Sequence[tuple[SpaceId, MemoryId, bytes, int]]) -> None:
        if not rows:
            return
        of = [
            {"in_space": space, "of_memory": memory, "all_keys": held, "stamp": rev}
            for space, memory, held, rev in rows
        ]
        self._connection.execute(_SET_KEYS, of)
        self._connection.execute(_STAMP, of)

    def own_keys(self, space_id: SpaceId, memory_id: MemoryId) -> bytes:
        held = self._connection.execute(_KEYS, {"space_id": space_id, "chosen": [memory_id]}).first()
        return b"" if held is None else parted_tokens(held.tok)[0]

    def reword(
        self,
        space_id: SpaceId,
        memory_id: MemoryId,
        text: str,
        *,
        about: str | None,
        how: str,
        statement: bytes,
        keys: bytes,
        rev: int,
    ) -> None:
        of = {"in_space": space_id, "of_memory": memory_id}
        new = {"new_text": text, "new_about": about, "new_how": how, "new_statement": statement}
        self._connection.execute(_REWORD, {**of, **new, "stamp": rev})
        self._connection.execute(_LET_GO, {**of, "own": keys})

    def drop_vectors(self) -> None:
        # Every space moves on, so that no cache compares vectors of two embedders.
        for statement in _DROP_VECTORS:
            self._connection.execute(statement)
