from __future__ import annotations

import pytest

from geniffy_server.models.minilm import MiniLM
from geniffy_server.recall.recall import ShardRecall
from tests.recall.space_in_memory import FrozenClock, SpaceInMemory


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM()


@pytest.fixture
def space(embedder: MiniLM) -> SpaceInMemory:
    return SpaceInMemory(embedder)


@pytest.fixture
def recall(embedder: MiniLM) -> ShardRecall:
    return ShardRecall(embedder, budget_bytes=1 << 26, clock=FrozenClock())
