"""Detecting what memories and conversations are about, for those whose category is not known yet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.caller import Caller
from geniffy_server.domain.conversation import ConversationCategory, MemoryCategory
from geniffy_server.domain.memory import MemoryId
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import Space, SpaceId
from geniffy_server.errors import Unavailable
from geniffy_server.ports import Ports, Transaction, Uncategorized
from geniffy_server.services.access import readable

log = logging.getLogger(__name__)

_MEMORIES: Final = 256  # of one step; each takes a fraction of a millisecond
_CONVERSATIONS: Final = 16
_HEARD: Final = 200  # statements, or turns, of a conversation that are looked at


@dataclass(frozen=True, slots=True)
class _Heard:
    """What tells what a conversation is about: its statements with their vectors, else its turns without."""

    space_id: SpaceId
    id: SourceId
    texts: Sequence[str]
    vectors: Sequence[bytes]


async def categorize_next(ports: Ports, space_id: SpaceId | None = None) -> bool:
    """Detect some categories, of one space or with None of any; False when none is left to detect.

    Raises what the embedder raises, with nothing kept.
    """

    def work(tx: Transaction) -> tuple[Sequence[Uncategorized], Sequence[_Heard]]:
        talks = tx.conversations.uncategorized(space_id, _CONVERSATIONS)
        return tx.curations.uncategorized(space_id, _MEMORIES), [_heard(tx, *talk) for talk in talks]

    memories, talks = await ports.store.read(work)
    if not memories and not talks:
        return False

    def detect() -> tuple[
        Sequence[tuple[SpaceId, MemoryId, MemoryCategory]], Sequence[tuple[SpaceId, SourceId, ConversationCategory]]
    ]:
        return (
            [(it.space_id, it.id, ports.categories.memory(it.text, it.kind, vector_of(it.vector))) for it in memories],
            [(it.space_id, it.id, ports.categories.conversation(it.texts, _stacked(it.vectors))) for it in talks],
        )

    of_memories, of_talks = await asyncio.to_thread(detect)

    def keep(tx: Transaction) -> None:
        tx.curations.categorize(of_memories)
        tx.conversations.categorize(of_talks)

    await ports.store.write(keep)
    return True


async def categorized_space(ports: Ports, caller: Caller) -> Space | None:
    """The caller's space with every category detected that can be, before it is shown; None when nothing is in it.

    While the embedder is away they stay as they are: a category that is not known is shown as `other`.
    """
    space = await ports.store.read(lambda tx: readable(tx, caller))
    if space is None:
        return None
    try:
        while await categorize_next(ports, space.id):
            pass
    except Unavailable:
        raise
    except Exception:
        log.exception("the embedder did not answer; categories are detected when it is back")
    return space


def vector_of(stored: bytes) -> NDArray[np.float32] | None:
    """A stored vector as float32 (384,); None for one that is not there yet."""
    return np.frombuffer(stored, np.float16).astype(np.float32) if stored else None


def _heard(tx: Transaction, space_id: SpaceId, source_id: SourceId) -> _Heard:
    taught = tx.conversations.vectors(space_id, source_id, _HEARD)
    if taught:
        return _Heard(space_id, source_id, [text for text, _ in taught], [vector for _, vector in taught])
    turns = tx.sources.turns(space_id, source_id, 0, _HEARD)
    return _Heard(space_id, source_id, [turn.text for turn in turns if turn.text.strip()], [])


def _stacked(vectors: Sequence[bytes]) -> NDArray[np.float32] | None:
    if not vectors:
        return None
    return np.frombuffer(b"".join(vectors), np.float16).reshape(len(vectors), -1).astype(np.float32)
