"""What a first question would wait for is loaded before it comes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geniffy_server.app import SystemClock, opened
from geniffy_server.recall.recall import ShardRecall
from geniffy_server.services.warming import warm
from geniffy_server.settings import Settings


class SlowToLoad:
    """An embedder that tells when it is first used, and fails then."""

    id = "slow"

    def __init__(self) -> None:
        self.used = threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.used.set()
        raise OSError("no model is here")


async def test_warming_loads_the_embedder_and_minds_no_fault_of_it(tmp_path: Path) -> None:
    embedder = SlowToLoad()

    async with opened(Settings(data=tmp_path / "data")) as it:
        recall = ShardRecall(embedder, budget_bytes=1 << 20, clock=SystemClock())
        await warm(replace(it.ports, recall=recall), loads_embedder=True)

    assert embedder.used.wait(10)


async def test_an_embedder_with_nothing_to_load_is_not_called(tmp_path: Path) -> None:
    embedder = SlowToLoad()

    async with opened(Settings(data=tmp_path / "data")) as it:
        recall = ShardRecall(embedder, budget_bytes=1 << 20, clock=SystemClock())
        await warm(replace(it.ports, recall=recall), loads_embedder=False)

    assert not embedder.used.is_set()
