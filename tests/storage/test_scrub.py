"""What was removed is nowhere in the store's directory any more."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

import pytest

from geniffy_server.domain.file import FilePath
from geniffy_server.errors import Unavailable
from geniffy_server.ports import Transaction
from geniffy_server.storage import scrub as scrubbing
from geniffy_server.storage.remains import gap
from geniffy_server.storage.store import SqliteStore, open_store
from tests.storage.conftest import NOW, Home, Taught, make_home, put_file, teach

FIND = """
import pathlib, re, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*")):
    if path.is_file():
        for found in re.finditer(rb"<<[0-9]+>>", path.read_bytes()):
            print(found.group().decode())
"""


def marks(directory: Path) -> set[str]:
    """Every <<number>> in any byte of any file, read by another process: reading here would drop SQLite's locks."""
    program = [sys.executable, "-I", "-c", FIND, str(directory)]
    return set(subprocess.run(program, check=True, capture_output=True, text=True, timeout=60).stdout.split())


def forget(tx: Transaction, home: Home, taught: Taught) -> None:
    rev = tx.spaces.bump(home.space)
    gone = tx.memories.cut_lines(home.space, taught.passages, rev)
    tx.memories.remove(home.space, gone, rev, NOW)
    tx.sources.remove(home.space, taught.source)


async def test_a_forgotten_source_leaves_no_byte(store: SqliteStore, home: Home) -> None:
    kept = await store.write(lambda tx: teach(tx, home.space, "<<1>> stays", about="<<1>>"))
    taught = await store.write(lambda tx: teach(tx, home.space, "<<2>> goes", "<<3>>" * 5_000, about="<<4>>"))
    await store.write(lambda tx: put_file(tx, home.space, "/<<5>>", "<<6>>" * 2_000))
    assert marks(store.directory) == {"<<1>>", "<<2>>", "<<3>>", "<<4>>", "<<5>>", "<<6>>"}
    await store.write(lambda tx: forget(tx, home, taught))
    await store.write(lambda tx: tx.files.remove(home.space, FilePath("/<<5>>")))
    await store.scrub()
    assert marks(store.directory) <= {"<<1>>", "<<5>>", "<<6>>"}
    assert "<<1>>" in marks(store.directory)
    assert await store.read(lambda tx: tx.memories.find(home.space, kept.memories[0])) is not None


async def test_an_erased_space_leaves_no_byte_also_with_another_process_open(store: SqliteStore, home: Home) -> None:
    beside = open_store(store.directory)
    await beside.write(lambda tx: teach(tx, make_home(tx, "<<9>>").space, *(f"<<{n}>>" for n in range(10, 300))))
    erased = await store.read(lambda tx: tx.spaces.find(home.account, "<<9>>"))
    assert erased is not None
    assert await beside.read(lambda tx: len(list(tx.memories.every(erased.id)))) == 290
    await store.write(lambda tx: tx.spaces.erase(erased.id))
    await store.scrub()
    assert marks(store.directory) == set()
    await beside.close()


async def nothing_else() -> None:
    """What goes on during a scrub unless a test says otherwise."""


async def churn(
    stores: Collection[SqliteStore],
    rounds: int,
    seed: int,
    meanwhile: Callable[[], Awaitable[None]] = nothing_else,
) -> None:
    """Teach and forget at random through several stores on one directory, looking for remains after every scrub."""
    chance = random.Random(seed)
    first = next(iter(stores))
    homes = [await first.write(lambda tx, n=n: make_home(tx, f"space{n}")) for n in range(3)]
    held: list[tuple[Home, Taught, set[str]]] = []
    number = 0
    for _ in range(rounds):
        for _ in range(4):
            texts = []
            for _ in range(chance.randint(1, 12)):
                number += 1
                texts.append(f"<<{number}>>" + "x" * chance.randint(5, 400))
            home, store = chance.choice(homes), chance.choice(list(stores))
            taught = await store.write(lambda tx, home=home, texts=texts: teach(tx, home.space, *texts))
            held.append((home, taught, {text[: text.index(">") + 2] for text in texts}))
        for _ in range(3):
            home, taught, _ = held.pop(chance.randrange(len(held)))
            await chance.choice(list(stores)).write(lambda tx, home=home, taught=taught: forget(tx, home, taught))
        await asyncio.gather(chance.choice(list(stores)).scrub(), meanwhile())
        assert marks(first.directory) == set().union(*(texts for _, _, texts in held))


