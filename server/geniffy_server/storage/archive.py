"""Whole spaces as one file of JSON lines, and back.

The first line names the format, its version, the embedder that wrote the vectors, and the spaces with their numbers
of lines. Then each space: a `space` line with its name and the secret that its statements are marked with, and its
rows, `{"<part>": {…}}` each. The same space gives the same lines, whatever else the store holds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from sqlalchemy import Connection, Table, delete, func, insert, select

from geniffy_server.domain.space import OWN, AccountId, SpaceId, space_name
from geniffy_server.errors import BadInput, Conflict, NotFound
from geniffy_server.ports import EMBEDDER_NOTE, SEARCH_KEYS_NOTE
from geniffy_server.storage.archive_reader import check_space, read_space, refuse_held
from geniffy_server.storage.archive_rows import PARTS, to_json
from geniffy_server.storage.schema import AnyRow, meta, spaces
from geniffy_server.storage.sqlite import connected, in_transaction, open_engine
from geniffy_server.storage.store import MAIN

FORMAT: Final = "geniffy-agents/spaces"
VERSION: Final = 2
_TOLD_EVERY: Final = 500

Progress = Callable[[int, int], None]
"""Told how many lines are done, of how many."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The spaces that were written or read, by name, and what they hold in all."""

    spaces: Sequence[str]
    sources: int
    memories: int


@dataclass(frozen=True, slots=True)
class _Listed:
    """A space as the first line lists it. `lines` counts all of its lines."""

    name: str
    lines: int


def write_spaces(
    directory: Path, account_id: AccountId, names: Sequence[str] | None, file: Path, progress: Progress
) -> Moved:
    """Write spaces of an account, all that hold something with None, to a new file that its owner alone may read.

    Blocking. Servers may run meanwhile: what is written is one state of the store. Raises NotFound for a space that
    holds nothing or a directory without a store, Conflict when the file is there already.
    """
    main = _main(directory)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise Conflict(f"{str(file)!r} is there already; name another file, or remove it first.") from None
    except OSError as fault:
        raise BadInput(f"{str(file)!r} can't be written: {fault.strerror}.") from fault
    try:
        with open(descriptor, "wb") as out, connected(open_engine(main, "reader")) as connection:
            return in_transaction(connection, "BEGIN", lambda one: _write(one, account_id, names, out, progress))
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def read_spaces(directory: Path, account_id: AccountId, file: Path, progress: Progress) -> Moved:
    """Read the spaces of a file that `write_spaces` wrote into an account, each whole or not at all.

    Blocking. The file is checked whole before anything is written. Memories and passages get new ids; vectors of
    another embedder are left out, to be made anew. Raises BadInput for a file that is no archive, or a damaged or newer
    one, Conflict when a space of that name holds something already, NotFound for a directory without a store.
    """
    main = _main(directory)
    with _opened(file) as lines, connected(open_engine(main, "writer")) as connection:
        version, embedder, listed = _first_line(lines)
        rows_at = lines.tell()
        held = [check_space(lines, space.name, space.lines, version) for space in listed]
        if lines.readline():
            raise BadInput(f"{str(file)!r} goes on after its last space; it was changed since it was written.")
        for space in listed:
            in_transaction(connection, "BEGIN", lambda one, name=space.name: refuse_held(one, account_id, name))  # type: ignore[misc]
        done, total = 0, sum(space.lines for space in listed)
        for space in listed:

            def work(one: Connection, space: _Listed = space, at: int = rows_at) -> int:
                lines.seek(at)
                same = _adopt_embedder(one, embedder)
                read_space(one, account_id, lines, space.name, space.lines, version, with_vectors=same)
                return lines.tell()

            rows_at = in_transaction(connection, "BEGIN IMMEDIATE", work)
            done += space.lines
            progress(done, total)
    sources, memories = (sum(counts) for counts in zip((0, 0), *held, strict=True))
    return Moved([space.name for space in listed], sources, memories)


def check_archive(file: Path) -> None:
    """Look at the beginning of a file, before a store is made for it. Raises BadInput for what is no archive."""
    with _opened(file) as lines:
        _first_line(lines)


