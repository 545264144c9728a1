"""How fast the server is, each figure beside the least that the same machine could do in the same minute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from geniffy_server.bench.figures import Figure
from geniffy_server.bench.files import put_and_get, put_in_process
from geniffy_server.bench.filling import Made, fill
from geniffy_server.bench.learning import learning_rate
from geniffy_server.bench.preparing import Prepared, pool, prepared
from geniffy_server.bench.scoring import median
from geniffy_server.bench.sdk import import_time, local_and_http, retriever_and_search
from geniffy_server.bench.searching import fill_large, matrix_of, search_a_few, search_among_many, search_by_rest
from geniffy_server.bench.serving import serving, serving_echo
from geniffy_server.bench.signing_in import ConnectedApp, connected_apps, refreshes
from geniffy_server.bench.telling import Told
from geniffy_server.bench.tools import tool_calls
from geniffy_server.bench.wire import Client

_SPACE: Final = "people"
_LARGE: Final = "many-people"
_GROWN: Final = "more-people"
_KEYS: Final = 8  # of each client; it makes 500 calls with one, and then those with the next


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured: memories in a space, calls of each sort, starts, notes that are learned.

    `grown`: memories of a second space, by which the RAM of so many servers (`growths`) is seen to grow.
    """

    memories: int = 10_000
    calls: int = 300
    starts: int = 3
    growths: int = 5
    notes: int = 40
    grown: int = 50_000
    large: int = 100_000
    spaces: int = 10_000
    each: int = 100


def measure(folder: Path, told: Told, sizes: Sizes, *, big: bool = False, many_spaces: bool = False) -> list[Figure]:
    """Every figure, over new stores in `folder`. `big` adds a space of 100,000, `many_spaces` a store of 10,000."""
    return list(_figures(folder, told, sizes, big=big, many_spaces=many_spaces))


def _figures(folder: Path, told: Told, sizes: Sizes, *, big: bool, many_spaces: bool) -> Iterator[Figure]:
    store = prepared(folder / "store", keys=3 * _KEYS)
    known = pool(store, sizes.memories, lambda done: told("Embedding statements", done, sizes.memories))
    fill(store.data, store.owner, [(_SPACE, known)])
    told("Starting servers", 0, 0)
    apps = connected_apps(store.data, store.owner)
    yield _start(store, sizes)
    yield from _serve(store, known, apps, told, sizes)
    told("Writing files", 0, 0)
    yield from put_in_process(store, sizes.calls)
    told("Learning notes", 0, 0)
    yield from learning_rate(folder / "learning", sizes.notes)
    told(f"Filling a space of {sizes.grown:,} memories", 0, 0)
    apart = prepared(folder / "growth", keys=sizes.growths)  # no note waits there to be learned meanwhile
    fill(apart.data, apart.owner, [(_SPACE, known)])
    fill_large(apart, _GROWN, known, sizes.grown)
    yield from _growth(apart, sizes)
    if big:
        told(f"Filling a space of {sizes.large:,} memories", 0, 0)
        matrix = fill_large(store, _LARGE, known, sizes.large)
        told("Searching it", 0, 0)
        with serving(store.data) as served, Client(served.base_url, store.keys[2 * _KEYS :]) as client:
            yield from search_by_rest(client, _LARGE, matrix, sizes.calls, at_most=2.0)
            yield from _memory(served.memory_mb(), sizes.large, None)
    if many_spaces:
        told(f"Filling {sizes.spaces:,} spaces", 0, 0)
        yield from search_among_many(folder, known, sizes.spaces, sizes.each, sizes.calls // 3)


def _start(store: Prepared, sizes: Sizes) -> Figure:
    started = []
    for _ in range(sizes.starts):
        with serving(store.data) as served:
            started.append(served.started_s)
    note = f"from the command to the first 200 of /healthz; p50 of {len(started)}"
    return Figure("start", median(started), "s", at_most=2.0, note=note)


def _serve(store: Prepared, known: list[Made], apps: list[ConnectedApp], told: Told, sizes: Sizes) -> Iterator[Figure]:
    with ExitStack() as stack:
        served = stack.enter_context(serving(store.data))
        client = stack.enter_context(Client(served.base_url, store.keys[:_KEYS]))
        told("Searching", 0, 0)
        yield from search_by_rest(client, _SPACE, matrix_of(known), sizes.calls, at_most=1.5)
        yield from _memory(served.memory_mb(), sizes.memories, 400.0)
        told("Putting and getting files", 0, 0)
        yield from put_and_get(store, client, sizes.calls // 3)
        told("Calling tools", 0, 0)
        bare = stack.enter_context(serving_echo())
        echo = stack.enter_context(Client(bare.base_url))
        tools = stack.enter_context(Client(served.base_url, store.keys[_KEYS : 2 * _KEYS]))
        yield from tool_calls(tools, echo, sizes.calls)
        told("Refreshing tokens", 0, 0)
        yield from refreshes(served.base_url, bare.base_url, apps, 2 * sizes.calls // 3)
        told("Calling by the client", 0, 0)
        yield import_time()
        yield from local_and_http(store, served.base_url, store.keys[-1], _SPACE, sizes.calls // 3)
        yield from retriever_and_search(served.base_url, store.keys[-2], _SPACE, sizes.calls // 3)


def _memory(memory_mb: float | None, memories: int, at_most: float | None) -> Iterator[Figure]:
    if memory_mb is not None:
        note = "resident, with the model and the search cache"
        yield Figure(f"server's RAM with {memories:,} memories", memory_mb, "MB", at_most=at_most, note=note)


def _growth(store: Prepared, sizes: Sizes) -> Iterator[Figure]:
    """What a memory costs in RAM: servers that hold one space, and then a second one beside it.

    Several, as the threads of each keep more or less of what their searches took.
    """
    grown = [each for number in range(sizes.growths) if (each := _grown_mb(store, number)) is not None]
    if grown:
        counts = f"from {sizes.memories:,} to {sizes.memories + sizes.grown:,}"
        note = f"resident, {counts} memories that are searched; p50 of {len(grown)}"
        yield Figure("server's RAM a memory", median(grown) * 1e6 / sizes.grown, "bytes", at_most=2048.0, note=note)


def _grown_mb(store: Prepared, number: int) -> float | None:
    with serving(store.data) as served, Client(served.base_url, store.keys[number:]) as client:
        served.settled_memory_mb()
        search_a_few(client, _SPACE)
        before = served.settled_memory_mb()
        search_a_few(client, _GROWN)
        after = served.settled_memory_mb()
    return after - before if before is not None and after is not None else None
