"""Leave nothing of what was removed in a database's file or its write-ahead log. Run as a program of its own.

    python remains.py <database> <seconds to keep trying>

`secure_delete` zeroes a row where it lies when it is removed. But when SQLite moves rows between neighbouring pages
it rebuilds a page from its end and leaves the old copies in the space before it, where no delete finds them again
(`rebuildPage` in btree.c). Those bytes belong to no row, so zeroing them changes nothing that is ever read as one.

They may lie in any page, so the whole file is read; but others write meanwhile. This goes in four steps:

1. With the log empty, a reader begins: it reads the file alone, so nobody may copy the log into it (WAL_READ_LOCK(0)
   of wal.c), and it stands still. What others write goes to the log, which can't begin anew.
2. Every page of the file is cleaned. Nobody waits.
3. For a moment nobody else writes. The pages that stand in the log by now are noted, for they may have been written
   as they were before. A commit then makes every other connection drop the pages that it remembers, so that what is
   written from now on comes from clean pages, or from those that were noted.
4. The log is emptied. While it is empty and nobody else writes, the pages that were noted are cleaned too.

It is a process of its own because one that closes a file loses every lock it holds on it, also those of its SQLite
connections; and it holds the locks itself, so that killing either process at any time is safe. What it had not done
then is owed still.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pysqlite3 import dbapi2  # type: ignore[import-untyped]  # it ships no types

BUSY = 75
"""The exit code when others kept reading or writing all the time (EX_TEMPFAIL of sysexits.h)."""

_BTREE_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}  # type of page to bytes of header (sqlite.org/fileformat2.html 1.6)
_FILE_HEADER = 100
_LOG_HEADER = 32  # of the write-ahead log; its salts, which every frame repeats, are the bytes 16 to 24 (4.1)
_FRAME_HEADER = 24
_PAGES_AT_ONCE = 1024
_TRANSIENT = (5, 6, 15)  # BUSY, LOCKED, PROTOCOL
_PAUSE_S = 0.01


def clean(database: str, patience_s: float) -> bool:
    """Clean the file and its log; False when others kept it busy for `patience_s` seconds."""
    give_up_at = time.monotonic() + patience_s
    file = os.open(database, os.O_RDWR | os.O_CLOEXEC)  # closed by the end of the process, after every lock
    reader, writer = (_connected(database) for _ in range(2))
    rewritten: set[int] = set()
    steps: tuple[Callable[[], bool], ...] = (
        lambda: _still(reader, writer, database),
        lambda: _clean_all(file),
        lambda: _noted(reader, writer, database, _page_size(file), rewritten),
        lambda: _emptied(writer, database, file, rewritten),
    )
    for step in steps:
        while not _tried(step, writer):
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


def _connected(database: str) -> Any:
    connection = dbapi2.connect(database, isolation_level=None, timeout=0.05)  # writers wait while this waits
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def _tried(step: Callable[[], bool], writer: Any) -> bool:
    """Whether a step was done; the writer has no transaction afterwards."""
    try:
        return step()
    except dbapi2.Error as fault:
        if fault.sqlite_errorcode & 0xFF in _TRANSIENT:
            return False
        raise
    finally:
        if writer.in_transaction:
            writer.execute("ROLLBACK")


def _still(reader: Any, writer: Any, database: str) -> bool:
    """Empty the log, and begin to read over the empty log."""
    if reader.in_transaction:
        reader.execute("ROLLBACK")
    if writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        return False
    writer.execute("BEGIN IMMEDIATE")
    if os.stat(database + "-wal").st_size:
        return False  # someone wrote in between
    reader.execute("BEGIN")
    reader.execute("PRAGMA user_version").fetchone()
    return True


def _clean_all(file: int) -> bool:
    _zero(file, _dirty_gaps(file))
    os.fsync(file)
    return True


def _noted(reader: Any, writer: Any, database: str, page_size: int, rewritten: set[int]) -> bool:
    writer.execute("BEGIN IMMEDIATE")
    rewritten |= _pages_in_log(database, page_size)
    _drop_what_others_remember(writer)
    reader.execute("COMMIT")
    writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()  # while others may write: it may be long
    return True


def _emptied(writer: Any, database: str, file: int, rewritten: set[int]) -> bool:
    if writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        return False
    writer.execute("BEGIN IMMEDIATE")
    if os.stat(database + "-wal").st_size:
        return False
    if _zero(file, _dirty_gaps(file, rewritten)):
        os.fsync(file)
        _drop_what_others_remember(writer)
    return True


def _drop_what_others_remember(writer: Any) -> None:
    """Commit: every other connection then reads anew what it had read before."""
    version = int(writer.execute("PRAGMA user_version").fetchone()[0])
    writer.execute(f"PRAGMA user_version={version + 1 & 0x7FFFFFFF}")
    writer.execute("COMMIT")


def _page_size(file: int) -> int:
    size = int.from_bytes(os.pread(file, 2, 16))
    return 65_536 if size == 1 else size


def _pages_in_log(database: str, page_size: int) -> set[int]:
    """The numbers of the pages that the log holds, counted from 1; also those of a write that was given up."""
    log = os.open(database + "-wal", os.O_RDONLY | os.O_CLOEXEC)
    header = os.pread(log, _LOG_HEADER, 0)
    pages: set[int] = set()
    at = _LOG_HEADER
    while len(frame := os.pread(log, _FRAME_HEADER, at)) == _FRAME_HEADER and frame[8:16] == header[16:24]:
        pages.add(int.from_bytes(frame[:4]))
        at += _FRAME_HEADER + page_size
    return pages


def _zero(file: int, gaps: Iterable[tuple[int, int]]) -> bool:
    """Overwrite bytes of the file, each run an offset and a length; whether there were any."""
    is_any = False
    for offset, length in gaps:
        os.pwrite(file, bytes(length), offset)
        is_any = True
    return is_any


def _dirty_gaps(file: int, pages: Iterable[int] | None = None) -> Iterator[tuple[int, int]]:
    """Offset and length of every unallocated space that holds something, in these pages or in all."""
    page_size = _page_size(file)
    for offset, chunk in _chunks(file, page_size, pages):
        for at in range(0, len(chunk) - page_size + 1, page_size):
            page = chunk[at : at + page_size]
            start, end = gap(page, is_first=offset + at == 0)
            if page.count(0, start, end) != end - start:
                yield offset + at + start, end - start


def _chunks(file: int, page_size: int, pages: Iterable[int] | None) -> Iterator[tuple[int, bytes]]:
    """Whole pages of the file, each time with their offset."""
    if pages is not None:
        for number in sorted(pages):
            offset = (number - 1) * page_size
            yield offset, os.pread(file, page_size, offset)
        return
    offset = 0
    while page_size and (chunk := os.pread(file, page_size * _PAGES_AT_ONCE, offset)):
        yield offset, chunk
        offset += len(chunk)


if __name__ == "__main__":
    sys.exit(0 if clean(sys.argv[1], float(sys.argv[2])) else BUSY)
