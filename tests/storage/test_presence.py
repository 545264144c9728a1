"""Processes on one store tell which of them still live."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from geniffy_server.storage.presence import Presence
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home
from tests.storage.test_jobs import ask, claim

# Says its name, then waits to be killed.
_ANOTHER = """
import sys, pathlib
from geniffy_server.storage.presence import Presence
one = Presence(pathlib.Path(sys.argv[1]))
print(one.name, flush=True)
sys.stdin.read()
"""


def test_a_process_lives_until_it_ends_or_is_killed(tmp_path: Path) -> None:
    me, gone = Presence(tmp_path), Presence(tmp_path)
    command = [sys.executable, "-c", _ANOTHER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as another:
        assert another.stdout is not None
        name = another.stdout.readline().strip()
        lived = [me.lives(name), me.lives(me.name), me.lives(gone.name)]
        another.kill()
        another.wait(30)
        gone.end()

    assert lived == [True, True, True]
    assert [me.lives(name), me.lives(me.name), me.lives(gone.name)] == [False, True, False]
    assert [file.name for file in tmp_path.iterdir()] == [me.name]
    me.end()
    assert list(tmp_path.iterdir()) == []


def test_who_begins_clears_away_what_the_killed_left_and_nothing_else(tmp_path: Path) -> None:
    living = Presence(tmp_path)
    kept = {living.name, "notes.txt"}
    for name in (f"1-{'0' * 16}", f"2-{'f' * 16}", "notes.txt"):
        (tmp_path / name).touch()

    me = Presence(tmp_path)

    assert {me.name, *kept} == {file.name for file in tmp_path.iterdir()}
    assert living.lives(me.name)


def test_what_is_no_name_of_ours_is_taken_to_live(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()

    assert all(Presence(tmp_path / "workers").lives(name) for name in ("w", "", "../kept", "1-0", "1-" + "0" * 17))
    assert (tmp_path / "kept").exists()


async def test_the_jobs_of_workers_that_ended_are_free_at_once(store: SqliteStore, home: Home) -> None:
    source = await store.write(lambda tx: ask(tx, home.space))
    assert await claim(store) is not None
    held = await store.read(lambda tx: tx.jobs.workers(NOW))
    assert await claim(store) is None

    await store.write(lambda tx: tx.jobs.free(held))

    assert held == {"w"}
    again = await claim(store)
    assert again is not None
    assert (again.source_id, again.attempts) == (source, 2)
