"""Statements on files. A file's text is kept as the text of its source; paths are in code-point order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, and_, bindparam, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.domain.file import File, FileEntry, FilePath, after_prefix
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import SpaceId
from geniffy_server.errors import Conflict
from geniffy_server.storage.batches import in_batches
from geniffy_server.storage.compiled import Compiled
from geniffy_server.storage.schema import files, source_texts
from geniffy_server.storage.sources import PUT_TEXT
from geniffy_server.storage.sqlite import raw

_CHOSEN: BindParameter[Any] = bindparam("chosen", expanding=True)
_its_text = and_(source_texts.c.space_id == files.c.space_id, source_texts.c.source_id == files.c.source_id)
_in_space = files.c.space_id == bindparam("space_id")
_at_path = files.c.path == bindparam("path")
_FIND = Compiled(
    select(files.c.path, source_texts.c.text, files.c.size, files.c.updated_at, files.c.source_id)
    .select_from(files.join(source_texts, _its_text))
    .where(_in_space, _at_path)
)
_put = upsert(files)
_PUT = Compiled(
    _put.on_conflict_do_update(
        index_elements=["space_id", "path"],
        set_={
            "size": _put.excluded.size,
            "updated_at": _put.excluded.updated_at,
            "source_id": _put.excluded.source_id,
        },
    )
)
_SOURCE_AT = Compiled(select(files.c.source_id).where(_in_space, _at_path))
_ENTRIES = select(files.c.path, files.c.size, files.c.updated_at).where(_in_space)
_COUNT = select(func.count()).select_from(files).where(_in_space)
_UNDER = select(files.c.path, files.c.source_id).where(_in_space)
_TAKEN = select(files.c.path).where(_in_space, files.c.path.in_(_CHOSEN))
_MOVING = select(files).where(_in_space, files.c.path.in_(_CHOSEN))
_LEAVE = delete(files).where(_in_space, files.c.path.in_(_CHOSEN))
_ARRIVE = insert(files)
_REMOVE_TEXT = delete(source_texts).where(
    source_texts.c.space_id == bindparam("space_id"), source_texts.c.source_id == bindparam("source_id")
)
_REMOVE = delete(files).where(_in_space, _at_path)
_PATH_OF_SOURCE = Compiled(select(files.c.path).where(_in_space, files.c.source_id == bindparam("source_id")))


class FileRows:
    """`ports.Files` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._driver = raw(connection)

    def find(self, space_id: SpaceId, path: FilePath) -> File | None:
        row = _FIND.row(self._driver, {"space_id": space_id, "path": path})
        return (
            None
            if row is None
            else File(FilePath(row.path), row.text, row.size, row.updated_at, SourceId(row.source_id))
        )

    def page(self, space_id: SpaceId, prefix: str, limit: int, offset: int) -> tuple[Sequence[FileEntry], int]:
        within = {"space_id": space_id}
        under = _starts_with(prefix)
        chosen = _ENTRIES.where(*under).order_by(files.c.path).limit(limit).offset(offset)
        entries = [
            FileEntry(FilePath(row.path), row.size, row.updated_at) for row in self._connection.execute(chosen, within)
        ]
        return entries, int(self._connection.execute(_COUNT.where(*under), within).scalar_one())

    def put(self, space_id: SpaceId, file: File) -> None:
        at = {"space_id": space_id, "path": file.path}
        before = _SOURCE_AT.value(self._driver, at)
        if before is not None and before != file.source_id:
            self._connection.execute(_REMOVE_TEXT, {"space_id": space_id, "source_id": before})
        _PUT.run(self._driver, {**at, "size": file.size, "updated_at": file.updated_at, "source_id": file.source_id})
        PUT_TEXT.run(self._driver, {"space_id": space_id, "source_id": file.source_id, "text": file.text})

    def under(self, space_id: SpaceId, prefix: str, limit: int | None = None) -> Sequence[tuple[FilePath, SourceId]]:
        chosen = _UNDER.where(*_starts_with(prefix)).order_by(files.c.path)
        if limit is not None:
            chosen = chosen.limit(limit)
        rows = self._connection.execute(chosen, {"space_id": space_id})
        return [(FilePath(row.path), SourceId(row.source_id)) for row in rows]

    def taken(self, space_id: SpaceId, paths: Collection[FilePath]) -> Collection[FilePath]:
        found: set[FilePath] = set()
        for batch in in_batches(paths):
            found.update(self._connection.execute(_TAKEN, {"space_id": space_id, "chosen": batch}).scalars())
        return found

    def rename(self, space_id: SpaceId, moves: Sequence[tuple[FilePath, FilePath]]) -> None:
        to = dict(moves)
        leaving: list[dict[str, Any]] = []
        for batch in in_batches(to):
            wanted = {"space_id": space_id, "chosen": batch}
            leaving.extend(dict(row) for row in self._connection.execute(_MOVING, wanted).mappings())
            self._connection.execute(_LEAVE, wanted)
        # All have left before any arrives, so files may take each other's places.
        arriving = [{**row, "path": to[row["path"]]} for row in leaving]
        in_the_way = self.taken(space_id, [row["path"] for row in arriving])
        if in_the_way:
            raise Conflict(f"There is a file at {min(in_the_way)!r} already; move or delete it first.")
        if arriving:
            self._connection.execute(_ARRIVE, arriving)

    def remove(self, space_id: SpaceId, path: FilePath) -> None:
        at = {"space_id": space_id, "path": path}
        source_id = _SOURCE_AT.value(self._driver, at)
        if source_id is not None:
            self._connection.execute(_REMOVE_TEXT, {"space_id": space_id, "source_id": source_id})
            self._connection.execute(_REMOVE, at)

    def path_of_source(self, space_id: SpaceId, source_id: SourceId) -> FilePath | None:
        path = _PATH_OF_SOURCE.value(self._driver, {"space_id": space_id, "source_id": source_id})
        return None if path is None else FilePath(path)


def _starts_with(prefix: str) -> list[ColumnElement[bool]]:
    above = after_prefix(prefix)
    return [files.c.path >= prefix] if above is None else [files.c.path >= prefix, files.c.path < above]
