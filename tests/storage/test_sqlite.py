"""SQLite's failures, and what becomes of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pysqlite3 import dbapi2
from sqlalchemy.exc import DBAPIError

from geniffy_server.errors import Unavailable
from geniffy_server.storage.call_log import open_call_log
from geniffy_server.storage.sqlite import connected, error_code, in_transaction, open_engine, patiently, raw
from geniffy_server.storage.store import open_store
from tests.storage.conftest import make_home, teach


@pytest.fixture
async def database(tmp_path: Path) -> Path:
    store = open_store(tmp_path)
    home = await store.write(make_home)
    await store.write(lambda tx: teach(tx, home.space, *(f"memory {number}" for number in range(500))))
    await store.close()
    return tmp_path / "main.db"


def busy() -> DBAPIError:
    """What SQLAlchemy raises of a database that is locked."""
    fault = dbapi2.OperationalError("database is locked")
    fault.sqlite_errorcode = 5
    return DBAPIError("BEGIN", None, fault)


def test_what_is_busy_is_tried_again_until_it_works() -> None:
    answers = [busy(), busy(), busy(), "done"]

    def attempt() -> str:
        answer = answers.pop(0)
        if isinstance(answer, DBAPIError):
            raise answer
        return str(answer)

    assert patiently(attempt) == "done"


def test_what_stays_busy_is_given_up_in_a_sentence(database: Path) -> None:
    stranger = dbapi2.connect(str(database), isolation_level=None)
    stranger.execute("BEGIN IMMEDIATE")
    ran: list[int] = []
    with connected(open_engine(database, "writer")) as connection:
        raw(connection).execute("PRAGMA busy_timeout=1")
        with pytest.raises(Unavailable, match="kept the store busy"):
            in_transaction(connection, "BEGIN IMMEDIATE", lambda _: ran.append(1), patience_s=0.05)
    stranger.close()
    assert ran == []


def test_a_fault_that_has_no_sentence_is_raised_as_it_is(database: Path) -> None:
    with connected(open_engine(database, "writer")) as connection, pytest.raises(DBAPIError) as raised:
        in_transaction(connection, "BEGIN", lambda one: one.exec_driver_sql("SELECT nothing FROM nowhere"))
    assert error_code(raised.value) == 1


async def test_a_damaged_database_is_told_in_a_sentence(database: Path) -> None:
    with database.open("r+b") as file:
        file.seek(4096 * 100)
        file.write(b"\xff" * 4096 * 40)
    store = open_store(database.parent)
    with pytest.raises(Unavailable, match="damaged"):
        await store.read(lambda tx: [list(tx.memories.every(space)) for space in (1, 2)] and tx.accounts.all())
    await store.close()


def test_a_transaction_that_fails_leaves_the_connection_ready(database: Path) -> None:
    with connected(open_engine(database, "writer")) as connection:
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                in_transaction(connection, "BEGIN IMMEDIATE", lambda _: 1 / 0)
        assert not raw(connection).in_transaction


async def test_other_users_of_the_machine_can_read_no_database_in_a_directory_of_theirs(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        store, calls = open_store(tmp_path), open_call_log(tmp_path)
        await store.write(lambda tx: tx.set_meta("key", "value"))

        rights = rights_of_files(tmp_path)
        assert {"main.db", "main.db-wal", "log.db"} < rights.keys()
        assert {name for name, mode in rights.items() if mode & 0o077} == set()
        await calls.close()
        await store.close()
    finally:
        os.umask(before)


def rights_of_files(directory: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in directory.iterdir() if file.is_file()}
