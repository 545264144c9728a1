"""Leave nothing of what was removed in a database's file or its write-ahead log. Run as a program of its own.

    python remains.py <database> <seconds to keep trying>

`secure_delete` zeroes a row where it lies when it is removed. But when SQLite moves rows between neighbouring pages
it rebuilds a page from its end and leaves the old copies in the space before it, where no delete finds them again
(`rebuildPage` in btree.c). Those bytes belong to no row, so zeroing them changes nothing that is ever read as one.

They are zeroed while this process holds the only write lock over an empty write-ahead log, when nobody else may
write to the file. It is a process of its own because one that closes a file loses every lock it holds on it, also
those of its SQLite connections; and it holds the lock itself, so that killing either process at any time is safe.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from pysqlite3 import dbapi2  # type: ignore[import-untyped]  # it ships no types

BUSY = 75
"""The exit code when others kept reading or writing all the time (EX_TEMPFAIL of sysexits.h)."""

_BTREE_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}  # type of page to bytes of header (sqlite.org/fileformat2.html 1.6)
_FILE_HEADER = 100
_PAGES_AT_ONCE = 1024
_TRANSIENT = (5, 6, 15)  # BUSY, LOCKED, PROTOCOL
_PAUSE_S = 0.01


def clean(database: str, patience_s: float) -> bool:
    """Clean the file and its log; False when others kept it busy for `patience_s` seconds."""
    give_up_at = time.monotonic() + patience_s
    file = os.open(database, os.O_RDWR | os.O_CLOEXEC)  # closed by the end of the process, after every lock
    connection = dbapi2.connect(database, isolation_level=None, timeout=0.05)  # writers wait while this waits
    connection.execute("PRAGMA synchronous=FULL")
    while not _try(connection, database, file):
        if time.monotonic() >= give_up_at:
            return False
        time.sleep(_PAUSE_S)
    return True


def gap(page: bytes, *, is_first: bool = False) -> tuple[int, int]:
    """Where a page's unallocated space starts and ends; empty for a page that is no b-tree page.

    The first byte of every other kind of page is the highest of a page number, 0 up to 64 GB.
    """
    at = _FILE_HEADER if is_first else 0
    header = _BTREE_HEADERS.get(page[at])
    if header is None:
        return 0, 0
    cells = int.from_bytes(page[at + 3 : at + 5])
    content = int.from_bytes(page[at + 5 : at + 7]) or 65_536
    start = at + header + 2 * cells
    return (start, content) if start <= content <= len(page) else (0, 0)


def _try(connection: Any, database: str, file: int) -> bool:
    try:
        if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            return False
        connection.execute("BEGIN IMMEDIATE")
        if os.stat(database + "-wal").st_size:
            return False  # someone wrote in between
        for offset, length in list(_dirty_gaps(file)):
            os.pwrite(file, bytes(length), offset)
        os.fsync(file)
        # The file was changed under SQLite. A commit makes every other connection drop the pages it remembers.
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        connection.execute(f"PRAGMA user_version={version + 1 & 0x7FFFFFFF}")
        connection.execute("COMMIT")
        return True
    except dbapi2.Error as fault:
        if fault.sqlite_errorcode & 0xFF in _TRANSIENT:
            return False
        raise
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _dirty_gaps(file: int) -> Iterator[tuple[int, int]]:
    """Offset and length of every unallocated space that holds something."""
    page_size = int.from_bytes(os.pread(file, 2, 16))
    page_size = 65_536 if page_size == 1 else page_size
    offset = 0
    while page_size and (chunk := os.pread(file, page_size * _PAGES_AT_ONCE, offset)):
        for at in range(0, len(chunk) - page_size + 1, page_size):
            page = chunk[at : at + page_size]
            start, end = gap(page, is_first=offset + at == 0)
            if page.count(0, start, end) != end - start:
                yield offset + at + start, end - start
        offset += len(chunk)


if __name__ == "__main__":
    sys.exit(0 if clean(sys.argv[1], float(sys.argv[2])) else BUSY)
