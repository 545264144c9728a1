"""Connections to one SQLite database, and what SQLite's failures mean to a person."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from pysqlite3 import dbapi2  # type: ignore[import-untyped]  # it ships no types
from sqlalchemy import ClauseElement, Connection, Engine, create_engine
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from geniffy_server.errors import ServerError, Unavailable

T = TypeVar("T")

LEAST_VERSION: Final = (3, 51, 3)  # up to 3.51.2 two processes can corrupt a WAL (sqlite.org/wal.html, "WAL-reset bug")
BUSY_TIMEOUT_MS: Final = 10_000
PATIENCE_S: Final = 60.0

_NAMING: Final = sqlite.dialect(paramstyle="named")
_BUSY: Final = 5
_LOCKED: Final = 6
_READONLY: Final = 8
_PROTOCOL: Final = 15  # many connections raced to start reading; SQLite asks to try again
_TRANSIENT: Final = (_BUSY, _LOCKED, _PROTOCOL)
_SENTENCES: Final = {
    7: "The store ran out of memory; nothing was written. Free some and try again.",
    8: "The store's directory is read-only; make it writable and try again. Nothing was written.",
    10: "The disk that holds the store failed to read or write; nothing was written. Check the disk and try again.",
    11: "The store's database is damaged; stop the server and restore a backup. Nothing was written.",
    13: "The disk that holds the store is full; nothing was written. Free some space and try again.",
    14: "The store's database can't be opened; check that the directory is there and may be read and written.",
    26: "The store's main file is not a database; restore a backup of it. Nothing was written.",
}

FAULTS: Final = (DBAPIError, dbapi2.Error)
"""What a statement raises that SQLite refuses, run by SQLAlchemy or by the driver itself."""

Role = Literal["writer", "reader", "uses", "log"]


def check_version(version: tuple[int, ...] = dbapi2.sqlite_version_info) -> None:
    """Raises ServerError when the SQLite library is too old to be opened by several processes."""
    if tuple(version) < LEAST_VERSION:
        found, least = (".".join(map(str, number)) for number in (version, LEAST_VERSION))
        raise ServerError(f"The store needs SQLite {least} or later, and this is {found}; install pysqlite3 0.6.1.")


def open_engine(path: Path, role: Role) -> Engine:
    """An engine whose every connection is new, with no transaction of its own: the caller says BEGIN."""

    def connect() -> Any:
        connection = dbapi2.connect(
            str(path),
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
            timeout=BUSY_TIMEOUT_MS / 1000,
        )
        for pragma in _pragmas(role):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    return create_engine(
        "sqlite+pysqlite://",
        module=dbapi2,
        creator=connect,
        poolclass=NullPool,
        query_cache_size=1000,
        hide_parameters=True,  # a fault that is logged must not tell what was said
    )


def make_private(path: Path) -> None:
    """Make an empty database that only its owner can read, if there is none; its WAL takes over these rights.

    One that is there is never opened here: closing a file that SQLite has open drops the locks of this process.
    """
    with contextlib.suppress(OSError):  # where it can't be made, SQLite says why in its own words
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def connected(engine: Engine) -> Connection:
    """A new connection. Raises Unavailable when the database can't be opened."""
    return patiently(engine.connect)


def _pragmas(role: Role) -> tuple[str, ...]:
    # secure_delete overwrites what is removed with zeros, in the page it was in.
    always = ("secure_delete=ON", "foreign_keys=ON", "mmap_size=0", "journal_size_limit=67108864")
    if role == "writer":
        return (*always, "synchronous=FULL", "cache_size=-16000")
    if role == "reader":
        return (*always, "query_only=ON", "cache_size=-8000")
    if role == "uses":
        return (*always, "synchronous=NORMAL", "cache_size=-500")
    return (*always, "synchronous=NORMAL", "cache_size=-2000", "wal_autocheckpoint=0")


def raw(connection: Connection) -> Any:
    """The driver's own connection: for BEGIN, PRAGMA and what SQLAlchemy has no words for."""
    return connection.connection.dbapi_connection


def never_waiting(connection: Connection) -> Connection:
    """The connection, which from now on fails at once where another one holds what it needs."""
    raw(connection).execute("PRAGMA busy_timeout=0")
    return connection


def spelled(statement: ClauseElement) -> str:
    """A statement as SQL with `:name` parameters, for the driver: SQLAlchemy takes longer than the shortest ones."""
    return str(statement.compile(dialect=_NAMING))


def in_transaction(
    connection: Connection, begin: str, work: Callable[[Connection], T], *, patience_s: float = PATIENCE_S
) -> T:
    """Run `work` between BEGIN and COMMIT, trying the whole again while other processes hold the database.

    Raises Unavailable when it can't be had within `patience_s`, or is full, read-only or damaged; then nothing is
    written.
    """
    return patiently(lambda: _once(connection, begin, work), patience_s=patience_s)


def patiently(attempt: Callable[[], T], *, patience_s: float = PATIENCE_S) -> T:
    """Repeat `attempt` while SQLite answers that it is busy, and give its other failures a sentence."""
    give_up_at = time.monotonic() + patience_s
    pause_s = 0.002
    while True:
        try:
            return attempt()
        except FAULTS as fault:
            if not is_transient(fault):
                sentence = _SENTENCES.get(error_code(fault))
                if sentence is None:
                    raise
                raise Unavailable(sentence) from fault
            if time.monotonic() >= give_up_at:
                raise Unavailable(
                    "Other processes kept the store busy for too long; nothing was written. Try again."
                ) from fault
        # Chance keeps processes that were refused together from coming back together.
        time.sleep(pause_s * (0.5 + random.random()))
        pause_s = min(pause_s * 2, 0.1)


def error_code(fault: BaseException) -> int:
    """SQLite's primary result code of a failure (sqlite.org/rescode.html); 0 when it has none."""
    origin = fault.orig if isinstance(fault, DBAPIError) else fault
    return int(getattr(origin, "sqlite_errorcode", 0) or 0) & 0xFF


def is_transient(fault: BaseException) -> bool:
    """Whether a failure only says that other connections were busy."""
    return error_code(fault) in _TRANSIENT


def is_refused_write(fault: BaseException) -> bool:
    """Whether a statement tried to write on a reader's connection."""
    return error_code(fault) == _READONLY


def _once(connection: Connection, begin: str, work: Callable[[Connection], T]) -> T:
    driver = raw(connection)
    driver.execute(begin)
    try:
        with connection.begin():
            return work(connection)
    finally:
        if driver.in_transaction:
            driver.execute("ROLLBACK")
