"""Reading one space of an archive: checking its lines, and inserting its rows under new ids."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby, islice
from typing import IO, Any, Final

from sqlalchemy import BindParameter, Connection, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import AccountId, SpaceId
from geniffy_server.errors import BadInput, Conflict
from geniffy_server.storage.archive_rows import PARTS, Part, as_written_now, from_json
from geniffy_server.storage.batches import BATCH
from geniffy_server.storage.conversations import find_conversations
from geniffy_server.storage.jobs import JobRows
from geniffy_server.storage.schema import memories, source_labels, spaces
from geniffy_server.storage.spaces import SpaceRows

Row = dict[str, Any]

_PART_OF: Final = {part.name: part for part in PARTS}
_ADOPT = (
    update(spaces)
    .where(spaces.c.id == bindparam("of_space"))
    .values(secret=bindparam("its_secret"), owner_name=bindparam("its_owner"), last_added_at=bindparam("its_last"))
)
_REPLACED: BindParameter[Any] = bindparam("successor")
_REPLACE = (
    update(memories)
    .where(memories.c.space_id == bindparam("in_space"), memories.c.id == bindparam("memory_id"))
    .values(replaced_by=_REPLACED)
)


def check_space(lines: IO[bytes], name: str, count: int, version: int) -> tuple[int, int]:
    """Read the `count` lines of a space without keeping them: how many sources and memories it holds.

    Raises BadInput when one is not as it was written.
    """
    known: dict[str, set[Any]] = {"passage": set(), "memory": set(), "source": set()}
    successors: set[int] = set()
    _space_of(lines, name)
    for part, row in _rows(lines, count - 1, version):
        if part.name == "source":
            known["source"].add(row["id"])
        elif "source_id" in row and row["source_id"] not in known["source"]:
            raise BadInput(f"The archive names a source of {name!r} that it does not hold; it was changed.")
        for column, owner in part.numbers.items():
            if column == "id":
                known[owner].add(row["id"])
            elif column == "replaced_by":
                successors.add(row["replaced_by"] or row["id"])
            elif row[column] not in known[owner]:
                raise BadInput(f"The archive names a {owner} of {name!r} that it does not hold; it was changed.")
    if not successors <= known["memory"]:
        raise BadInput(f"The archive names a memory of {name!r} that it does not hold; it was changed.")
    return len(known["source"]), len(known["memory"])


def read_space(
    connection: Connection,
    account_id: AccountId,
    lines: IO[bytes],
    name: str,
    count: int,
    version: int,
    *,
    with_vectors: bool,
) -> None:
    """Insert the rows of a space that was checked. Raises Conflict when it holds something already."""
    space = _space_of(lines, name)
    refuse_held(connection, account_id, name)
    tables = SpaceRows(connection)
    space_id = tables.ensure(account_id, name).id
    rev = tables.bump(space_id)
    adopted = {"its_secret": space["secret"], "its_owner": space["owner_name"], "its_last": space["last_added_at"]}
    connection.execute(_ADOPT, {"of_space": space_id, **adopted})
    reading = _Reading(connection, space_id, rev, with_vectors)
    try:
        for part, rows in groupby(_rows(lines, count - 1, version), key=lambda it: it[0]):
            alike = (row for _, row in rows)
            while batch := list(islice(alike, BATCH)):
                reading.insert(part, batch)
        reading.end()
        if version < 2:
            find_conversations(connection, space_id)
    except IntegrityError as fault:
        raise BadInput(f"The archive holds a row of {name!r} twice; it was changed since it was written.") from fault


def refuse_held(connection: Connection, account_id: AccountId, name: str) -> None:
    """Raises Conflict when the space of that name holds something."""
    space = SpaceRows(connection).find(account_id, name)
    if space is None:
        return
    for part in PARTS:
        first = select(part.table.c.space_id).where(part.table.c.space_id == space.id).limit(1)
        if connection.execute(first).first() is not None:
            shown = f"The space {name!r}" if name else "The account's own memory"
            raise Conflict(f"{shown} holds something already; erase it first, or read the archive into another store.")


class _Reading:
    """The rows of one space on their way in: which new id each old one got."""

    def __init__(self, connection: Connection, space_id: SpaceId, rev: int, with_vectors: bool) -> None:
        self._connection = connection
        self._space_id = space_id
        self._rev = rev
        self._with_vectors = with_vectors
        self._new: dict[str, dict[int, int]] = {"passage": {}, "memory": {}}
        self._successors: list[tuple[int, int]] = []

    def insert(self, part: Part, rows: Sequence[Row]) -> None:
        if part.name == "job":
            for row in rows:
                source_id = SourceId(row["source_id"])
                JobRows(self._connection).add(self._space_id, source_id, row["revision"], datetime.now(UTC))
            return
        old = [row["id"] for row in rows] if "id" in part.numbers else []
        placed = [self._placed(part, row) for row in rows]
        last = self._connection.execute(select(func.max(part.table.c.id))).scalar() if old else None
        self._connection.execute(insert(part.table), placed)
        if old:
            # Ids grow in the order of insertion, above every id before.
            ids = select(part.table.c.id).where(part.table.c.space_id == self._space_id, part.table.c.id > (last or 0))
            new = self._connection.execute(ids.order_by(part.table.c.id)).scalars()
            self._new[part.numbers["id"]].update(zip(old, new, strict=True))
        if part.name == "source":
            labels = [
                {"space_id": self._space_id, "source_id": row["id"], "name": name, "value": value}
                for row in rows
                for name, value in row["labels"].items()
            ]
            if labels:
                self._connection.execute(insert(source_labels), labels)

    def end(self) -> None:
        """Point every replaced memory at its successor, whose new id is known by now."""
        new = self._new["memory"]
        rows = [
            {"in_space": self._space_id, "memory_id": new[replaced], "successor": new[successor]}
            for replaced, successor in self._successors
        ]
        if rows:
            self._connection.execute(_REPLACE, rows)

    def _placed(self, part: Part, row: Row) -> Row:
        placed = {**row, "space_id": self._space_id}
        for column, owner in part.numbers.items():
            if column == "id":
                del placed["id"]
            elif column == "replaced_by":
                placed[column] = None
            else:
                placed[column] = self._new[owner][row[column]]
        if part.name == "clash":
            placed["one"], placed["other"] = sorted((placed["one"], placed["other"]))
        if part.name == "memory":
            placed["rev"] = self._rev
            if row["replaced_by"] is not None:
                self._successors.append((row["id"], row["replaced_by"]))
        if part.name == "vector" and not self._with_vectors:
            placed["vec"] = b""
        return placed


def _space_of(lines: IO[bytes], name: str) -> Row:
    key, values = _line(lines)
    kept = ("name", "secret", "owner_name", "last_added_at")
    if key != "space" or values.keys() != set(kept) or values["name"] != name:
        raise BadInput(f"The archive lists a space {name!r} that does not follow; it was changed since it was written.")
    return {column: from_json(spaces.c[column], values[column]) for column in kept}


def _rows(lines: IO[bytes], count: int, version: int) -> Iterator[tuple[Part, Row]]:
    for _ in range(count):
        key, values = _line(lines)
        part = _PART_OF.get(key)
        if part is not None and version < 2:
            values = as_written_now(part, values)
        if part is None or values.keys() != {column.name for column in part.columns}:
            raise BadInput(f"The archive holds a line that is no row of a space: {key!r:.40}.")
        yield part, {column.name: from_json(column, values[column.name]) for column in part.columns}


def _line(lines: IO[bytes]) -> tuple[str, Row]:
    raw = lines.readline()
    if not raw.endswith(b"\n"):
        raise BadInput("The archive ends before its last row; it was cut off.")
    try:
        ((key, values),) = json.loads(raw).items()
        if not isinstance(values, dict):
            raise ValueError
    except (ValueError, AttributeError, RecursionError):
        raise BadInput(
            "The archive holds a line that is no row of a space; it was changed since it was written."
        ) from None
    return key, values
