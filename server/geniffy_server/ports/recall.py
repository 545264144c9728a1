"""Ranking the memories of a space for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import Kind, Memory, MemoryId
from geniffy_server.domain.space import Space, SpaceId
from geniffy_server.ports.store import Transaction


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that recall ranked, best first; `score` only compares within one search."""

    memory: Memory
    score: float
    features: Mapping[str, float]


class Recall(Protocol):
    """Ranks the memories of one space. Blocking: runs inside `Store.read`, but for `prepare`."""

    def prepare(self, question: str) -> None:
        """Begin what a search for `question` needs that is in no row; returns at once. A search does without it too."""
        ...

    def search(
        self,
        tx: Transaction,
        space: Space,
        question: str,
        *,
        limit: int,
        kind: Kind | None = None,
        labels: LabelFilter | None = None,
        is_judged: bool = True,
    ) -> Sequence[Found]:
        """Best first, usable memories only, no threshold; empty when the space holds none.

        Without `is_judged` the `features` are left empty: only an answer's judge asks for them.
        """
        ...

    def near(
        self,
        tx: Transaction,
        space: Space,
        vectors: NDArray[np.float32],
        abouts: Sequence[str | None],
        *,
        limit: int,
        least: float,
    ) -> Sequence[Sequence[MemoryId]]:
        """For each row of `vectors`, up to `limit` memories of cosine `least` or more, nearest first.

        Only memories whose subject is the one asked for, or where either subject is None.
        """
        ...

    def tokens(
        self,
        text: str,
        about: str | None,
        said_at: datetime,
        *,
        said_by: str | None = None,
        asked: str | None = None,
    ) -> bytes:
        """The search keys of a memory, to be stored beside it (`domain.memory.joined_tokens`).

        `said_by` is the participant who said it, None for the memory's owner and for text that nobody speaks. `asked`
        are the questions right before it.
        """
        ...

    def forget_space(self, space_id: SpaceId) -> None:
        """Drop what is cached of a space that was erased."""
        ...
