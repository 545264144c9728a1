"""Statements on passages: the parts of a source that are learned, and taken back, as one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import BindParameter, Connection, bindparam, delete, func, insert, select, update

from geniffy_server.domain.source import NewPassage, Passage, PassageId, SourceId
from geniffy_server.domain.space import SpaceId
from geniffy_server.storage.batches import in_batches
from geniffy_server.storage.compiled import Compiled
from geniffy_server.storage.schema import AnyRow, memories, memory_lines, passages, spaces
from geniffy_server.storage.sqlite import raw

LAST_POSITION: Final = 2**31 - 1

_PASSAGES = (
    select(
        passages.c.id,
        passages.c.position,
        passages.c.digest,
        passages.c.start,
        passages.c.end,
        passages.c.kind,
        passages.c.heading,
        passages.c.turn,
        passages.c.learned,
    )
    .where(passages.c.space_id == bindparam("space_id"), passages.c.source_id == bindparam("source_id"))
    .order_by(passages.c.position, passages.c.id)
)
_BETWEEN = Compiled(
    _PASSAGES.where(passages.c.position >= bindparam("first"), passages.c.position < bindparam("before"))
)
_UNLEARNED = Compiled(_PASSAGES.where(passages.c.learned.is_(False)).limit(bindparam("most")))
_NEXT_POSITION = select(func.coalesce(func.max(passages.c.position), -1) + 1).where(
    passages.c.space_id == bindparam("space_id"), passages.c.source_id == bindparam("source_id")
)
_NEW = ("space_id", "source_id", "position", "digest", "start", "end", "kind", "heading", "turn", "learned")
_ADD = Compiled(insert(passages), _NEW)
_LAST_ID = Compiled(select(func.last_insert_rowid()))
_CHOSEN: BindParameter[Any] = bindparam("chosen", expanding=True)
_POSITIONS = select(passages.c.id, passages.c.position, passages.c.start, passages.c.end, passages.c.turn).where(
    passages.c.space_id == bindparam("space_id"), passages.c.id.in_(_CHOSEN)
)
_PLACE = (
    update(passages)
    .where(passages.c.space_id == bindparam("in_space"), passages.c.id == bindparam("passage_id"))
    .values(
        position=bindparam("to_position"),
        start=bindparam("to_start"),
        end=bindparam("to_end"),
        turn=bindparam("to_turn"),
    )
)
# A memory's row in the cache names the position of its first line, so it is stamped anew when that moves.
_STAMP = (
    update(memories)
    .where(
        memories.c.space_id == bindparam("in_space"),
        memories.c.id.in_(
            select(memory_lines.c.memory_id).where(
                memory_lines.c.space_id == bindparam("in_space"), memory_lines.c.passage_id.in_(_CHOSEN)
            )
        ),
    )
    .values(rev=select(spaces.c.version).where(spaces.c.id == bindparam("in_space")).scalar_subquery())
)
_SET_HEADING = (
    update(passages)
    .where(passages.c.space_id == bindparam("in_space"), passages.c.id == bindparam("passage_id"))
    .values(heading=bindparam("words"))
)
_REMOVE = delete(passages).where(passages.c.space_id == bindparam("space_id"), passages.c.id.in_(_CHOSEN))
_MARK = (
    update(passages)
    .where(passages.c.space_id == bindparam("in_space"), passages.c.id.in_(_CHOSEN))
    .values(learned=bindparam("is_learned"))
)


class PassageRows:
    """The passages of `ports.Sources` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._driver = raw(connection)

    def passages(
        self, space_id: SpaceId, source_id: SourceId, first: int = 0, before: int | None = None
    ) -> Sequence[Passage]:
        wanted = {"space_id": space_id, "source_id": source_id, "first": first, "before": before_or_all(before)}
        return [_passage(row) for row in _BETWEEN.rows(self._driver, wanted)]

    def after_passages(self, space_id: SpaceId, source_id: SourceId) -> int:
        of = {"space_id": space_id, "source_id": source_id}
        return int(self._connection.execute(_NEXT_POSITION, of).scalar_one())

    def unlearned(self, space_id: SpaceId, source_id: SourceId, limit: int) -> Sequence[Passage]:
        wanted = {"space_id": space_id, "source_id": source_id, "most": limit}
        return [_passage(row) for row in _UNLEARNED.rows(self._driver, wanted)]

    def add_passages(
        self, space_id: SpaceId, source_id: SourceId, passages: Sequence[tuple[int, NewPassage]]
    ) -> Sequence[PassageId]:
        if not passages:
            return []
        _ADD.run_each(self._driver, [_columns(space_id, source_id, position, new) for position, new in passages])
        # One transaction writes at a time, so that the counter's numbers follow each other.
        last = _LAST_ID.value(self._driver, {})
        return [PassageId(last - behind) for behind in reversed(range(len(passages)))]

    def place_passages(self, space_id: SpaceId, places: Sequence[tuple[PassageId, int, int, int, int | None]]) -> None:
        held: dict[int, tuple[int, int, int, int | None]] = {}
        for batch in in_batches(place[0] for place in places):
            for row in self._connection.execute(_POSITIONS, {"space_id": space_id, "chosen": batch}):
                held[row.id] = (row.position, row.start, row.end, row.turn)
        changed = [place for place in places if place[0] in held and held[place[0]] != place[1:]]
        if not changed:
            return
        self._connection.execute(
            _PLACE,
            [
                {
                    "in_space": space_id,
                    "passage_id": passage_id,
                    "to_position": position,
                    "to_start": start,
                    "to_end": end,
                    "to_turn": turn,
                }
                for passage_id, position, start, end, turn in changed
            ],
        )
        for batch in in_batches(place[0] for place in changed if held[place[0]][0] != place[1]):
            self._connection.execute(_STAMP, {"in_space": space_id, "chosen": batch})

    def set_heading(self, space_id: SpaceId, passage_id: PassageId, heading: str | None) -> None:
        self._connection.execute(_SET_HEADING, {"in_space": space_id, "passage_id": passage_id, "words": heading})

    def remove_passages(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> None:
        for batch in in_batches(passage_ids):
            self._connection.execute(_REMOVE, {"space_id": space_id, "chosen": batch})

    def mark_learned(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> None:
        for batch in in_batches(passage_ids):
            self._connection.execute(_MARK, {"in_space": space_id, "chosen": batch, "is_learned": True})

    def mark_unlearned(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> None:
        for batch in in_batches(passage_ids):
            self._connection.execute(_MARK, {"in_space": space_id, "chosen": batch, "is_learned": False})


def before_or_all(before: int | None) -> int:
    """A position to stop before; beyond every position when there is none."""
    return LAST_POSITION if before is None else before


def _columns(space_id: SpaceId, source_id: SourceId, position: int, new: NewPassage) -> dict[str, Any]:
    return {
        "space_id": space_id,
        "source_id": source_id,
        "position": position,
        "digest": new.digest,
        "start": new.start,
        "end": new.end,
        "kind": new.kind,
        "heading": new.heading,
        "turn": new.turn,
        "learned": False,
    }


def _passage(row: AnyRow) -> Passage:
    return Passage(
        PassageId(row.id), row.position, row.digest, row.start, row.end, row.kind, row.heading, row.turn, row.learned
    )
