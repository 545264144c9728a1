"""The embedded store: one SQLite database in one directory, open to any number of processes."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.errors import NotFound, Unavailable
from geniffy_server.ports import (
    Accounts,
    Clients,
    Connections,
    Conversations,
    Curations,
    Files,
    Jobs,
    Keys,
    Memories,
    SignIns,
    Sources,
    Spaces,
    Transaction,
    Uses,
    Visits,
)
from geniffy_server.storage.accounts import AccountRows
from geniffy_server.storage.clients import ClientRows
from geniffy_server.storage.connections import ConnectionRows
from geniffy_server.storage.conversations import ConversationRows
from geniffy_server.storage.curations import CurationRows
from geniffy_server.storage.files import FileRows
from geniffy_server.storage.jobs import JobRows
from geniffy_server.storage.keys import KeyRows
from geniffy_server.storage.known import Known
from geniffy_server.storage.memories import MemoryRows
from geniffy_server.storage.migrate import migrate
from geniffy_server.storage.presence import Presence
from geniffy_server.storage.schema import meta
from geniffy_server.storage.scrub import scrub
from geniffy_server.storage.sign_ins import SignInRows
from geniffy_server.storage.sources import SourceRows
from geniffy_server.storage.spaces import SpaceRows
from geniffy_server.storage.sqlite import (
    FAULTS,
    check_version,
    connected,
    in_transaction,
    is_refused_write,
    open_engine,
)
from geniffy_server.storage.uses import StoredUses
from geniffy_server.storage.visits import VisitRows

T = TypeVar("T")

MAIN: Final = "main.db"
WORKERS: Final = "workers"
READERS: Final = 4

_META = select(meta.c.value).where(meta.c.key == bindparam("name"))
_put_meta = upsert(meta)
_PUT_META = _put_meta.on_conflict_do_update(index_elements=["key"], set_={"value": _put_meta.excluded.value})


class Rows:
    """`ports.Transaction` over one connection with an open transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.accounts: Accounts = AccountRows(connection)
        self.sign_ins: SignIns = SignInRows(connection)
        self.keys: Keys = KeyRows(connection)
        self.spaces: Spaces = SpaceRows(connection)
        self.sources: Sources = SourceRows(connection)
        self.memories: Memories = MemoryRows(connection)
        self.curations: Curations = CurationRows(connection)
        self.conversations: Conversations = ConversationRows(connection)
        self.files: Files = FileRows(connection)
        self.jobs: Jobs = JobRows(connection)
        self.clients: Clients = ClientRows(connection)
        self.connections: Connections = ConnectionRows(connection)
        self.visits: Visits = VisitRows(connection)

    def meta(self, key: str) -> str | None:
        value = self._connection.execute(_META, {"name": key}).scalar()
        return None if value is None else str(value)

    def set_meta(self, key: str, value: str) -> None:
        self._connection.execute(_PUT_META, {"key": key, "value": value})


