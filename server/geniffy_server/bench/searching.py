"""How long a search takes, beside the least it could: embedding the question, and one product with every vector."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.app import embedder_from
from geniffy_server.bench.comparing import Compared, in_turn, spread, timed_ms
from geniffy_server.bench.figures import Figure
from geniffy_server.bench.filling import Made, fill, resembling
from geniffy_server.bench.people import statement
from geniffy_server.bench.preparing import Prepared, ports_of, prepared
from geniffy_server.bench.wire import Client
from geniffy_server.caller import Caller
from geniffy_server.models.minilm import MiniLM
from geniffy_server.ports import Embedder, Ports
from geniffy_server.services.access import readable
from geniffy_server.services.answers import search
from geniffy_server.settings import read_settings

LIMIT: Final = 10
_WARM_UP: Final = 40  # so that each of the threads that read has searched
_NOT_COUNTED: Final = 10  # turns at the beginning of a comparison
_STEP: Final = 7  # from one person to another, and from one sort of question to another


def question(number: int) -> str:
    """A question that no other number below 70,000 asks, so that its vector is not known yet."""
    return statement(number * _STEP).question


def matrix_of(made: Sequence[Made]) -> NDArray[np.float32]:
    """float32 (len(made), 384): their vectors, for one product."""
    held = np.frombuffer(b"".join(one.vector for one in made), np.float16)
    return held.reshape(len(made), -1).astype(np.float32)


def search_by_rest(client: Client, space: str, matrix: NDArray[np.float32], calls: int, at_most: float) -> list[Figure]:
    """Search a space with new questions, in turn with the least that it takes: embedding the same one and multiplying.

    Embedding is timed twice: by the weights' package as it comes, and by its graph as this server rebuilds it
    (`models/minilm_graph.py`), beside which the rest of a search weighs three times as much.
    """
    first_ms = timed_ms(lambda: _found(client, space, 0))
    new = range(1, 1 + 2 * (_NOT_COUNTED + calls))
    own = _beside(client, space, matrix, embedder_from(read_settings()), new[::2])
    packaged = _beside(client, space, matrix, MiniLM(as_packaged=True), new[1::2])
    size = f"{len(matrix):,} memories"
    return [
        *spread(f"search of {size}", own.ours, "/v1/search by one client, each a new question"),
        packaged.figure(f"search of {size} / least as packaged", "the package's model, and a product", at_most),
        own.figure(f"search of {size} / least", "embedding as here, and a product of all vectors", at_most),
        Figure(f"first search of {size}", first_ms, "ms", note="reads them into RAM, and the model"),
    ]


def _beside(
    client: Client, space: str, matrix: NDArray[np.float32], embedder: Embedder, numbers: Sequence[int]
) -> Compared:
    """Searches for new questions, in turn with embedding the same ones and multiplying."""

    def least(turn: int) -> None:
        _ = matrix @ embedder.embed([question(numbers[turn])])[0]

    calls = len(numbers) - _NOT_COUNTED
    return in_turn(lambda turn: _found(client, space, numbers[turn]), least, calls, warm_up=_NOT_COUNTED)


def fill_large(store: Prepared, space: str, known: Sequence[Made], memories: int) -> NDArray[np.float32]:
    """Fill a space with memories whose vectors resemble known ones; gives back their vectors."""

    async def run() -> list[Made]:
        async with ports_of(store.data) as ports:
            return list(resembling(range(memories), known, ports.recall))

    made = asyncio.run(run())
    fill(store.data, store.owner, [(space, made)])
    return matrix_of(made)


def search_a_few(client: Client, space: str) -> None:
    """Search a space until all that searching keeps of it is in RAM."""
    for number in range(_WARM_UP):
        _found(client, space, number)


def search_among_many(folder: Path, known: Sequence[Made], spaces: int, each: int, calls: int) -> list[Figure]:
    """Search a space among many, new to RAM and held there, beside a store that holds one such space alone.

    In process and without a socket, whose time would make the two look more alike.
    """
    many, alone = prepared(folder / "many", 1), prepared(folder / "alone", 1)
    blocks = [known[start : start + each] for start in range(0, len(known) - each + 1, each)]
    fill(many.data, many.owner, ((f"person-{n}", blocks[n % len(blocks)]) for n in range(spaces)))
    fill(alone.data, alone.owner, [("person-0", blocks[0])])
    names = [f"person-{n * max(1, spaces // calls)}" for n in range(min(calls, spaces))]
    new, held = asyncio.run(_search_both(many, alone, names))
    among = f"among {spaces:,} of {each} memories"
    return [
        new.figure(f"search of a space new to RAM, {among} / alone", "alone", 2.0),
        held.figure(f"search of a space in RAM, {among} / alone", "alone", 2.0),
    ]


async def _search_both(many: Prepared, alone: Prepared, names: Sequence[str]) -> tuple[Compared, Compared]:
    new, held = Compared(), Compared()
    async with ports_of(many.data) as there, ports_of(alone.data) as here:
        for turn, name in enumerate(["person-0", *names]):
            of_many, of_one = Caller(many.owner, name), Caller(alone.owner, "person-0")
            await _drop(here, of_one)
            await _drop(there, of_many)
            for at, compared in enumerate((new, held)):
                asked = question(2 * turn + at)
                ours, other = await _search_ms(there, of_many, asked), await _search_ms(here, of_one, asked)
                if turn:  # the first one only loads the models
                    compared.ours.append(ours)
                    compared.other.append(other)
    return new, held


async def _search_ms(ports: Ports, caller: Caller, asked: str) -> float:
    began = time.perf_counter()
    await search(ports, caller, asked, limit=LIMIT)
    return (time.perf_counter() - began) * 1000


async def _drop(ports: Ports, caller: Caller) -> None:
    space = await ports.store.read(lambda tx: readable(tx, caller))
    if space is not None:
        ports.recall.forget_space(space.id)


def _found(client: Client, space: str, number: int) -> None:
    client.good("POST", "/v1/search", {"q": question(number), "limit": LIMIT}, space)