async def test_rows_that_moved_between_pages_leave_no_copies(store: SqliteStore) -> None:
    await churn([store], rounds=12, seed=1)
    assert await store.read(is_sound)


async def test_no_connection_writes_back_what_was_cleaned(store: SqliteStore) -> None:
    others = [open_store(store.directory) for _ in range(2)]
    await churn([store, *others], rounds=12, seed=2)
    assert await store.read(is_sound)
    for other in others:
        await other.close()


def is_sound(tx: Transaction) -> bool:
    connection = tx._connection
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok" and not broken


async def test_without_cleaning_the_churn_does_leave_copies(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's own secure_delete and an emptied log are not enough; when they are, the cleaning may go."""

    def only_empty_the_log(tx: Transaction) -> None:
        tx._connection.exec_driver_sql("COMMIT")
        tx._connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()

    async def scrub() -> None:
        await store.write(only_empty_the_log)

    monkeypatch.setattr(store, "scrub", scrub)
    with pytest.raises(AssertionError):
        await churn([store], rounds=40, seed=1)


async def test_scrubbing_waits_for_a_reader_and_then_cleans(store: SqliteStore, home: Home) -> None:
    import threading

    taught = await store.write(lambda tx: teach(tx, home.space, "<<1>>"))
    has_read, may_end = threading.Event(), threading.Event()

    def slow(tx: Transaction) -> None:
        assert tx.memories.find(home.space, taught.memories[0]) is not None
        has_read.set()
        assert may_end.wait(20)

    reading = asyncio.create_task(store.read(slow))
    assert await asyncio.to_thread(has_read.wait, 10)
    await store.write(lambda tx: forget(tx, home, taught))
    scrubbing_it = asyncio.create_task(store.scrub())
    await store.write(lambda tx: tx.set_meta("a", "b"))  # writers go on meanwhile
    assert not scrubbing_it.done()
    may_end.set()
    await asyncio.wait_for(asyncio.gather(scrubbing_it, reading), 20)
    assert marks(store.directory) == set()


class Scrubs:
    """Scrubs in place of the real ones: the first stands still until it may end, and the second may fail."""

    def __init__(self, *, second_fails: bool) -> None:
        self.begun = 0
        self._second_fails = second_fails
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    def __call__(self, database: Path) -> None:
        self.begun += 1
        self.has_begun.set()
        assert self.may_end.wait(10)
        if self.begun == 2 and self._second_fails:
            raise Unavailable("too busy")


async def scrub_while_one_is_running(store: SqliteStore, scrubs: Scrubs) -> list[str]:
    """What five who scrub at once are told, while a scrub is running that may have passed what they removed."""
    first = asyncio.create_task(store.scrub())
    assert await asyncio.to_thread(scrubs.has_begun.wait, 10)
    late = [asyncio.create_task(store.scrub()) for _ in range(5)]
    await asyncio.sleep(0)  # each has asked
    scrubs.may_end.set()
    await first
    return [str(said or "") for said in await asyncio.gather(*late, return_exceptions=True)]


async def test_those_who_scrub_while_one_is_running_share_the_next(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    scrubs = Scrubs(second_fails=False)
    monkeypatch.setattr("geniffy_server.storage.store.scrub", scrubs)
    assert await scrub_while_one_is_running(store, scrubs) == [""] * 5
    assert scrubs.begun == 2
    await store.scrub()
    assert scrubs.begun == 3


async def test_a_scrub_that_fails_fails_for_all_who_shared_it(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    scrubs = Scrubs(second_fails=True)
    monkeypatch.setattr("geniffy_server.storage.store.scrub", scrubs)
    assert await scrub_while_one_is_running(store, scrubs) == ["too busy"] * 5
    await store.scrub()


async def test_a_scrub_that_never_gets_its_turn_says_so(
    store: SqliteStore, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pysqlite3 import dbapi2

    monkeypatch.setattr(scrubbing, "PATIENCE_S", 0.1)
    stranger = dbapi2.connect(str(store.directory / "main.db"), isolation_level=None)
    stranger.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="kept the store busy"):
        await store.scrub()
    stranger.execute("ROLLBACK")
    stranger.close()
    await store.scrub()


# A database whose one table has a page with a mark where no row is, and a connection that reads that page whenever it
# may be as it was. After a step of the cleaning, that connection writes the page, and tries to empty the log.
WRITES_AFTER = """
import os, sys
from pysqlite3 import dbapi2
from geniffy_server.storage import remains

path, late_step, mark = sys.argv[1], sys.argv[2], b"<<7>>"
with dbapi2.connect(path) as made:
    made.execute("PRAGMA journal_mode=WAL")
    made.execute("CREATE TABLE kept (words TEXT)")
    made.execute("INSERT INTO kept VALUES ('one')")
made.close()
file = os.open(path, os.O_RDWR)
page = os.pread(file, 4096, 4096)
os.pwrite(file, mark, 4096 + remains.gap(page)[0] + 100)
os.close(file)
assert mark in open(path, "rb").read()

other = dbapi2.connect(path, isolation_level=None, timeout=0)
dirty_gaps, late = remains._dirty_gaps, getattr(remains, late_step)

def after_others_read(*arguments):
    assert len(other.execute("SELECT words FROM kept").fetchall()) == 1
    return dirty_gaps(*arguments)

def then_others_write(*arguments):
    is_done = late(*arguments)
    other.execute("UPDATE kept SET words = 'two'")
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return is_done

remains._dirty_gaps = after_others_read
setattr(remains, late_step, then_others_write)
assert remains.clean(path, 5)
assert os.stat(path + "-wal").st_size < 10_000
other.execute("UPDATE kept SET words = 'three'")
print(other.execute("SELECT words FROM kept").fetchall(), other.execute("PRAGMA integrity_check").fetchall())
other.execute("PRAGMA wal_checkpoint(FULL)")
print([mark in open(path + end, "rb").read() for end in ("-wal", "")])
"""


@pytest.mark.parametrize("step", ["_clean_all", "_noted"])
def test_writers_go_on_while_it_is_cleaned_and_bring_nothing_back(tmp_path: Path, step: str) -> None:
    program = [sys.executable, "-c", WRITES_AFTER, str(tmp_path / "a.db"), step]
    ran = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["[('three',)] [('ok',)]", "[False, False]"]


async def test_nothing_is_left_of_what_was_forgotten_while_others_write(store: SqliteStore) -> None:
    other = open_store(store.directory)
    home = await other.write(lambda tx: make_home(tx, "other"))

    async def go_on() -> None:
        for _ in range(8):
            taught = await other.write(lambda tx: teach(tx, home.space, *("y" * n for n in range(1, 300, 30))))
            await other.write(lambda tx, taught=taught: forget(tx, home, taught))

    await churn([store, other], rounds=10, seed=3, meanwhile=go_on)
    assert await store.read(is_sound)
    await other.close()


@pytest.mark.parametrize(
    ("page", "is_first", "expected"),
    [
        (bytes([13, 0, 0, 0, 2, 0x0F, 0, 0]) + bytes(4088), False, (12, 0x0F00)),
        (bytes([5, 0, 0, 0, 1, 0, 100, 0]) + bytes(4088), False, (14, 100)),
        (bytes(100) + bytes([13, 0, 0, 0, 0, 0x10, 0, 0]) + bytes(3988), True, (108, 4096)),
        (bytes(4096), False, (0, 0)),  # a page of overflow, or a free one
        (bytes([13, 0, 0, 0xFF, 0xFF, 0, 9, 0]) + bytes(4088), False, (0, 0)),  # no page of ours
    ],
)
def test_the_gap_of_a_page_lies_between_its_pointers_and_its_rows(
    page: bytes, is_first: bool, expected: tuple[int, int]
) -> None:
    assert gap(page, is_first=is_first) == expected
