"""What other processes do to a store in these tests. Run as a program: `python writing.py <directory> <name> <what>`.

It says on its standard output, a line each, what the store acknowledged.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from geniffy_server.domain.account import KeyId
from geniffy_server.domain.file import File, FilePath
from geniffy_server.ports import Transaction
from geniffy_server.storage.call_log import open_call_log
from geniffy_server.storage.store import SqliteStore, open_store
from tests.storage.conftest import Home, a_source, make_home, teach

NOW = datetime(2026, 10, 3, 9, 41, tzinfo=UTC)
SPACE = "shared"


def put(tx: Transaction, home: Home, path: str) -> None:
    """A file with a source, two memories and a job, as one write."""
    source = a_source(text_form="kept", title=path, external_id=f"file:{path}")
    tx.sources.add(home.space, source, None)
    text = f"{path} " * 200
    tx.files.put(home.space, File(FilePath(path), text, len(text), NOW, source.id))
    teach(tx, home.space, f"{path} one", f"{path} two")
    tx.jobs.add(home.space, source.id, 1, NOW)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def write(store: SqliteStore, name: str, times: int) -> None:
    """Write that many files, acknowledging each."""
    home = await store.write(lambda tx: make_home(tx, SPACE))
    for number in range(times):
        path = f"/{name}/{number:06d}"
        await store.write(lambda tx, path=path: put(tx, home, path))
        say(path)


async def write_and_scrub(store: SqliteStore, name: str, times: int) -> None:
    """The same, with a scrub after every tenth."""
    home = await store.write(lambda tx: make_home(tx, SPACE))
    for number in range(times):
        path = f"/{name}/{number:06d}"
        await store.write(lambda tx, path=path: put(tx, home, path))
        say(path)
        if number % 10 == 9:
            await store.scrub()


async def claim(store: SqliteStore, name: str, times: int) -> None:
    """Claim jobs until none is left, acknowledging each."""
    for _ in range(times):
        job = await store.write(lambda tx: tx.jobs.claim(name, NOW, 60.0))
        if job is None:
            return
        say(job.source_id)


async def rates(directory: Path, times: int) -> None:
    """Ask for slots of one key, acknowledging those given."""
    log = open_call_log(directory)
    for number in range(times):
        if await log.take_slot(KeyId(1), 30, NOW + timedelta(milliseconds=number)) is None:
            say(str(number))
    await log.close()


async def main(directory: Path, name: str, what: str, times: int) -> None:
    if what == "rates":
        return await rates(directory, times)
    store = open_store(directory)
    say("open")
    sys.stdin.readline()  # so that all begin at once
    await {"write": write, "scrub": write_and_scrub, "claim": claim}[what](store, name, times)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
