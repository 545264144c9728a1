"""Statements on memories, their lines, and what was refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import (
    KINDS,
    USABLE,
    Kind,
    Line,
    Memory,
    MemoryId,
    NewMemory,
    SourceRef,
    Spoken,
    Status,
)
from geniffy_server.domain.source import PassageId, SourceId
from geniffy_server.domain.space import SpaceId
from geniffy_server.storage.batches import BATCH, in_batches
from geniffy_server.storage.compiled import Compiled
from geniffy_server.storage.label_filters import memory_carries
from geniffy_server.storage.schema import AnyRow, clashes, memories, memory_lines, memory_vectors, refused, sources
from geniffy_server.storage.shard_rows import FIRST_LINE, ShardRows
from geniffy_server.storage.sqlite import raw

IS_USABLE = memories.c.status.in_(USABLE)
_CHOSEN: BindParameter[Any] = bindparam("chosen", expanding=True)

_said = memory_lines.alias("said")
_MEMORY = (
    select(
        memories.c.id,
        memories.c.text,
        memories.c.kind,
        memories.c.about,
        memories.c.how,
        memories.c.status,
        memories.c.learned_at,
        memories.c.spoken_low,
        memories.c.spoken_high,
        memories.c.spoken_precision,
        memories.c.spoken_clock,
        memories.c.replaced_by,
        memory_lines.c.quote,
        memory_lines.c.said_at,
        sources.c.id.label("source_id"),
        sources.c.kind.label("source_kind"),
        sources.c.title,
        sources.c.title_given,
        sources.c.labels,
    )
    .select_from(
        memories.outerjoin(memory_lines, FIRST_LINE).outerjoin(
            sources, and_(sources.c.space_id == memory_lines.c.space_id, sources.c.id == memory_lines.c.source_id)
        )
    )
    .where(memories.c.space_id == bindparam("space_id"))
)
_FIND = _MEMORY.where(memories.c.id == bindparam("memory_id"))
_FIND_MANY = _MEMORY.where(memories.c.id.in_(_CHOSEN))
_FEW = tuple(f"id_{n}" for n in range(16))  # as many as a search shows: what every one of them asks for
_FIND_FEW = Compiled(_MEMORY.where(memories.c.id.in_([bindparam(name) for name in _FEW])))
_EVERY = _MEMORY.where(memories.c.id > bindparam("after")).order_by(memories.c.id).limit(BATCH)
_REPLACED_BY = _MEMORY.where(memories.c.replaced_by.in_(_CHOSEN))
_ABOUT = (
    _MEMORY.where(memories.c.about == bindparam("subject"), IS_USABLE)
    .order_by(memories.c.id.desc())
    .limit(bindparam("most"))
)
_SAYING = (
    _MEMORY.where(
        or_(
            memories.c.about == bindparam("words"),
            func.instr(memories.c.text, bindparam("words")) > 0,
            select(literal(1))
            .where(
                _said.c.space_id == memories.c.space_id,
                _said.c.memory_id == memories.c.id,
                func.instr(_said.c.quote, bindparam("words")) > 0,
            )
            .correlate(memories)
            .exists(),
        )
    )
    .order_by(memories.c.id.desc())
    .limit(bindparam("most"))
)
_SUBJECTS = (
    select(memories.c.about)
    .where(memories.c.space_id == bindparam("space_id"), memories.c.about.is_not(None), IS_USABLE)
    .group_by(memories.c.about)
    .order_by(func.count().desc(), memories.c.about)
    .limit(bindparam("most"))
)
_COUNTS = (
    select(memories.c.kind, func.count().label("held"))
    .where(memories.c.space_id == bindparam("space_id"), IS_USABLE)
    .group_by(memories.c.kind)
)
_MATCHING = select(memories.c.id).where(memories.c.space_id == bindparam("space_id"), IS_USABLE)
_BY_STATEMENT = (
    select(memories.c.statement, memories.c.id)
    .where(memories.c.space_id == bindparam("space_id"), memories.c.statement.in_(_CHOSEN), IS_USABLE)
    .order_by(memories.c.id.desc())
)
_STATEMENT = select(memories.c.statement).where(
    memories.c.space_id == bindparam("space_id"), memories.c.id == bindparam("memory_id")
)
_ROW = select(memories).where(memories.c.space_id == bindparam("space_id"), memories.c.id == bindparam("memory_id"))
_ADD = insert(memories)
_ADD_VECTOR = insert(memory_vectors)
_ADD_FIRST_LINE = insert(memory_lines)

_LINE_FIELDS = ("source_id", "passage_id", "start", "end", "quote", "said_at")
_of_memory = (
    memory_lines.c.space_id == bindparam("space_id"),
    memory_lines.c.memory_id == bindparam("memory_id"),
)
_NEXT_LINE = select(func.coalesce(func.max(memory_lines.c.n), -1) + 1).where(*_of_memory)
_SAME_PLACE = select(literal(1)).where(
    *_of_memory,
    memory_lines.c.passage_id == bindparam("passage_id"),
    memory_lines.c.start == bindparam("start"),
    memory_lines.c.end == bindparam("end"),
)
_LINE = select(*(memory_lines.c[name] for name in _LINE_FIELDS))
_LINES = _LINE.where(*_of_memory).order_by(memory_lines.c.n)
_LINES_OF_SOURCE = (
    select(memory_lines.c.memory_id, *(memory_lines.c[name] for name in _LINE_FIELDS))
    .where(memory_lines.c.space_id == bindparam("space_id"), memory_lines.c.source_id == bindparam("source_id"))
    .order_by(memory_lines.c.memory_id, memory_lines.c.n)
)
_SHOWN_BY = (
    select(memory_lines.c.memory_id, memory_lines.c.quote)
    .select_from(memories.join(memory_lines, FIRST_LINE))
    .where(memory_lines.c.space_id == bindparam("space_id"), memory_lines.c.passage_id.in_(_CHOSEN))
)
_CUT = (
    delete(memory_lines)
    .where(memory_lines.c.space_id == bindparam("space_id"), memory_lines.c.passage_id.in_(_CHOSEN))
    .returning(memory_lines.c.memory_id)
)
_lowest_line = (
    select(func.min(memory_lines.c.n))
    .where(memory_lines.c.space_id == memories.c.space_id, memory_lines.c.memory_id == memories.c.id)
    .correlate(memories)
    .scalar_subquery()
)
_LINELESS = (
    select(memories.c.id)
    .where(
        memories.c.space_id == bindparam("space_id"),
        memories.c.id.in_(_CHOSEN),
        ~exists(memory_lines.c.n)
        .where(memory_lines.c.space_id == memories.c.space_id, memory_lines.c.memory_id == memories.c.id)
        .correlate(memories),
    )
    .order_by(memories.c.id)
)
_SHOW_NEXT_LINE = (
    update(memories)
    .where(
        memories.c.space_id == bindparam("in_space"),
        memories.c.id.in_(_CHOSEN),
        memories.c.first_line != _lowest_line,
    )
    .values(first_line=_lowest_line)
)
_chosen_memories = and_(memories.c.space_id == bindparam("in_space"), memories.c.id.in_(_CHOSEN))
_STAMP = update(memories).where(_chosen_memories).values(rev=bindparam("stamp"))
_SET_STATUS = (
    update(memories)
    .where(memories.c.space_id == bindparam("in_space"), memories.c.id == bindparam("memory_id"))
    .values(status=bindparam("to_status"), replaced_by=bindparam("successor"), rev=bindparam("stamp"))
)
_FREE_REPLACED = (
    update(memories)
    .where(memories.c.space_id == bindparam("in_space"), memories.c.replaced_by.in_(_CHOSEN))
    .values(replaced_by=None)
)
_HAND_ON = (
    update(memories)
    .where(memories.c.space_id == bindparam("in_space"), memories.c.replaced_by == bindparam("from_memory"))
    .values(replaced_by=bindparam("to_memory"), rev=bindparam("stamp"))
)
_HAND_ON_PARTS = tuple(
    update(table)
    .where(table.c.space_id == bindparam("in_space"), table.c.memory_id == bindparam("from_memory"))
    .values(memory_id=bindparam("to_memory"))
    for table in (memory_lines, memory_vectors)
)
_WRITTEN = (
    "text", "kind", "about", "how", "first_person", "statement", "spoken_low", "spoken_high", "spoken_precision",
    "spoken_clock", "status", "first_line",
)  # fmt: skip
_REWRITE = (
    update(memories)
    .where(memories.c.space_id == bindparam("in_space"), memories.c.id == bindparam("of_memory"))
    .values(
        **{name: bindparam(f"new_{name}") for name in _WRITTEN},
        rev=bindparam("stamp"),
        replaced_by=None,
        edited=True,
        updated_at=bindparam("at"),
    )
)
_TAUGHT = (
    select(func.count(memories.c.id.distinct()))
    .select_from(
        memory_lines.join(
            memories, and_(memories.c.space_id == memory_lines.c.space_id, memories.c.id == memory_lines.c.memory_id)
        )
    )
    .where(
        memory_lines.c.space_id == bindparam("space_id"),
        memory_lines.c.source_id == bindparam("source_id"),
        IS_USABLE,
    )
)
_ADD_CLASH = upsert(clashes).on_conflict_do_nothing()
_CLASHES = select(clashes.c.one, clashes.c.other).where(
    clashes.c.space_id == bindparam("space_id"), or_(clashes.c.one.in_(_CHOSEN), clashes.c.other.in_(_CHOSEN))
)
_END_CLASHES = delete(clashes).where(
    clashes.c.space_id == bindparam("space_id"), or_(clashes.c.one.in_(_CHOSEN), clashes.c.other.in_(_CHOSEN))
)
_REFUSE = upsert(refused).on_conflict_do_nothing()
_REFUSED = select(refused.c.statement).where(
    refused.c.space_id == bindparam("space_id"), refused.c.statement.in_(_CHOSEN)
)
_REMOVE = tuple(
    delete(table).where(table.c.space_id == bindparam("space_id"), column.in_(_CHOSEN)).returning(column)
    for table, column in (
        (memory_lines, memory_lines.c.memory_id),
        (memory_vectors, memory_vectors.c.memory_id),
        (memories, memories.c.id),
    )
)


class MemoryRows(ShardRows):
    """`ports.Memories` over one connection."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._connection = connection
        self._driver = raw(connection)

    def find(self, space_id: SpaceId, memory_id: MemoryId) -> Memory | None:
        row = self._connection.execute(_FIND, {"space_id": space_id, "memory_id": memory_id}).one_or_none()
        return None if row is None else _memory(row)

    def find_many(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Memory]:
        found: dict[MemoryId, Memory] = {}
        for batch in in_batches(memory_ids):
            rows: Sequence[AnyRow]
            if len(batch) <= len(_FEW):
                few = dict.fromkeys(_FEW, batch[-1])
                few.update(zip(_FEW, batch, strict=False))
                rows = _FIND_FEW.rows(self._driver, {"space_id": space_id, **few})
            else:
                rows = self._connection.execute(_FIND_MANY, {"space_id": space_id, "chosen": batch}).all()
            found.update((MemoryId(row.id), _memory(row)) for row in rows)
        return found

    def page(
        self, space_id: SpaceId, kind: Kind | None, labels: LabelFilter, limit: int, offset: int
    ) -> Sequence[Memory]:
        chosen = _MEMORY.where(IS_USABLE)
        if kind is not None:
            chosen = chosen.where(memories.c.kind == kind)
        if labels:
            chosen = chosen.where(memory_carries(space_id, labels))
        chosen = chosen.order_by(memories.c.id.desc()).limit(limit).offset(offset)
        return [_memory(row) for row in self._connection.execute(chosen, {"space_id": space_id})]

    def counts(self, space_id: SpaceId, labels: LabelFilter) -> Mapping[str, int]:
        counted = _COUNTS.where(memory_carries(space_id, labels)) if labels else _COUNTS
        held = {row.kind: row.held for row in self._connection.execute(counted, {"space_id": space_id})}
        return {kind: held.get(kind, 0) for kind in KINDS}

    def matching(self, space_id: SpaceId, labels: LabelFilter) -> Collection[MemoryId]:
        chosen = _MATCHING.where(memory_carries(space_id, labels))
        return {MemoryId(row.id) for row in self._connection.execute(chosen, {"space_id": space_id})}

    def every(self, space_id: SpaceId) -> Iterable[Memory]:
        after = 0
        while rows := self._connection.execute(_EVERY, {"space_id": space_id, "after": after}).all():
            yield from map(_memory, rows)
            after = rows[-1].id

    def replaced_by(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Sequence[Memory]:
        found: list[Memory] = []
        for batch in in_batches(memory_ids):
            rows = self._connection.execute(_REPLACED_BY, {"space_id": space_id, "chosen": batch})
            found.extend(map(_memory, rows))
        return sorted(found, key=lambda memory: memory.id)

    def about(self, space_id: SpaceId, about: str, limit: int) -> Sequence[Memory]:
        wanted = {"space_id": space_id, "subject": about, "most": limit}
        return [_memory(row) for row in self._connection.execute(_ABOUT, wanted)]

    def saying(self, space_id: SpaceId, words: str, limit: int = 1) -> Sequence[Memory]:
        wanted = {"space_id": space_id, "words": words, "most": limit}
        return [_memory(row) for row in self._connection.execute(_SAYING, wanted)]

    def subjects(self, space_id: SpaceId, limit: int) -> Sequence[str]:
        return [row.about for row in self._connection.execute(_SUBJECTS, {"space_id": space_id, "most": limit})]

    def by_statement(self, space_id: SpaceId, statements: Collection[bytes]) -> Mapping[bytes, MemoryId]:
        found: dict[bytes, MemoryId] = {}
        for batch in in_batches(statements):
            for row in self._connection.execute(_BY_STATEMENT, {"space_id": space_id, "chosen": batch}):
                found[row.statement] = MemoryId(row.id)  # the oldest comes last and stays
        return found

    def add(self, space_id: SpaceId, memory: NewMemory, line: Line, rev: int) -> MemoryId:
        own = {"rev": rev, "updated_at": memory.learned_at}
        memory_id = self._added({"space_id": space_id, **own, **_columns(memory)})
        self._add_parts(space_id, memory_id, memory, line)
        return memory_id

    def rewrite(
        self, space_id: SpaceId, memory_id: MemoryId, memory: NewMemory, line: Line, rev: int, now: datetime
    ) -> MemoryId:
        held = self._connection.execute(_ROW, {"space_id": space_id, "memory_id": memory_id}).one()
        earlier = {name: value for name, value in held._mapping.items() if name != "id"}
        past = self._added({**earlier, "status": "wrong", "replaced_by": None, "rev": rev})
        moved = {"in_space": space_id, "from_memory": memory_id, "to_memory": past}
        self._connection.execute(_HAND_ON, {**moved, "stamp": rev})
        for statement in _HAND_ON_PARTS:
            self._connection.execute(statement, moved)
        self.set_status(space_id, past, "wrong", memory_id, rev)
        new = {f"new_{name}": value for name, value in _columns(memory).items() if name in _WRITTEN}
        self._connection.execute(
            _REWRITE, {"in_space": space_id, "of_memory": memory_id, "stamp": rev, "at": now, **new}
        )
        self._add_parts(space_id, memory_id, memory, line)
        return past

    def add_line(self, space_id: SpaceId, memory_id: MemoryId, line: Line, rev: int) -> None:
        of = {"space_id": space_id, "memory_id": memory_id}
        place = {**of, "passage_id": line.passage_id, "start": line.start, "end": line.end}
        if self._connection.execute(_SAME_PLACE, place).first() is not None:
            return
        n = self._connection.execute(_NEXT_LINE, of).scalar_one()
        self._connection.execute(_ADD_FIRST_LINE, {**of, "n": n, **_line_columns(line)})
        self._connection.execute(_SHOW_NEXT_LINE, {"in_space": space_id, "chosen": [memory_id]})
        self._connection.execute(_STAMP, {"in_space": space_id, "chosen": [memory_id], "stamp": rev})

    def lines(self, space_id: SpaceId, memory_id: MemoryId) -> Sequence[Line]:
        rows = self._connection.execute(_LINES, {"space_id": space_id, "memory_id": memory_id})
        return [_line(row) for row in rows]

    def lines_of_source(self, space_id: SpaceId, source_id: SourceId) -> Sequence[tuple[MemoryId, Line]]:
        rows = self._connection.execute(_LINES_OF_SOURCE, {"space_id": space_id, "source_id": source_id})
        return [(MemoryId(row.memory_id), _line(row)) for row in rows]

    def shown_by(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> Mapping[MemoryId, str]:
        shown: dict[MemoryId, str] = {}
        for batch in in_batches(passage_ids):
            rows = self._connection.execute(_SHOWN_BY, {"space_id": space_id, "chosen": batch})
            shown.update((MemoryId(row.memory_id), row.quote) for row in rows)
        return shown

    def cut_lines(self, space_id: SpaceId, passage_ids: Collection[PassageId], rev: int) -> Sequence[MemoryId]:
        touched: set[int] = set()
        for batch in in_batches(passage_ids):
            cut = self._connection.execute(_CUT, {"space_id": space_id, "chosen": batch})
            touched.update(row.memory_id for row in cut)
        left: list[MemoryId] = []
        for some in in_batches(sorted(touched)):
            lineless = self._connection.execute(_LINELESS, {"space_id": space_id, "chosen": some})
            left.extend(MemoryId(row.id) for row in lineless)
            self._connection.execute(_SHOW_NEXT_LINE, {"in_space": space_id, "chosen": some})
            self._connection.execute(_STAMP, {"in_space": space_id, "chosen": some, "stamp": rev})
        return left

    def set_status(
        self, space_id: SpaceId, memory_id: MemoryId, status: Status, replaced_by: MemoryId | None, rev: int
    ) -> None:
        new = {"to_status": status, "successor": replaced_by, "stamp": rev}
        self._connection.execute(_SET_STATUS, {"in_space": space_id, "memory_id": memory_id, **new})

    def add_clash(self, space_id: SpaceId, one: MemoryId, other: MemoryId) -> None:
        pair = {"space_id": space_id, "one": min(one, other), "other": max(one, other)}
        self._connection.execute(_ADD_CLASH, pair)

    def clashing_with(
        self, space_id: SpaceId, memory_ids: Collection[MemoryId]
    ) -> Mapping[MemoryId, Collection[MemoryId]]:
        asked = set(memory_ids)
        found: dict[MemoryId, set[MemoryId]] = {}
        for batch in in_batches(asked):
            for row in self._connection.execute(_CLASHES, {"space_id": space_id, "chosen": batch}):
                for memory_id, other in ((row.one, row.other), (row.other, row.one)):
                    if memory_id in asked:
                        found.setdefault(MemoryId(memory_id), set()).add(MemoryId(other))
        return found

    def end_clashes(self, space_id: SpaceId, memory_id: MemoryId) -> None:
        self._connection.execute(_END_CLASHES, {"space_id": space_id, "chosen": [memory_id]})

    def remove(self, space_id: SpaceId, memory_ids: Collection[MemoryId], rev: int, now: datetime) -> None:
        for batch in in_batches(memory_ids):
            self._connection.execute(_END_CLASHES, {"space_id": space_id, "chosen": batch})
            for statement in _REMOVE:
                removed = self._connection.execute(statement, {"space_id": space_id, "chosen": batch}).scalars().all()
            # Those last removed are the memories themselves: an id of another space leaves no tombstone here.
            self._connection.execute(_FREE_REPLACED, {"in_space": space_id, "chosen": batch})
            self.bury(space_id, removed, rev, now)

    def taught(self, space_id: SpaceId, source_id: SourceId) -> int:
        return int(self._connection.execute(_TAUGHT, {"space_id": space_id, "source_id": source_id}).scalar_one())

    def refuse(self, space_id: SpaceId, statements: Collection[bytes]) -> None:
        rows = [{"space_id": space_id, "statement": statement} for statement in statements]
        if rows:
            self._connection.execute(_REFUSE, rows)

    def refused(self, space_id: SpaceId, statements: Collection[bytes]) -> Collection[bytes]:
        found: set[bytes] = set()
        for batch in in_batches(statements):
            found.update(self._connection.execute(_REFUSED, {"space_id": space_id, "chosen": batch}).scalars())
        return found

    def statement(self, space_id: SpaceId, memory_id: MemoryId) -> bytes | None:
        found = self._connection.execute(_STATEMENT, {"space_id": space_id, "memory_id": memory_id}).scalar()
        return None if found is None else bytes(found)

    def _added(self, row: dict[str, Any]) -> MemoryId:
        added = self._connection.execute(_ADD, row)
        assert added.inserted_primary_key is not None
        return MemoryId(added.inserted_primary_key[0])

    def _add_parts(self, space_id: SpaceId, memory_id: MemoryId, memory: NewMemory, line: Line) -> None:
        of = {"space_id": space_id, "memory_id": memory_id}
        self._connection.execute(_ADD_VECTOR, {**of, "vec": memory.vector, "tok": memory.tokens})
        self._connection.execute(_ADD_FIRST_LINE, {**of, "n": 0, **_line_columns(line)})


def spoken_of(row: AnyRow) -> Spoken | None:
    """The time that a memory speaks of, from the four columns that keep it."""
    if row.spoken_low is None:
        return None
    low, high = date.fromordinal(row.spoken_low), date.fromordinal(row.spoken_high)
    return Spoken(low, high, row.spoken_precision, row.spoken_clock)


def _columns(memory: NewMemory) -> dict[str, Any]:
    spoken = memory.spoken
    return {
        "text": memory.text,
        "kind": memory.kind,
        "about": memory.about,
        "how": memory.how,
        "first_person": memory.first_person,
        "statement": memory.statement,
        "spoken_low": None if spoken is None else spoken.low.toordinal(),
        "spoken_high": None if spoken is None else spoken.high.toordinal(),
        "spoken_precision": None if spoken is None else spoken.precision,
        "spoken_clock": None if spoken is None else spoken.clock,
        "learned_at": memory.learned_at,
        "status": memory.status,
        "first_line": 0,
    }


def _line_columns(line: Line) -> dict[str, Any]:
    return {name: getattr(line, name) for name in _LINE_FIELDS}


def _line(row: AnyRow) -> Line:
    return Line(SourceId(row.source_id), PassageId(row.passage_id), row.start, row.end, row.quote, row.said_at)


def _memory(row: AnyRow) -> Memory:
    source = None
    if row.source_id is not None:
        source = SourceRef(SourceId(row.source_id), row.source_kind, row.title, row.title_given, row.labels)
    return Memory(
        id=MemoryId(row.id),
        text=row.text,
        kind=row.kind,
        about=row.about,
        how=row.how,
        status=row.status,
        # A memory whose last line was cut stands alone until the same transaction removes it.
        quote=row.text if row.quote is None else row.quote,
        said_at=row.learned_at if row.said_at is None else row.said_at,
        learned_at=row.learned_at,
        spoken=spoken_of(row),
        replaced_by=None if row.replaced_by is None else MemoryId(row.replaced_by),
        source=source,
    )