def _opened(file: Path) -> IO[bytes]:
    try:
        return file.open("rb")
    except OSError as fault:
        raise BadInput(f"{str(file)!r} can't be read: {fault.strerror}.") from fault


def _main(directory: Path) -> Path:
    if not (directory / MAIN).is_file():
        raise NotFound(f"There is no memory in {str(directory)!r}; name the directory that holds main.db.")
    return directory / MAIN


def _write(
    connection: Connection, account_id: AccountId, names: Sequence[str] | None, out: IO[bytes], progress: Progress
) -> Moved:
    out.seek(0)
    out.truncate()
    chosen: list[tuple[AnyRow, dict[str, int]]] = []
    for space in connection.execute(select(spaces).where(spaces.c.account_id == account_id).order_by(spaces.c.name)):
        if names is not None and space.name not in names:
            continue
        counts = {part.name: _count(connection, part.table, space.id) for part in PARTS}
        if any(counts.values()):
            chosen.append((space, counts))
    missing = sorted(set(names or ()) - {space.name for space, _ in chosen})
    if missing:
        raise NotFound(f"The space {missing[0]!r} holds nothing here.")
    total = sum(1 + sum(counts.values()) for _, counts in chosen)
    embedder = connection.execute(select(meta.c.value).where(meta.c.key == EMBEDDER_NOTE)).scalar()
    listed = [
        {
            "name": space.name,
            "lines": 1 + sum(counts.values()),
            "sources": counts["source"],
            "memories": counts["memory"],
        }
        for space, counts in chosen
    ]
    _put(out, {"format": FORMAT, "version": VERSION, EMBEDDER_NOTE: embedder, "spaces": listed})
    done = 0
    for space, _ in chosen:
        kept = ("name", "secret", "owner_name", "last_added_at")
        _put(out, {"space": {name: to_json(getattr(space, name)) for name in kept}})
        done += 1
        for part in PARTS:
            names_of = [column.name for column in part.columns]
            ordered = select(*part.columns).where(part.table.c.space_id == space.id)
            ordered = ordered.order_by(*(part.table.c[name] for name in part.order))
            for row in connection.execute(ordered).yield_per(_TOLD_EVERY):
                _put(out, {part.name: dict(zip(names_of, map(to_json, row), strict=True))})
                done += 1
                if done % _TOLD_EVERY == 0:
                    progress(done, total)
    progress(total, total)
    return Moved(
        [space.name for space, _ in chosen],
        sum(counts["source"] for _, counts in chosen),
        sum(counts["memory"] for _, counts in chosen),
    )


def _count(connection: Connection, table: Table, space_id: SpaceId) -> int:
    counted = select(func.count()).select_from(table).where(table.c.space_id == space_id)
    return int(connection.execute(counted).scalar_one())


def _adopt_embedder(connection: Connection, embedder: str | None) -> bool:
    """Whether the store's vectors are of the archive's embedder; a store without any takes the archive's."""
    connection.execute(delete(meta).where(meta.c.key == SEARCH_KEYS_NOTE))  # the archive's may be of an earlier version
    mine = connection.execute(select(meta.c.value).where(meta.c.key == EMBEDDER_NOTE)).scalar()
    if mine is None and embedder is not None:
        connection.execute(insert(meta), {"key": EMBEDDER_NOTE, "value": embedder})
        return True
    return bool(mine == embedder)


def _put(out: IO[bytes], line: dict[str, Any]) -> None:
    out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _first_line(lines: IO[bytes]) -> tuple[int, str | None, list[_Listed]]:
    try:
        first = json.loads(lines.readline())
        if first["format"] != FORMAT:
            raise ValueError
        version = first["version"]
        if version > VERSION:
            raise BadInput("This archive was written by a newer version of Geniffy Agents; upgrade to read it.")
        embedder = first[EMBEDDER_NOTE]
        listed = [_Listed(str(space["name"]), int(space["lines"])) for space in first["spaces"]]
        if any(space.lines < 1 for space in listed):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadInput("This file is no archive of spaces; name one that `geniffy-server export` wrote.") from None
    for space in listed:
        if space.name != OWN:
            space_name(space.name)
    if len({space.name for space in listed}) < len(listed):
        raise BadInput("The archive lists a space twice; it was changed since it was written.")
    return int(version), None if embedder is None else str(embedder), listed