class SqliteStore:
    """`ports.Store` on one directory: a writer thread, and a few reader threads with a connection each."""

    def __init__(self, directory: Path, *, readers: int = READERS) -> None:
        self.directory = directory
        self._writing = open_engine(directory / MAIN, "writer")
        self._reading = open_engine(directory / MAIN, "reader")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._readers = ThreadPoolExecutor(readers, thread_name_prefix="store-reader")
        self._scrubber = ThreadPoolExecutor(1, thread_name_prefix="store-scrubber")
        self._scrubs_begun = 0
        self._scrub_fault: Exception | None = None
        self._mine = threading.local()
        self._opened: list[Connection] = []
        looking = connected(self._reading)
        self._known = Known(looking, Rows(looking))
        self._presence = Presence(directory / WORKERS)
        self._uses = StoredUses(connected(open_engine(directory / MAIN, "uses")), self._presence)
        self._is_closed = False

    @property
    def worker(self) -> str:
        """What this process is called in the jobs that it takes."""
        return self._presence.name

    @property
    def uses(self) -> Uses:
        """Where answers are counted, and the last use of keys and apps."""
        return self._uses

    def lives(self, worker: str) -> bool:
        """Whether the process that is called so has not ended. Blocking, but not for long."""
        return self._presence.lives(worker)

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` on one consistent state; RuntimeError when it writes."""
        return await self._run(self._readers, lambda: self._read(work))

    async def known(self, what: Hashable, work: Callable[[Transaction], T]) -> T:
        """What `work` reads, kept under `what` until anything is written to the store, by any process.

        It runs in the thread that asks, unless it would have to wait there.
        """
        if not self._is_closed:
            with contextlib.suppress(Unavailable):
                return self._known.get(what, work)
        return await self.read(work)

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` as one transaction, on disk when this returns; whole or not at all, also when cancelled.

        Raises Unavailable when the store can't be reached; nothing was written then.
        """
        return await self._run(self._writer, lambda: self._write(work))

    async def scrub(self) -> None:
        """Leave nothing of what was removed in the database's pages or its write-ahead log.

        Raises Unavailable when others kept reading what was there before for half a minute.
        """
        asked_after = self._scrubs_begun
        await self._run(self._scrubber, lambda: self._scrub(asked_after))

    async def close(self) -> None:
        """Let what is running end, then close every connection. A second time does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        await asyncio.to_thread(self._close)

    async def _run(self, threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        if self._is_closed:
            raise Unavailable("The store is closed.")
        return await asyncio.get_running_loop().run_in_executor(threads, work)

    def _scrub(self, asked_after: int) -> None:
        # One that began after it was asked for does for this one too. A scrub reads the whole file: those who forget at
        # once share one, and its failure.
        if self._scrubs_begun == asked_after:
            self._scrubs_begun += 1
            self._scrub_fault = None
            try:
                scrub(self.directory / MAIN)
            except Exception as fault:
                self._scrub_fault = fault
        if self._scrub_fault is not None:
            raise self._scrub_fault

    def _read(self, work: Callable[[Transaction], T]) -> T:
        connection, rows = self._rows(writes=False)

        def only_reading(_: Connection) -> T:
            try:
                return work(rows)
            except FAULTS as fault:
                if is_refused_write(fault):
                    raise RuntimeError("Work given to Store.read writes; give it to Store.write.") from fault
                raise

        return in_transaction(connection, "BEGIN", only_reading)

    def _write(self, work: Callable[[Transaction], T]) -> T:
        connection, rows = self._rows(writes=True)
        return in_transaction(connection, "BEGIN IMMEDIATE", lambda _: work(rows))

    def _rows(self, *, writes: bool) -> tuple[Connection, Rows]:
        """This thread's connection, opened when it is first wanted."""
        mine: tuple[Connection, Rows] | None = getattr(self._mine, "rows", None)
        if mine is None:
            connection = connected(self._writing if writes else self._reading)
            mine = self._mine.rows = (connection, Rows(connection))
            self._opened.append(connection)
        return mine

    def _close(self) -> None:
        for threads in (self._readers, self._writer, self._scrubber):
            threads.shutdown(wait=True)
        self._uses.close()
        for connection in self._opened:
            connection.close()
        self._known.close()
        self._presence.end()


def open_store(directory: Path, *, create: bool = True, readers: int = READERS) -> SqliteStore:
    """Open the store in `directory`, made and brought up to date first when that is needed.

    Raises NotFound when there is none and `create` is False, ServerError when a newer version wrote it, Unavailable
    when the directory can't be used.
    """
    check_version()
    directory = directory.absolute()
    if not create and not (directory / MAIN).is_file():
        raise NotFound(f"There is no memory in {str(directory)!r}; name the directory that holds main.db.")
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        migrate(directory / MAIN, directory / "LOCK")
    except OSError as fault:
        raise Unavailable(f"The store's directory {str(directory)!r} can't be used: {fault.strerror}.") from fault
    return SqliteStore(directory, readers=readers)
