"""What it costs to keep a file of 2 KB exactly, beside writing one to the disk and waiting for it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from geniffy_server.bench.comparing import Compared, in_turn, spread, timed_ms
from geniffy_server.bench.figures import Figure
from geniffy_server.bench.people import two_kilobytes
from geniffy_server.bench.preparing import Prepared, ports_of
from geniffy_server.bench.wire import Client
from geniffy_server.caller import Caller
from geniffy_server.domain.file import file_path
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.files import put_file

T = TypeVar("T")

_SPACE: Final = "files"
_RAW: Final = "a raw write with two syncs"
_FLUSHES: Final = 18  # the field of /proc/diskstats, from 0 (Linux, Documentation/admin-guide/iostats.rst)
_SYNCS_TRIED: Final = 10
_WARM_UP: Final = 3
_APART: Final = 10_000  # texts that the calls by REST do not write


def put_in_process(store: Prepared, calls: int) -> list[Figure]:
    """What a PUT does behind the door, with no socket and no worker beside it: all of it, and the transaction in it.

    The rest is reading the text into the passages that will be learned, and looking for secrets in them.
    """
    raw = _raw_folder(store)
    caller = Caller(store.owner, "files-in-process")
    with asyncio.Runner() as runner, contextlib.ExitStack() as stack:
        opening = contextlib.AsyncExitStack()
        ports = runner.run(opening.enter_async_context(ports_of(store.data)))
        stack.callback(lambda: runner.run(opening.aclose()))
        timed = _TimedWrites(ports)

        def ours(number: int) -> None:
            path = file_path(f"/memories/{number}.md")
            runner.run(put_file(timed.ports, caller, path, two_kilobytes(number + _APART)))

        whole = in_turn(ours, lambda number: write_raw(raw, number, two_kilobytes(number)), calls, _WARM_UP)
    transaction = Compared(timed.took_ms[-calls:], whole.other)
    return [
        transaction.figure("PUT of a 2 KB file, store part / raw write", _RAW, 2.0),
        whole.figure("PUT of a 2 KB file, in process / raw write", _RAW),
    ]


class _TimedWrites:
    """Ports whose store tells how long each of its write transactions took, until it stood on the disk."""

    def __init__(self, ports: Ports) -> None:
        self.took_ms: list[float] = []
        self._write = ports.store.write
        self.ports = ports
        ports.store.write = self._timed  # type: ignore[method-assign]  # this store is the benchmark's own

    async def _timed(self, work: Callable[[Transaction], T]) -> T:
        began = time.perf_counter()
        try:
            return await self._write(work)
        finally:
            self.took_ms.append((time.perf_counter() - began) * 1000)


def put_and_get(store: Prepared, client: Client, calls: int) -> list[Figure]:
    """PUT, GET and ask by REST. Each file is learned before anything else is timed, so that no learning is."""
    raw = _raw_folder(store)
    compared = Compared()
    for number in range(_WARM_UP + calls):
        text = two_kilobytes(number)
        if number % 2:
            other_ms = timed_ms(write_raw, raw, number, text)
        request = client.request("PUT", "/v1/files", {"path": f"/memories/{number}.md", "text": text}, _SPACE)
        began = time.perf_counter()
        reply = client.send(request)
        ours_ms = (time.perf_counter() - began) * 1000
        client.good("GET", f"/v1/sources/{reply.json()['source']['id']}?wait=30", None, _SPACE)
        if not number % 2:
            other_ms = timed_ms(write_raw, raw, number, text)
        if number >= _WARM_UP:
            compared.ours.append(ours_ms)
            compared.other.append(other_ms)
    figures = [compared.figure("PUT of a 2 KB file, whole call / raw write", _RAW)]

    path = quote(f"/memories/{calls}.md", safe="")
    client.good("GET", f"/v1/files?path={path}", None, _SPACE)
    got, syncs = _reading(store, "a GET", lambda: client.good("GET", f"/v1/files?path={path}", None, _SPACE), 2 * calls)
    figures += [*spread("GET of a 2 KB file", got, "by one client"), *syncs]
    asked = {"question": "Who lives in Ghent?"}
    _, syncs = _reading(store, "an ask", lambda: client.good("POST", "/v1/ask", asked, _SPACE), calls)
    return [*figures, *syncs]


def _reading(store: Prepared, name: str, call: Callable[[], object], calls: int) -> tuple[list[float], list[Figure]]:
    """How long each call took, in milliseconds, and how often one had the disk flush, where that is counted."""
    before = disk_flushes(store.data)
    took_ms = [timed_ms(call) for _ in range(calls)]
    after = disk_flushes(store.data)
    if before is None or after is None or not _counts_flushes(_raw_folder(store)):
        return took_ms, []
    note = f"flushes of the disk, by every program, during {calls} calls"
    return took_ms, [Figure(f"disk syncs {name}", (after - before) / calls, at_most=0.05, note=note)]


def write_raw(folder: Path, number: int, text: str) -> None:
    """Write a new file so that it stands on the disk with its name: the least that a durable PUT can do."""
    file = os.open(folder / f"{number}.md", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    try:
        os.write(file, text.encode())
        os.fsync(file)
    finally:
        os.close(file)
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def disk_flushes(folder: Path) -> int | None:
    """How often the disk that holds `folder` was told to flush since the machine started; None where nothing counts."""
    at = folder.stat().st_dev
    try:
        lines = Path("/proc/diskstats").read_text().splitlines()
    except OSError:
        return None
    for fields in map(str.split, lines):
        if (int(fields[0]), int(fields[1])) == (os.major(at), os.minor(at)) and len(fields) > _FLUSHES:
            return int(fields[_FLUSHES])
    return None


def _counts_flushes(folder: Path) -> bool:
    """Whether a sync is seen in the count, which a disk without a cache of its own does not show."""
    before = disk_flushes(folder)
    for number in range(_SYNCS_TRIED):
        write_raw(folder, number, "once more")
    after = disk_flushes(folder)
    return before is not None and after is not None and after - before >= _SYNCS_TRIED


def _raw_folder(store: Prepared) -> Path:
    folder = store.data.parent / "raw"
    folder.mkdir(exist_ok=True)
    return folder
