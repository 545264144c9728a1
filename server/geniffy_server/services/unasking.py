"""What answers a question lies near it: when the question's words go, nothing of them stays with the answer.

Inside one write transaction, the search keys of the question go and so does the vector that has a share of it; the
worker makes it anew from the words that are left.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from geniffy_server.domain.memory import MemoryId
from geniffy_server.domain.source import NewPassage, Passage, PassageId, SourceId
from geniffy_server.domain.space import SpaceId
from geniffy_server.ports import Transaction


def unask(tx: Transaction, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> None:
    """Let go of the questions before these memories."""
    if memory_ids:
        tx.memories.unasked(space_id, memory_ids, tx.spaces.version(space_id))


def unask_behind(tx: Transaction, space_id: SpaceId, source_id: SourceId, turns: Collection[int]) -> None:
    """Let go of what these turns of a conversation asked."""
    if not turns:
        return
    behind = [
        passage.id
        for passage in tx.sources.passages(space_id, source_id)
        if passage.turn is not None and passage.turn - 1 in turns
    ]
    unask(tx, space_id, tx.memories.shown_by(space_id, behind).keys())


def unask_moved(
    tx: Transaction, space_id: SpaceId, held: Sequence[Passage], kept: Sequence[tuple[Passage, NewPassage]]
) -> None:
    """Let go of the questions before passages that stay while another turn now stands before them."""
    at_first = {passage.turn: passage.id for passage in held if passage.turn is not None}
    now = {new.turn: old.id for old, new in kept if new.turn is not None}
    moved = [old.id for old, new in kept if _before(at_first, old.turn) != _before(now, new.turn)]
    if moved:
        unask(tx, space_id, tx.memories.shown_by(space_id, moved).keys())


def _before(passages: Mapping[int, PassageId], turn: int | None) -> PassageId | None:
    return None if turn is None else passages.get(turn - 1)
