"""What `doctor` looks at in the store's directory; nothing is changed in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from geniffy_server.commands.findings import Finding
from geniffy_server.errors import ServerError
from geniffy_server.storage.call_log import LOG
from geniffy_server.storage.migrate import revision_of
from geniffy_server.storage.schema import REVISION
from geniffy_server.storage.sqlite import check_version, open_engine, patiently, raw
from geniffy_server.storage.store import MAIN, Rows

T = TypeVar("T")

_PATIENCE_S: Final = 10.0
_GIB: Final = 1 << 30
_LEAST_FREE_BYTES: Final = 64 << 20  # SQLite's log alone may take this much before it is written back


def store_findings(data: Path) -> Iterator[Finding]:
    """The SQLite library, the directory, the disk, and each database in it."""
    yield _library()
    directory = _directory(data)
    yield directory
    yield _disk(data)
    if directory.state == "wrong" or not (data / MAIN).is_file():
        return  # a database in a directory that can't be used is not to blame, and no backup would mend it
    yield _database(data / MAIN)
    yield _schema(data / MAIN)
    if (data / LOG).is_file():
        yield _database(data / LOG)


def embedder_of(data: Path) -> str | None:
    """The id of the embedder that wrote the store's vectors; None when there are none, or they can't be read."""
    if not (data / MAIN).is_file():
        return None
    try:
        with open_engine(data / MAIN, "reader").connect() as connection:
            return patiently(lambda: Rows(connection).meta("embedder"), patience_s=_PATIENCE_S)
    except (ServerError, DBAPIError):
        return None


def _library() -> Finding:
    try:
        check_version()
    except ServerError as old:
        return Finding("sqlite", "wrong", old.sentence, "pip install 'pysqlite3>=0.6.1'")
    return Finding("sqlite", "ok", "SQLite is new enough to be opened by several processes.")


def _directory(data: Path) -> Finding:
    if not data.exists():
        parent = next(folder for folder in data.absolute().parents if folder.exists())
        if not os.access(parent, os.W_OK | os.X_OK):
            return Finding(
                "directory", "wrong", f"{data} can't be made: {parent} may not be written.", "Name another with --data."
            )
        return Finding("directory", "ok", f"{data} is not there yet; the first `geniffy-server serve` makes it.")
    if not data.is_dir():
        return Finding("directory", "wrong", f"{data} is not a directory.", "Name a directory with --data.")
    if os.statvfs(data).f_flag & os.ST_RDONLY:
        return Finding(
            "directory", "wrong", f"{data} lies on a disk that may only be read.", "Mount it for writing, or move it."
        )
    if not os.access(data, os.R_OK | os.W_OK | os.X_OK):
        return Finding(
            "directory", "wrong", f"{data} may not be read and written by this user.", "Change its owner or its mode."
        )
    if not (data / MAIN).is_file():
        return Finding("directory", "ok", f"{data} holds no memory yet; the first `geniffy-server serve` makes one.")
    mode = data.stat().st_mode & 0o077
    if mode:
        return Finding(
            "directory", "warning", f"Other users of this machine can reach {data}.", f"Run: chmod go-rwx {data}"
        )
    return Finding("directory", "ok", f"{data} can be read and written, by this user alone.")


def _disk(data: Path) -> Finding:
    at = next(folder for folder in (data.absolute(), *data.absolute().parents) if folder.exists())
    free = shutil.disk_usage(at).free
    shown = f"{free / _GIB:,.1f} GiB are free where the memory is kept."
    if free < _LEAST_FREE_BYTES:
        return Finding("disk", "wrong", shown, "Free some space: writes are refused when the disk is full.")
    if free < _GIB:
        return Finding("disk", "warning", shown, "Free some space before writes are refused.")
    return Finding("disk", "ok", shown)


def _database(path: Path) -> Finding:
    """Whether the database is whole, and can be locked for a write."""

    def look(connection: Connection) -> list[str]:
        driver = raw(connection)
        rows = [str(row[0]) for row in driver.execute("PRAGMA quick_check(5)").fetchall()]
        driver.execute("PRAGMA query_only=OFF")
        driver.execute("BEGIN IMMEDIATE")
        driver.execute("ROLLBACK")
        return rows

    try:
        rows = _with(path, look)
    except ServerError as fault:
        return Finding(path.name, "wrong", fault.sentence, "Stop the server, and restore a backup if this stays.")
    except DBAPIError as fault:
        return Finding(path.name, "wrong", f"{path.name} can't be read: {fault.orig}.", "Restore a backup of it.")
    if rows != ["ok"]:
        return Finding(
            path.name,
            "wrong",
            f"{path.name} is damaged: {' '.join(rows[0].split())}.",
            "Stop the server, restore a backup.",
        )
    return Finding(path.name, "ok", f"{path.name} is whole and can be written.")


def _schema(path: Path) -> Finding:
    try:
        revision = _with(path, revision_of)
    except ServerError as fault:
        return Finding("schema", "wrong", fault.sentence, "Stop the server, and restore a backup if this stays.")
    except DBAPIError as fault:
        return Finding("schema", "wrong", f"The schema can't be read: {fault.orig}.", "Restore a backup.")
    if revision == REVISION:
        return Finding("schema", "ok", f"The schema is at revision {revision}, the newest.")
    if revision is not None and revision > REVISION:
        return Finding(
            "schema",
            "wrong",
            f"The schema is at revision {revision}; this version knows {REVISION}.",
            "Upgrade geniffy-agents to open this memory.",
        )
    return Finding(
        "schema",
        "warning",
        f"The schema is at revision {revision or 'none'}; {REVISION} is the newest.",
        "The next `geniffy-server serve` brings it up to date.",
    )


def _with(path: Path, look: Callable[[Connection], T]) -> T:
    with open_engine(path, "reader").connect() as connection:
        return patiently(lambda: look(connection), patience_s=_PATIENCE_S)
