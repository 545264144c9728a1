"""Conversations as they are listed, found and read back: with what they come to, worked out from what is held now.

Nothing of a summary is stored but its category: a memory that was forgotten or corrected is gone from it at once.
Locks bind here: this is what the Omi tools call (decisions 19).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from geniffy_server.caller import Caller
from geniffy_server.domain.conversation import ActionItem, ConversationCategory, Statement, Summary
from geniffy_server.domain.curation import Conversation
from geniffy_server.domain.memory import OWNER
from geniffy_server.domain.source import SourceId, Turn
from geniffy_server.domain.space import Space
from geniffy_server.errors import Locked
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import readable
from geniffy_server.services.answers import MAX_QUESTION_CHARS
from geniffy_server.services.categorizing import categorized_space
from geniffy_server.services.curating import held_conversation
from geniffy_server.services.summaries import gist_of
from geniffy_server.services.untaught import saying

_FIRST_HITS: Final = 100  # memories that a search for conversations looks at before it looks at more
_MORE_HITS: Final = 4  # times as many, each time that they are of too few conversations
_EVERY: Final = 1_000_000  # conversations of a period; no space holds more


@dataclass(frozen=True, slots=True)
class Segment:
    """One turn of a transcript. `start` and `end` are seconds from the first turn.

    Of messages nobody knows how long they took to say, so one ends where the next begins, and the last one where it
    begins. `speaker_id` counts speakers from 0 in the order in which they first speak.
    """

    id: str
    text: str
    speaker_id: int
    speaker_name: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class SummedUp:
    """A conversation with what it comes to; of one that is locked, no action items and no events at the Omi tools."""

    conversation: Conversation
    summary: Summary
    language: str


@dataclass(frozen=True, slots=True)
class WholeConversation:
    """A conversation with what it comes to and its transcript."""

    summed_up: SummedUp
    segments: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class _Read:
    """What a summary is worked out from."""

    conversation: Conversation
    turns: Sequence[Turn]
    statements: Sequence[Statement]


async def list_conversations(
    ports: Ports,
    caller: Caller,
    *,
    first_day: date | None,
    last_day: date | None,
    categories: Collection[ConversationCategory],
    limit: int,
    offset: int,
) -> Sequence[SummedUp]:
    """A page of conversations, last begun first; empty for a space that holds none.

    Those that went on between `first_day` and `last_day`, both included, as the account's time zone has days: one that
    was begun before and carried on after them is among them.
    """
    space = await categorized_space(ports, caller)
    if space is None:
        return []

    def work(tx: Transaction) -> Sequence[_Read]:
        since, before = _period(tx, caller, first_day, last_day)
        page = tx.conversations.page(
            space.id, since=since, before=before, categories=categories, limit=limit, offset=offset
        )
        return _read(tx, space, page)

    read = await ports.store.read(work)
    return await asyncio.to_thread(lambda: [_summed_up(space, one) for one in read])


async def search_conversations(
    ports: Ports, caller: Caller, question: str, *, first_day: date | None, last_day: date | None, limit: int
) -> Sequence[SummedUp]:
    """The conversations whose memories match best, best first; behind them those without any that have its words."""
    space = await categorized_space(ports, caller)
    if space is None:
        return []

    def work(tx: Transaction) -> Sequence[_Read]:
        since, before = _period(tx, caller, first_day, last_day)
        within = None
        if since is not None or before is not None:
            page = tx.conversations.page(space.id, since=since, before=before, categories=(), limit=_EVERY, offset=0)
            within = {one.id for one in page}
        asked = question[:MAX_QUESTION_CHARS]
        ranked = list(nearest(ports, tx, space, asked, within, limit))
        ranked += saying(tx, space, asked, since=since, before=before, but=ranked, limit=limit - len(ranked))
        held = tx.conversations.find_many(space.id, ranked)
        return _read(tx, space, [held[one] for one in ranked])

    read = await ports.store.read(work)
    return await asyncio.to_thread(lambda: [_summed_up(space, one) for one in read])


async def get_conversation(ports: Ports, caller: Caller, source_id: SourceId) -> WholeConversation:
    """A conversation with its transcript. Raises NotFound, Locked."""
    await categorized_space(ports, caller)

    def work(tx: Transaction) -> tuple[Space, _Read]:
        space = readable(tx, caller)
        conversation = held_conversation(tx, space, source_id)
        assert space is not None
        if conversation.locked:
            raise Locked(
                f"The conversation {source_id} is locked (a paid plan is required); unlock it on the sources page, or "
                "with `geniffy-server unlock conversation`."
            )
        return space, _read(tx, space, [conversation])[0]

    space, read = await ports.store.read(work)
    return await asyncio.to_thread(
        lambda: WholeConversation(_summed_up(space, read), segments(read.turns, space.owner_name))
    )


async def conversation_summary(ports: Ports, caller: Caller, source_id: SourceId) -> SummedUp | None:
    """What a conversation comes to, with all that a lock hides: for its owner. None for a source that is none."""
    await categorized_space(ports, caller)

    def work(tx: Transaction) -> tuple[Space, _Read] | None:
        space = readable(tx, caller)
        found = tx.conversations.find_many(space.id, [source_id]).get(source_id) if space else None
        return None if space is None or found is None else (space, _read(tx, space, [found], with_locked=True)[0])

    read = await ports.store.read(work)
    return None if read is None else await asyncio.to_thread(_summed_up, *read, hides=False)


def segments(turns: Sequence[Turn], owner: str | None) -> list[Segment]:
    """The turns that hold words, in their order; `owner` is what the memory's owner is called, if that is known."""
    spoken = [(place, turn) for place, turn in enumerate(turns) if turn.text.strip()]
    times = [turn.said_at for _, turn in spoken if turn.said_at is not None]
    first = min(times) if times else None
    starts = [_seconds(turn.said_at, first) for _, turn in spoken]
    ends = [max(start, after) for start, after in zip(starts, [*starts[1:], *starts[-1:]], strict=True)]
    speakers: dict[tuple[str, str | None], int] = {}
    return [
        Segment(
            id=str(place),
            text=turn.text,
            speaker_id=speakers.setdefault((turn.role, turn.name), len(speakers)),
            speaker_name=turn.name or (owner if turn.role == "user" and owner else turn.role.capitalize()),
            start=start,
            end=end,
        )
        for (place, turn), start, end in zip(spoken, starts, ends, strict=True)
    ]


