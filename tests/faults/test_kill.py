"""A process that is killed in the middle of writing loses nothing that it acknowledged."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore, open_store
from tests.faults.conftest import Start
from tests.faults.writing import SPACE
from tests.storage.conftest import Home, make_home


def acknowledged(process: subprocess.Popen[str], least: int) -> list[str]:
    """Kill it once it acknowledged so many writes; all that it had acknowledged by then."""
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "open\n"
    process.stdin.write("\n")
    process.stdin.flush()
    said = [process.stdout.readline() for _ in range(least)]
    process.kill()
    said += process.stdout.readlines()
    assert process.wait(30) != 0
    return [line.strip() for line in said if line.endswith("\n")]


async def check(store: SqliteStore, expected: set[str]) -> None:
    home = await store.write(lambda tx: make_home(tx, SPACE))

    def look(tx: Transaction) -> None:
        sound(tx)
        whole(tx, home, expected)

    await store.read(look)


def sound(tx: Transaction) -> None:
    execute = tx._connection.exec_driver_sql
    assert execute("PRAGMA integrity_check").scalar() == "ok"
    assert execute("PRAGMA foreign_key_check").all() == []
    counts = [
        execute(f"SELECT count(*) FROM {table}").scalar() for table in ("memories", "memory_vectors", "memory_lines")
    ]
    assert len(set(counts)) == 1


def whole(tx: Transaction, home: Home, expected: set[str]) -> None:
    files = {path: tx.files.find(home.space, path) for path, _ in tx.files.under(home.space, "/")}
    assert files.keys() >= expected
    texts = {memory.text for memory in tx.memories.every(home.space)}
    for path, file in files.items():  # what was not acknowledged is there whole, or not at all
        assert file is not None
        assert file.text == f"{path} " * 200
        assert {f"{path} one", f"{path} two"} <= texts
    assert tx.jobs.waiting() == len(files)


# One that scrubs is killed when it begins to.
@pytest.mark.parametrize(("what", "rounds", "step"), [("write", 10, 1), ("scrub", 5, 10)])
async def test_all_that_was_acknowledged_is_there_after_a_kill(
    start: Start, tmp_path: Path, what: str, rounds: int, step: int
) -> None:
    chance = random.Random(4)
    expected: set[str] = set()
    for number in range(rounds):
        said = acknowledged(start(f"round{number}", what, 10_000), chance.randrange(step, 25, step))
        expected.update(said)
        store = open_store(tmp_path / "data")
        await check(store, expected)
        await store.close()
    assert len(expected) >= rounds
