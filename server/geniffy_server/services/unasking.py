"""What answers a question lies near it: when the question's words go, nothing of them stays with the answer.

Inside one write transaction, the search keys of the question go and so does the vector that has a share of it; the
worker makes it anew from the words that are left. An answer that was worded with its question is left with the words of
its quote alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from geniffy_server.domain.memory import OWNER, Memory, MemoryId, occasion_of, statement_of
from geniffy_server.domain.source import NewPassage, Passage, PassageId, SourceId
from geniffy_server.domain.space import Space, SpaceId
from geniffy_server.learn import wording
from geniffy_server.learn.learn import ANSWER
from geniffy_server.learn.quotes import normalised
from geniffy_server.ports import Transaction
from geniffy_server.recall.tokens import keys


def unask(tx: Transaction, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> None:
    """Let go of the questions before these memories."""
    if not memory_ids:
        return
    rev = tx.spaces.version(space_id)
    tx.memories.unasked(space_id, memory_ids, rev)
    space = tx.spaces.by_id(space_id)
    if space is not None:
        for memory in tx.memories.find_many(space_id, memory_ids).values():
            if memory.how == ANSWER:
                _reword(tx, space, memory, rev)


def _reword(tx: Transaction, space: Space, memory: Memory, rev: int) -> None:
    """Give an answer the words of its quote, and its subject only where they or the one who spoke name it."""
    words = wording.plain(memory.quote)
    about = memory.about
    is_speaker = about is not None and memory.text.startswith(f"{about}: ")
    if is_speaker and about is not None:
        words = wording.said_by(about, words)
    elif about != OWNER and (about is None or about.casefold() not in words.casefold()):
        about = None
    own = Counter(np.frombuffer(tx.memories.own_keys(space.id, memory.id), "<u4").tolist())
    own -= Counter(keys(memory.text) + keys(memory.about or ""))
    own += Counter(keys(words) + keys(about or ""))
    normal = "\x1f".join(part for part in (normalised(words), occasion_of(memory.spoken)) if part)
    tx.memories.reword(
        space.id,
        memory.id,
        words,
        about=about,
        how="none" if about is None else "inherited",
        statement=statement_of(space.secret, normal, None if (about or "").casefold() in words.casefold() else about),
        keys=np.array(list(own.elements()), "<u4").tobytes(),
        rev=rev,
    )


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