def nearest(
    ports: Ports, tx: Transaction, space: Space, question: str, within: Collection[SourceId] | None, limit: int
) -> Sequence[SourceId]:
    """Up to `limit` conversations by the best memory of each, best first; of those `within`, with None of any.

    More memories of one conversation do not speak for it: counted in any way, they found no more (717 questions).
    """
    locked = tx.curations.locked(space.id)
    hits = _FIRST_HITS
    while True:
        found = ports.recall.search(tx, space, question, limit=hits, is_judged=False)
        ids = [hit.memory.id for hit in found if hit.memory.id not in locked]
        told_in = tx.conversations.of_memories(space.id, ids)
        ranked = dict.fromkeys(talk for one in ids for talk in told_in.get(one, ()) if within is None or talk in within)
        if len(ranked) >= limit or len(found) < hits:
            return list(ranked)[:limit]
        hits *= _MORE_HITS


def _period(
    tx: Transaction, caller: Caller, first_day: date | None, last_day: date | None
) -> tuple[datetime | None, datetime | None]:
    """The days as points in time, the second excluded; None where the period is open."""
    account = tx.accounts.by_id(caller.account_id)
    zone = ZoneInfo(account.time_zone if account else "UTC")
    return _begins(first_day, zone), _begins(_next(last_day), zone)


def _next(day: date | None) -> date | None:
    """The day after; None when there is none."""
    return None if day is None or day == date.max else day + timedelta(days=1)


def _begins(day: date | None, zone: ZoneInfo) -> datetime | None:
    if day is None:
        return None
    try:
        return datetime.combine(day, time(), zone).astimezone(UTC)
    except OverflowError:  # the first and the last day there is, in zones where they begin beyond it
        return datetime.min.replace(tzinfo=UTC) if day == date.min else datetime.max.replace(tzinfo=UTC)


def _read(tx: Transaction, space: Space, page: Sequence[Conversation], *, with_locked: bool = False) -> Sequence[_Read]:
    ids = [one.id for one in page]
    turns = tx.conversations.turns(space.id, ids)
    statements = tx.conversations.statements(space.id, ids, with_locked=with_locked)
    return [_Read(one, turns[one.id], statements[one.id]) for one in page]


def _summed_up(space: Space, read: _Read, *, hides: bool = True) -> SummedUp:
    """What a conversation comes to; its category is `other` until it was learned. A lock `hides` a part of it."""
    held, gist = read.conversation, gist_of(read.turns, read.statements)
    is_hidden = held.locked and hides
    summary = Summary(
        title=held.title if held.title_given else gist.title or held.title,
        overview=gist.overview,
        category=held.category or "other",
        action_items=() if is_hidden else tuple(_named(item, space) for item in gist.action_items),
        events=() if is_hidden else tuple(gist.events),
    )
    return SummedUp(held, summary, gist.language)


def _named(item: ActionItem, space: Space) -> ActionItem:
    return replace(item, owner=space.owner_name) if item.owner == OWNER else item


def _seconds(moment: datetime | None, first: datetime | None) -> float:
    return round((moment - first).total_seconds(), 3) if moment is not None and first is not None else 0.0
