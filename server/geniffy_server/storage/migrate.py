"""Bring a database up to date, one process at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from geniffy_server.errors import ServerError, Unavailable
from geniffy_server.storage.schema import REVISION
from geniffy_server.storage.sqlite import connected, in_transaction, make_private, open_engine, patiently, raw

MIGRATIONS: Final = Path(__file__).parent / "migrations"
_LOCK_PATIENCE_S: Final = 60.0


def migrate(database: Path, lock: Path) -> None:
    """Make `database`, or bring it up to date, unless it is; other processes wait at `lock` meanwhile.

    Raises ServerError when a newer version wrote it, with nothing changed.
    """
    engine = open_engine(database, "writer")
    if database.exists():
        with connected(engine) as connection:
            if _is_current(patiently(lambda: revision_of(connection))):
                return
    with _only_one(lock):
        make_private(database)
        with connected(engine) as connection:
            if _is_current(patiently(lambda: revision_of(connection))):
                return
            patiently(lambda: raw(connection).execute("PRAGMA journal_mode=WAL").fetchone())
            in_transaction(connection, "BEGIN IMMEDIATE", _upgrade)


def revision_of(connection: Connection) -> str | None:
    """The revision a database was brought to; None when it is empty."""
    try:
        with connection.begin():
            revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    except DBAPIError as fault:
        if "no such table" in str(fault):
            return None
        raise
    return None if revision is None else str(revision)


def _is_current(revision: str | None) -> bool:
    if revision is not None and revision > REVISION:
        raise ServerError(
            f"This memory was written by a newer version of Geniffy Agents (revision {revision}; this one knows "
            f"{REVISION}); upgrade to open it."
        )
    return revision == REVISION


def _upgrade(connection: Connection) -> None:
    # Imported here: most starts have nothing to bring up to date, and this takes longer than the rest of them.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    """Hold the lock file. The system lets go of it when a process ends, however it ends."""
    give_up_at = time.monotonic() + _LOCK_PATIENCE_S
    held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= give_up_at:
                    raise Unavailable("Another process has been migrating the store for a minute; try again.") from None
                time.sleep(0.02)
        yield
    finally:
        os.close(held)
