"""What is filled in bulk is what learning would have written: it is found, read and listed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from geniffy_server.bench.filling import Made, fill, resembling
from geniffy_server.bench.people import statement
from geniffy_server.bench.preparing import Prepared, pool, ports_of, prepared
from geniffy_server.bench.searching import matrix_of, question
from geniffy_server.caller import Caller
from geniffy_server.services.answers import search
from geniffy_server.services.memories import list_memories
from geniffy_server.services.sources import list_sources


def filled(data: Path) -> tuple[Prepared, list[Made]]:
    store = prepared(data, 1)
    known = pool(store, 50, lambda done: None)
    fill(store.data, store.owner, [("all", known), ("few", known[:3])])
    return store, known


async def listed(store: Prepared, space: str) -> list[str]:
    async with ports_of(store.data) as ports:
        page = await list_memories(ports, Caller(store.owner, space), None, {}, limit=100, cursor=0)
        return [memory.text for memory in page.memories]


async def test_filled_memories_are_found_by_their_questions(tmp_path: Path) -> None:
    import asyncio

    store, _ = await asyncio.to_thread(filled, tmp_path / "data")
    caller = Caller(store.owner, "all")
    async with ports_of(store.data) as ports:
        asked = [statement(number) for number in (0, 14, 47)]
        best = [(await search(ports, caller, one.question, limit=3))[0].memory for one in asked]
        sources = await list_sources(ports, caller, {}, limit=10, cursor=0)
        sound = await ports.store.read(lambda tx: tx.memories.without_vector(1))

    assert [(memory.text, memory.quote) for memory in best] == [(one.text, one.quote) for one in asked]
    assert [(source.status, source.facts) for source in sources.sources] == [
        ("learned", 10),
        ("learned", 20),
        ("learned", 20),
    ]
    assert sound == []


async def test_spaces_are_filled_apart_and_what_is_learned_later_gets_ids_of_its_own(tmp_path: Path) -> None:
    import asyncio

    store, known = await asyncio.to_thread(filled, tmp_path / "data")
    await asyncio.to_thread(fill, store.data, store.owner, [("later", known[3:5])])

    assert await listed(store, "few") == [statement(number).text for number in (2, 1, 0)]
    assert await listed(store, "later") == [statement(number).text for number in (4, 3)]
    assert len(await listed(store, "all")) == 50


def test_vectors_that_resemble_known_ones_are_as_long_and_near(tmp_path: Path) -> None:
    import asyncio

    store = prepared(tmp_path / "data", 1)
    known = pool(store, 20, lambda done: None)

    async def make() -> list[Made]:
        async with ports_of(store.data) as ports:
            return list(resembling(range(40), known, ports.recall))

    made = asyncio.run(make())
    vectors, of = matrix_of(made), matrix_of(known)

    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-2)
    assert all(0.85 < float(vectors[n] @ of[n % 20]) < 0.99 for n in range(40))
    assert [one.told for one in made] == [statement(number) for number in range(40)]
    assert len({question(number) for number in range(70_000)}) == 70_000
