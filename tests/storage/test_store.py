"""Transactions, threads, opening and the failures of a store."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pysqlite3 import dbapi2

from geniffy_server.errors import NotFound, ServerError, Unavailable
from geniffy_server.ports import Store, Transaction
from geniffy_server.storage.migrate import MIGRATIONS
from geniffy_server.storage.schema import REVISION, metadata
from geniffy_server.storage.sqlite import check_version, open_engine
from geniffy_server.storage.store import SqliteStore, open_store
from tests.storage.conftest import NOW, Home, make_home, teach


async def test_a_store_is_what_the_services_ask_for(store: SqliteStore) -> None:
    asked: Store = store
    assert await asked.read(lambda tx: tx.accounts.owner()) is None


async def test_a_write_that_raises_leaves_nothing(store: SqliteStore) -> None:
    def work(tx: Transaction) -> None:
        tx.set_meta("embedder", "one")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await store.write(work)
    assert await store.read(lambda tx: tx.meta("embedder")) is None


async def test_meta_holds_the_last_value_set(store: SqliteStore) -> None:
    await store.write(lambda tx: tx.set_meta("embedder", "one"))
    await store.write(lambda tx: tx.set_meta("embedder", "two"))
    assert await store.read(lambda tx: tx.meta("embedder")) == "two"


async def test_a_read_that_writes_is_a_programming_error(store: SqliteStore) -> None:
    with pytest.raises(RuntimeError, match=r"give it to Store\.write"):
        await store.read(lambda tx: tx.set_meta("a", "b"))
    assert await store.read(lambda tx: tx.meta("a")) is None


async def test_a_read_sees_one_state_while_another_writes(store: SqliteStore) -> None:
    await store.write(lambda tx: tx.set_meta("n", "1"))
    has_read, has_written = threading.Event(), threading.Event()

    def twice(tx: Transaction) -> tuple[str | None, str | None]:
        first = tx.meta("n")
        has_read.set()
        assert has_written.wait(10)
        return first, tx.meta("n")

    reading = asyncio.create_task(store.read(twice))
    assert await asyncio.to_thread(has_read.wait, 10)
    await store.write(lambda tx: tx.set_meta("n", "2"))
    has_written.set()
    assert await reading == ("1", "1")
    assert await store.read(lambda tx: tx.meta("n")) == "2"


async def test_a_cancelled_write_is_whole_and_the_next_one_works(store: SqliteStore) -> None:
    started, may_end = threading.Event(), threading.Event()

    def slow(tx: Transaction) -> None:
        tx.set_meta("a", "1")
        started.set()
        assert may_end.wait(10)
        tx.set_meta("b", "1")

    writing = asyncio.create_task(store.write(slow))
    assert await asyncio.to_thread(started.wait, 10)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    may_end.set()
    await store.write(lambda tx: tx.set_meta("c", "1"))
    assert await store.read(lambda tx: [tx.meta(key) for key in "abc"]) == ["1", "1", "1"]


class TestKnown:
    async def test_what_is_known_is_read_once(self, store: SqliteStore) -> None:
        looks: list[str | None] = []

        def look(tx: Transaction) -> str | None:
            looks.append(tx.meta("embedder"))
            return looks[-1]

        assert [await store.known("embedder", look) for _ in range(3)] == [None] * 3
        assert looks == [None]

    async def test_what_was_written_since_is_known_at_once(self, store: SqliteStore) -> None:
        assert await store.known("embedder", lambda tx: tx.meta("embedder")) is None
        await store.write(lambda tx: tx.set_meta("embedder", "one"))
        assert await store.known("embedder", lambda tx: tx.meta("embedder")) == "one"

    async def test_what_another_process_wrote_is_known_at_once(self, store: SqliteStore) -> None:
        other = open_store(store.directory)  # another connection, as any process has
        for value in ("one", "two"):
            await other.write(lambda tx, value=value: tx.set_meta("embedder", value))
            assert await store.known("embedder", lambda tx: tx.meta("embedder")) == value
        await other.close()

    async def test_where_it_can_not_be_read_at_once_it_is_read_where_one_may_wait(self, store: SqliteStore) -> None:
        await store.write(lambda tx: tx.set_meta("embedder", "one"))
        threads: list[str] = []

        def look(tx: Transaction) -> str | None:
            threads.append(threading.current_thread().name)
            return tx.meta("embedder")

        def look_within(tx: Transaction) -> str | None:
            return asyncio.run(store.known("again", look))

        with ThreadPoolExecutor(1) as other:  # it finds the connection of what is known in use
            assert await store.known("first", lambda tx: other.submit(look_within, tx).result(10)) == "one"
        assert threads[0].startswith("store-reader")

    async def test_a_fault_of_the_work_is_raised_and_not_kept(self, store: SqliteStore) -> None:
        def fail(tx: Transaction) -> str:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await store.known("a", fail)
        assert await store.known("a", lambda tx: "well") == "well"

    async def test_work_that_writes_is_a_programming_error(self, store: SqliteStore) -> None:
        with pytest.raises(RuntimeError, match=r"give it to Store\.write"):
            await store.known("a", lambda tx: tx.set_meta("a", "b"))
        assert await store.read(lambda tx: tx.meta("a")) is None

    async def test_a_closed_store_knows_nothing(self, store: SqliteStore) -> None:
        await store.known("a", lambda tx: tx.meta("a"))
        await store.close()
        with pytest.raises(Unavailable, match="closed"):
            await store.known("a", lambda tx: tx.meta("a"))


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    await store.close()
    await store.close()
    with pytest.raises(Unavailable, match="closed"):
        await store.read(lambda tx: tx.meta("a"))


async def test_what_was_written_is_there_after_opening_again(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    home = await store.write(make_home)
    taught = await store.write(lambda tx: teach(tx, home.space, "Ana likes tea."))
    await store.close()
    again = open_store(tmp_path, create=False)
    found = await again.read(lambda tx: tx.memories.find(home.space, taught.memories[0]))
    await again.close()
    assert found is not None
    assert found.text == "Ana likes tea."


def test_opening_where_nothing_is_and_nothing_may_be_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"main\.db"):
        open_store(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_a_directory_that_is_a_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a directory")
    with pytest.raises(Unavailable, match="can't be used"):
        open_store(tmp_path / "data")


def test_a_main_file_that_is_no_database_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "main.db").write_bytes(b"something else entirely" * 500)
    with pytest.raises(Unavailable, match="not a database"):
        open_store(tmp_path)


async def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    await open_store(tmp_path).close()
    with open_engine(tmp_path / "main.db", "writer").connect() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(ServerError, match="newer version"):
        open_store(tmp_path)


def test_an_old_sqlite_is_refused() -> None:
    with pytest.raises(ServerError, match=r"3\.51\.3 or later, and this is 3\.51\.2"):
        check_version((3, 51, 2))
    check_version((3, 51, 3))


async def test_opening_a_new_directory_many_times_at_once_works(tmp_path: Path) -> None:
    with ThreadPoolExecutor(6) as threads:
        stores = list(threads.map(lambda _: open_store(tmp_path / "deep" / "data"), range(6)))
    for number, store in enumerate(stores):
        await store.write(lambda tx, number=number: tx.set_meta(f"n{number}", "1"))
    assert await stores[0].read(lambda tx: [tx.meta(f"n{number}") for number in range(6)]) == ["1"] * 6
    for store in stores:
        await store.close()


async def test_the_migrations_make_the_tables_that_the_code_reads(store: SqliteStore) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == REVISION
    with open_engine(store.directory / "main.db", "reader").connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


async def test_the_database_is_kept_as_it_should_be(store: SqliteStore) -> None:
    def pragmas(tx: Transaction) -> dict[str, object]:
        connection = tx._connection
        names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "mmap_size", "page_size")
        return {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names}

    assert await store.write(pragmas) == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "mmap_size": 0,
        "page_size": 4096,
    }


async def test_a_full_disk_is_a_sentence_and_nothing_is_written(store: SqliteStore, home: Home) -> None:
    def pages(tx: Transaction, most: str) -> None:
        tx._connection.exec_driver_sql(f"PRAGMA max_page_count={most}").scalar()

    await store.write(lambda tx: pages(tx, "1"))  # SQLite takes it as what is there now
    with pytest.raises(Unavailable, match="full"):
        await store.write(lambda tx: teach(tx, home.space, "word " * 100_000))
    assert await store.read(lambda tx: tx.sources.count(home.space)) == 0
    await store.write(lambda tx: pages(tx, "4294967294"))
    await store.write(lambda tx: teach(tx, home.space, "Room again."))
    assert await store.read(lambda tx: tx.sources.count(home.space)) == 1


async def test_a_row_of_another_space_can_not_be_pointed_at(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))
    taught = await store.write(lambda tx: teach(tx, home.space, "Ana likes tea."))
    with pytest.raises(Exception, match="FOREIGN KEY"):
        await store.write(lambda tx: tx.jobs.add(other.space, taught.source, 1, NOW))
    assert await store.read(lambda tx: tx.jobs.waiting()) == 0


async def test_readers_and_writers_wait_for_a_process_that_holds_the_database(store: SqliteStore) -> None:
    stranger = dbapi2.connect(str(store.directory / "main.db"), isolation_level=None, check_same_thread=False)
    stranger.execute("BEGIN IMMEDIATE")
    writing = asyncio.create_task(store.write(lambda tx: tx.set_meta("a", "1")))
    assert await store.read(lambda tx: tx.meta("a")) is None  # a reader never waits for a writer
    assert not writing.done()
    stranger.execute("COMMIT")
    await asyncio.wait_for(writing, 10)
    stranger.close()
    assert await store.read(lambda tx: tx.meta("a")) == "1"


async def test_the_directory_is_its_owners_alone(tmp_path: Path) -> None:
    await open_store(tmp_path / "data").close()
    assert os.stat(tmp_path / "data").st_mode & 0o077 == 0
