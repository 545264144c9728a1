"""Conversations that taught nothing, found by what was said in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import Space
from geniffy_server.ports import Transaction
from geniffy_server.recall.tokens import keys

_LOOKED_AT: Final = 500  # of the newest conversations
_LEAST: Final = 0.5  # of a question's words


def saying(
    tx: Transaction,
    space: Space,
    question: str,
    *,
    since: datetime | None,
    before: datetime | None,
    but: Collection[SourceId],
    limit: int,
) -> Sequence[SourceId]:
    """Up to `limit` conversations without a memory that hold at least half of a question's words, most of them first.

    Only the newest 500 of the period are looked at, and none that is locked or in `but`.
    """
    asked = set(keys(question))
    if limit <= 0 or not asked:
        return []
    page = tx.conversations.page(space.id, since=since, before=before, categories=(), limit=_LOOKED_AT, offset=0)
    ids = [one.id for one in page if one.id not in but and not one.locked]
    taught = tx.conversations.statements(space.id, ids, with_locked=True)
    silent = [one for one in ids if not taught[one]]
    turns = tx.conversations.turns(space.id, silent)
    held = {one: len(asked.intersection(keys(" ".join(turn.text for turn in turns[one])))) for one in silent}
    ranked = sorted((one for one in silent if held[one] >= _LEAST * len(asked)), key=lambda one: -held[one])
    return ranked[:limit]
