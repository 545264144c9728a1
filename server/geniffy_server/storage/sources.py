"""Statements on sources, their labels, texts and turns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.domain.labels import LabelFilter, Labels
from geniffy_server.domain.memory import USABLE, SourceRef
from geniffy_server.domain.source import Source, SourceId, SourceStatus, Turn
from geniffy_server.domain.space import SpaceId
from geniffy_server.storage.batches import in_batches
from geniffy_server.storage.compiled import Compiled
from geniffy_server.storage.conversations import note_turns, unsettle_category
from geniffy_server.storage.label_filters import source_carries
from geniffy_server.storage.passages import PassageRows, before_or_all
from geniffy_server.storage.schema import (
    AnyRow,
    conversations,
    jobs,
    memories,
    memory_lines,
    passages,
    source_labels,
    source_texts,
    sources,
    turns,
)
from geniffy_server.storage.turn_rows import as_json, turn_columns, turn_of

_FIELDS = tuple(column.name for column in sources.columns if column.name not in ("n", "space_id"))
# What a source teaches changes with corrections and other sources too, so it is counted when it is read; the column
# only tells whether the source was ever learned.
_TAUGHT_NOW = (
    select(func.count(memories.c.id.distinct()))
    .select_from(
        memory_lines.join(
            memories, and_(memories.c.space_id == memory_lines.c.space_id, memories.c.id == memory_lines.c.memory_id)
        )
    )
    .where(
        memory_lines.c.space_id == sources.c.space_id,
        memory_lines.c.source_id == sources.c.id,
        or_(*(memories.c.status == status for status in USABLE)),
    )
    .correlate(sources)
    .scalar_subquery()
)
_FACTS = case((sources.c.facts.is_not(None), _TAUGHT_NOW)).label("facts")
_SOURCE = select(*(_FACTS if name == "facts" else sources.c[name] for name in _FIELDS)).where(
    sources.c.space_id == bindparam("space_id")
)
_FIND = Compiled(_SOURCE.where(sources.c.id == bindparam("source_id")))
_BY_EXTERNAL_ID = Compiled(_SOURCE.where(sources.c.external_id == bindparam("external")))
_REFS = select(sources.c.id, sources.c.kind, sources.c.title, sources.c.title_given, sources.c.labels).where(
    sources.c.space_id == bindparam("space_id"), sources.c.id.in_(bindparam("source_ids", expanding=True))
)
_WORDS: BindParameter[Any] = bindparam("words")
_AS_JSON: BindParameter[Any] = bindparam("as_json")
_HOLDING = (
    select(sources.c.id)
    .where(
        sources.c.space_id == bindparam("space_id"),
        or_(
            func.instr(sources.c.title, _WORDS) > 0,
            exists(source_texts.c.source_id)
            .where(
                source_texts.c.space_id == sources.c.space_id,
                source_texts.c.source_id == sources.c.id,
                func.instr(source_texts.c.text, _WORDS) > 0,
            )
            .correlate(sources),
            exists(turns.c.source_id)
            .where(
                turns.c.space_id == sources.c.space_id,
                turns.c.source_id == sources.c.id,
                or_(
                    func.instr(turns.c.text, _WORDS) > 0,
                    func.instr(turns.c.name, _WORDS) > 0,
                    func.instr(turns.c.tools, _AS_JSON) > 0,
                ),
            )
            .correlate(sources),
            exists(passages.c.source_id)
            .where(
                passages.c.space_id == sources.c.space_id,
                passages.c.source_id == sources.c.id,
                func.instr(passages.c.heading, _WORDS) > 0,
            )
            .correlate(sources),
        ),
    )
    .order_by(sources.c.n)
)
_COUNT = select(func.count()).select_from(sources).where(sources.c.space_id == bindparam("space_id"))
_STATUSES = (
    select(sources.c.status, func.count().label("many"))
    .where(sources.c.space_id == bindparam("space_id"))
    .group_by(sources.c.status)
)
_ADD = Compiled(insert(sources), ["space_id", *_FIELDS])
_UPDATE = Compiled(
    update(sources)
    .where(sources.c.space_id == bindparam("in_space"), sources.c.id == bindparam("of_source"))
    .values({name: bindparam(f"new_{name}") for name in _FIELDS if name != "id"})
)
_LABELS = Compiled(
    select(sources.c.labels).where(sources.c.space_id == bindparam("space_id"), sources.c.id == bindparam("source_id"))
)
_ADD_LABEL = insert(source_labels)
_TEXT = select(source_texts.c.text).where(
    source_texts.c.space_id == bindparam("space_id"), source_texts.c.source_id == bindparam("source_id")
)
_put_text = upsert(source_texts)
PUT_TEXT = Compiled(
    _put_text.on_conflict_do_update(index_elements=["space_id", "source_id"], set_={"text": _put_text.excluded.text})
)
_TURNS = (
    select(turns)
    .where(
        turns.c.space_id == bindparam("space_id"),
        turns.c.source_id == bindparam("source_id"),
        turns.c.position >= bindparam("first"),
        turns.c.position < bindparam("before"),
    )
    .order_by(turns.c.position)
)
_NEXT_POSITION = select(func.coalesce(func.max(turns.c.position), -1) + 1).where(
    turns.c.space_id == bindparam("space_id"), turns.c.source_id == bindparam("source_id")
)
_ADD_TURN = insert(turns)
_SET_TURN_TEXT = (
    update(turns)
    .where(
        turns.c.space_id == bindparam("in_space"),
        turns.c.source_id == bindparam("of_source"),
        turns.c.position == bindparam("at_position"),
    )
    .values(text=bindparam("words"))
)


def _of_source(table: Any) -> Any:
    return delete(table).where(table.c.space_id == bindparam("space_id"), table.c.source_id == bindparam("source_id"))


_REMOVE_LABELS = _of_source(source_labels)
_REMOVE_TURNS = _of_source(turns)
_REMOVE_PARTS = (*map(_of_source, (jobs, passages, conversations, source_texts)), _REMOVE_TURNS, _REMOVE_LABELS)
_REMOVE = delete(sources).where(sources.c.space_id == bindparam("space_id"), sources.c.id == bindparam("source_id"))


class SourceRows(PassageRows):
    """`ports.Sources` over one connection."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._connection = connection

    def find(self, space_id: SpaceId, source_id: SourceId) -> Source | None:
        row = _FIND.row(self._driver, {"space_id": space_id, "source_id": source_id})
        return None if row is None else _source(row)

    def by_external_id(self, space_id: SpaceId, external_id: str) -> Source | None:
        row = _BY_EXTERNAL_ID.row(self._driver, {"space_id": space_id, "external": external_id})
        return None if row is None else _source(row)

    def page(
        self, space_id: SpaceId, labels: LabelFilter, limit: int, offset: int, status: SourceStatus | None = None
    ) -> tuple[Sequence[Source], int]:
        chosen, count = _SOURCE, _COUNT
        if status is not None:
            chosen, count = (one.where(sources.c.status == status) for one in (chosen, count))
        if labels:
            carries = source_carries(space_id, labels)
            chosen, count = chosen.where(carries), count.where(carries)
        within = {"space_id": space_id}
        rows = self._connection.execute(chosen.order_by(sources.c.n.desc()).limit(limit).offset(offset), within)
        found = [_source(row) for row in rows]
        return found, int(self._connection.execute(count, within).scalar_one())

    def statuses(self, space_id: SpaceId) -> Mapping[SourceStatus, int]:
        return {row.status: row.many for row in self._connection.execute(_STATUSES, {"space_id": space_id})}

    def add(self, space_id: SpaceId, source: Source, text: str | None) -> None:
        _ADD.run(self._driver, {"space_id": space_id, **_columns(source)})
        self._add_labels(space_id, source.id, source.labels)
        if text is not None:
            self.set_text(space_id, source.id, text)

    def update(self, space_id: SpaceId, source: Source) -> None:
        of = {"space_id": space_id, "source_id": source.id}
        if _LABELS.value(self._driver, of) != source.labels:
            self._connection.execute(_REMOVE_LABELS, of)
            self._add_labels(space_id, source.id, source.labels)
        new = {f"new_{name}": value for name, value in _columns(source).items()}
        _UPDATE.run(self._driver, {"in_space": space_id, "of_source": source.id, **new})

    def set_text(self, space_id: SpaceId, source_id: SourceId, text: str) -> None:
        PUT_TEXT.run(self._driver, {"space_id": space_id, "source_id": source_id, "text": text})

    def text(self, space_id: SpaceId, source_id: SourceId) -> str | None:
        text = self._connection.execute(_TEXT, {"space_id": space_id, "source_id": source_id}).scalar()
        return None if text is None else str(text)

    def remove(self, space_id: SpaceId, source_id: SourceId) -> None:
        for statement in (*_REMOVE_PARTS, _REMOVE):
            self._connection.execute(statement, {"space_id": space_id, "source_id": source_id})

    def refs(self, space_id: SpaceId, source_ids: Collection[SourceId]) -> Mapping[SourceId, SourceRef]:
        found: dict[SourceId, SourceRef] = {}
        for batch in in_batches(source_ids):
            for row in self._connection.execute(_REFS, {"space_id": space_id, "source_ids": batch}):
                source_id = SourceId(row.id)
                found[source_id] = SourceRef(source_id, row.kind, row.title, row.title_given, row.labels)
        return found

    def count(self, space_id: SpaceId) -> int:
        return int(self._connection.execute(_COUNT, {"space_id": space_id}).scalar_one())

    def holding(self, space_id: SpaceId, words: Collection[str]) -> Sequence[SourceId]:
        found: dict[SourceId, None] = {}
        for one in words:
            asked = {"space_id": space_id, "words": one, "as_json": as_json(one)[1:-1]}
            found.update(dict.fromkeys(SourceId(row.id) for row in self._connection.execute(_HOLDING, asked)))
        return list(found)

    def turns(
        self, space_id: SpaceId, source_id: SourceId, first: int = 0, before: int | None = None
    ) -> Sequence[Turn]:
        wanted = {"space_id": space_id, "source_id": source_id, "first": first, "before": before_or_all(before)}
        return [turn_of(row) for row in self._connection.execute(_TURNS, wanted)]

    def after_turns(self, space_id: SpaceId, source_id: SourceId) -> int:
        of = {"space_id": space_id, "source_id": source_id}
        return int(self._connection.execute(_NEXT_POSITION, of).scalar_one())

    def append_turns(self, space_id: SpaceId, source_id: SourceId, turns: Sequence[Turn]) -> int:
        first = self.after_turns(space_id, source_id)
        self._add_turns(space_id, source_id, turns, first)
        note_turns(self._connection, space_id, source_id, turns, afresh=False)
        return first

    def replace_turns(self, space_id: SpaceId, source_id: SourceId, turns: Sequence[Turn]) -> None:
        self._connection.execute(_REMOVE_TURNS, {"space_id": space_id, "source_id": source_id})
        self._add_turns(space_id, source_id, turns, 0)
        note_turns(self._connection, space_id, source_id, turns, afresh=True)

    def set_turn_text(self, space_id: SpaceId, source_id: SourceId, position: int, text: str) -> None:
        at = {"in_space": space_id, "of_source": source_id, "at_position": position}
        self._connection.execute(_SET_TURN_TEXT, {**at, "words": text})
        unsettle_category(self._connection, space_id, source_id)

    def _add_turns(self, space_id: SpaceId, source_id: SourceId, turns: Sequence[Turn], first: int) -> None:
        of = {"space_id": space_id, "source_id": source_id}
        rows = [{**of, "position": position, **turn_columns(turn)} for position, turn in enumerate(turns, first)]
        if rows:
            self._connection.execute(_ADD_TURN, rows)

    def _add_labels(self, space_id: SpaceId, source_id: SourceId, labels: Labels) -> None:
        rows = [
            {"space_id": space_id, "source_id": source_id, "name": name, "value": value}
            for name, value in labels.items()
        ]
        if rows:
            self._connection.execute(_ADD_LABEL, rows)


def _columns(source: Source) -> dict[str, Any]:
    return {name: getattr(source, name) for name in _FIELDS}


def _source(row: AnyRow) -> Source:
    return Source(**dict(zip(_FIELDS, row, strict=True)))
