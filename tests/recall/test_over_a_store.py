from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import MemoryId
from geniffy_server.domain.space import Space
from geniffy_server.models.minilm import MiniLM
from geniffy_server.ports import Transaction
from geniffy_server.recall.recall import ShardRecall
from geniffy_server.recall.vectors import encoded
from geniffy_server.storage.store import SqliteStore, open_store
from tests.recall.space_in_memory import FrozenClock
from tests.storage.conftest import NOW, Taught, make_home, teach


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = open_store(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def other_process(store: SqliteStore, tmp_path: Path) -> AsyncIterator[SqliteStore]:
    """The same directory opened once more, as another process does it."""
    opened = open_store(tmp_path)
    yield opened
    await opened.close()


async def learn(
    store: SqliteStore, embedder: MiniLM, text: str, about: str | None = None, labels: dict[str, str] | None = None
) -> Taught:
    recall = ShardRecall(embedder, budget_bytes=1, clock=FrozenClock())
    vector, tokens = encoded(embedder.embed([text])[0]), recall.tokens(text, about, NOW)
    return await store.write(
        lambda tx: teach(tx, make_home(tx).space, text, labels=labels, about=about, vector=vector, tokens=tokens)
    )


async def found(store: SqliteStore, recall: ShardRecall, question: str, labels: LabelFilter | None = None) -> list[str]:
    def work(tx: Transaction) -> Sequence[str]:
        space = tx.spaces.by_id(make_space(tx).id)
        assert space is not None
        return [one.memory.text for one in recall.search(tx, space, question, limit=10, labels=labels)]

    return list(await store.read(work))


def make_space(tx: Transaction) -> Space:
    owner = tx.accounts.owner()
    assert owner is not None
    space = tx.spaces.find(owner.id, "ana")
    assert space is not None
    return space


async def test_what_another_process_adds_and_removes_is_seen_by_the_next_search(
    store: SqliteStore, other_process: SqliteStore, embedder: MiniLM, recall: ShardRecall
) -> None:
    oslo = await learn(store, embedder, "Kim lives in Oslo.", "Kim")
    assert await found(store, recall, "Where does Kim live?") == ["Kim lives in Oslo."]

    await learn(other_process, embedder, "Kim lives in Bergen now.", "Kim")
    await other_process.write(lambda tx: forget(tx, oslo.memories))

    assert await found(store, recall, "Where does Kim live?") == ["Kim lives in Bergen now."]


async def test_a_memory_that_is_replaced_and_current_again_comes_and_goes(
    store: SqliteStore, embedder: MiniLM, recall: ShardRecall
) -> None:
    taught = await learn(store, embedder, "Kim lives in Oslo.", "Kim")
    await learn(store, embedder, "Ana lives in Porto.", "Ana")

    for status, expected in (("replaced", 1), ("current", 2), ("wrong", 1)):
        await store.write(
            lambda tx, status=status: tx.memories.set_status(
                make_space(tx).id, taught.memories[0], status, None, tx.spaces.bump(make_space(tx).id)
            )
        )
        assert len(await found(store, recall, "Where does Kim live?")) == expected


async def test_a_label_that_a_source_carries_finds_what_it_teaches(
    store: SqliteStore, embedder: MiniLM, recall: ShardRecall
) -> None:
    await learn(store, embedder, "Server 1 runs Debian.", labels={"team": "core"})
    await learn(store, embedder, "Server 2 runs Alpine.", labels={"team": "edge"})

    assert await found(store, recall, "Which server?", {"team": ("edge", "none")}) == ["Server 2 runs Alpine."]
    assert await found(store, recall, "Which server?", {"team": ("none",)}) == []


def forget(tx: Transaction, memories: Sequence[MemoryId]) -> None:
    space = make_space(tx).id
    tx.memories.remove(space, memories, tx.spaces.bump(space), NOW)
