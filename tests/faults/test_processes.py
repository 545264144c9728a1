"""Several processes on one directory."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

from geniffy_server.domain.file import FilePath
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import open_store
from tests.faults.conftest import Start
from tests.faults.writing import NOW, SPACE
from tests.storage.conftest import a_source, make_home


def go(processes: list[subprocess.Popen[str]]) -> list[list[str]]:
    """Let them begin together; what each acknowledged, when all have ended well."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return said


async def test_two_processes_write_at_once_and_nothing_is_refused_or_lost(start: Start, tmp_path: Path) -> None:
    processes = [start(name, "write", 20) for name in ("one", "two")]  # they also make the store together
    running = asyncio.create_task(asyncio.to_thread(go, processes))
    store = open_store(tmp_path / "data")
    seen = 0
    while not running.done():  # a reader beside them never fails and never sees less than before
        home = await store.write(lambda tx: make_home(tx, SPACE))
        count = await store.read(lambda tx, home=home: tx.files.page(home.space, "/", 1, 0)[1])
        assert count >= seen
        seen = count
    said = await running
    home = await store.write(lambda tx: make_home(tx, SPACE))
    held = {path for path, _ in await store.read(lambda tx: tx.files.under(home.space, "/"))}
    await store.close()
    assert held == {*said[0], *said[1]}
    assert len(held) == 40


async def test_every_job_is_claimed_by_one_process(start: Start, tmp_path: Path) -> None:
    store = open_store(tmp_path / "data")

    def ask(tx: Transaction, name: str) -> str:
        source = a_source()
        space = make_home(tx, name).space
        tx.sources.add(space, source, "text")
        tx.jobs.add(space, source.id, 1, NOW)
        return source.id

    asked = [await store.write(lambda tx, n=n: ask(tx, f"s{n}")) for n in range(30)]
    said = await asyncio.to_thread(go, [start(name, "claim", 100) for name in ("one", "two", "three")])
    await store.close()
    assert sorted(job for claimed in said for job in claimed) == sorted(asked)


def test_a_rate_is_counted_over_processes(start: Start, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    processes = [start(name, "rates", 30) for name in ("one", "two")]
    said = [process.communicate(timeout=60)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum(map(len, said)) == 30


async def test_processes_that_scrub_do_not_disturb_those_that_write(start: Start, tmp_path: Path) -> None:
    processes = [start("one", "write", 60), start("two", "scrub", 30), start("three", "scrub", 30)]
    said = await asyncio.to_thread(go, processes)
    store = open_store(tmp_path / "data")
    home = await store.write(lambda tx: make_home(tx, SPACE))
    for path in (path for paths in said for path in paths):
        file = await store.read(lambda tx, path=path: tx.files.find(home.space, FilePath(path)))
        assert file is not None
        assert file.text == f"{path} " * 200
    sound = await store.read(lambda tx: tx._connection.exec_driver_sql("PRAGMA integrity_check").scalar())
    await store.close()
    assert sound == "ok"
