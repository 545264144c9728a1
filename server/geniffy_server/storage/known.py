"""What was read of the store a moment ago, for as long as nothing was written to it since."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

from sqlalchemy import Connection

from geniffy_server.errors import Unavailable
from geniffy_server.ports import Transaction
from geniffy_server.storage.sqlite import in_transaction, never_waiting, patiently, raw

T = TypeVar("T")

_MOST: Final = 1_000


class Known:
    """Reads a few rows in the thread that asks, over a connection of its own that waits for nobody.

    SQLite tells whether another connection, of any process, committed since this one last looked
    (sqlite.org/pragma.html, "data_version"), so that nothing kept here outlives a write.
    """

    def __init__(self, connection: Connection, rows: Transaction) -> None:
        self._connection = never_waiting(connection)
        self._rows = rows
        self._using = threading.Lock()
        self._kept: dict[Hashable, Any] = {}
        self._version = -1

    def get(self, what: Hashable, work: Callable[[Transaction], T]) -> T:
        """What `work` reads, as kept or anew.

        Raises Unavailable when it would have to wait, or the store can't be read: ask where one may wait.
        """
        if not self._using.acquire(blocking=False):
            raise Unavailable("Another thread is reading what is known; try again.")
        try:
            return patiently(lambda: self._get(what, work), patience_s=0)
        finally:
            self._using.release()

    def close(self) -> None:
        """Close the connection, when nobody uses it any more."""
        with self._using:
            self._connection.close()

    def _get(self, what: Hashable, work: Callable[[Transaction], T]) -> T:
        version = raw(self._connection).execute("PRAGMA data_version").fetchone()[0]
        if version != self._version or len(self._kept) >= _MOST:
            self._kept.clear()
            self._version = version
        if what not in self._kept:
            # A commit since the look above only makes this newer than `version`: the next look drops it.
            self._kept[what] = in_transaction(self._connection, "BEGIN", lambda _: work(self._rows), patience_s=0)
        found: T = self._kept[what]
        return found
