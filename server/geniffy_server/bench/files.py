"""What it costs to keep a file of 2 KB exactly, beside writing one to the disk and waiting for it."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Final
from urllib.parse import quote

from geniffy_server.bench.comparing import Compared, spread, timed_ms
from geniffy_server.bench.figures import Figure
from geniffy_server.bench.people import two_kilobytes
from geniffy_server.bench.preparing import Prepared, ports_of
from geniffy_server.bench.wire import Client
from geniffy_server.caller import Caller
from geniffy_server.domain.file import file_path
from geniffy_server.services.files import put_file

_SPACE: Final = "files"
_RAW: Final = "a raw write with two syncs"
_FLUSHES: Final = 18  # the field of /proc/diskstats, from 0 (Linux, Documentation/admin-guide/iostats.rst)
_SYNCS_TRIED: Final = 10
_WARM_UP: Final = 3
_APART: Final = 10_000  # texts that the calls by REST do not write


def put_in_process(store: Prepared, calls: int) -> Figure:
    """The store's part of a PUT: the service alone, with no socket and no worker beside it."""
    raw = _raw_folder(store)

    async def run() -> Compared:
        compared = Compared()
        caller = Caller(store.owner, "files-in-process")
        async with ports_of(store.data) as ports:
            for number in range(calls + _WARM_UP):
                path, text = file_path(f"/memories/{number}.md"), two_kilobytes(number + _APART)
                began = time.perf_counter()
                await put_file(ports, caller, path, text)
                between = time.perf_counter()
                write_raw(raw, number, text)
                if number >= _WARM_UP:
                    compared.add(began, between, time.perf_counter())
        return compared

    return asyncio.run(run()).figure("PUT of a 2 KB file, store part / raw write", _RAW, 2.0)


def put_and_get(store: Prepared, client: Client, calls: int) -> list[Figure]:
    """PUT and GET by REST. Each file is learned before the next one is written, so that no learning is timed."""
    raw = _raw_folder(store)
    compared = Compared()
    for number in range(calls + _WARM_UP):
        text = two_kilobytes(number)
        request = client.request("PUT", "/v1/files", {"path": f"/memories/{number}.md", "text": text}, _SPACE)
        began = time.perf_counter()
        reply = client.send(request)
        between = time.perf_counter()
        write_raw(raw, number, text)
        if number >= _WARM_UP:
            compared.add(began, between, time.perf_counter())
        client.good("GET", f"/v1/sources/{reply.json()['source']['id']}?wait=30", None, _SPACE)
    figures = [compared.figure("PUT of a 2 KB file, whole call / raw write", _RAW)]

    path = quote(f"/memories/{calls}.md", safe="")
    client.good("GET", f"/v1/files?path={path}", None, _SPACE)
    before = disk_flushes(store.data)
    got = [timed_ms(lambda: client.good("GET", f"/v1/files?path={path}", None, _SPACE)) for _ in range(calls * 2)]
    after = disk_flushes(store.data)
    figures += spread("GET of a 2 KB file", got, "by one client")
    if before is not None and after is not None and _counts_flushes(raw):
        note = f"flushes of the disk, by every program, during {len(got)} calls"
        figures.append(Figure("disk syncs a GET", (after - before) / len(got), at_most=0.05, note=note))
    return figures


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
