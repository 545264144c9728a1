"""Statements on conversations: sources that hold turns, by their times, and what they teach in their order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, and_, bindparam, delete, func, insert, select, update

from geniffy_server.domain.conversation import ConversationCategory, Statement
from geniffy_server.domain.curation import Conversation
from geniffy_server.domain.memory import USABLE, MemoryId
from geniffy_server.domain.source import SourceId, Turn
from geniffy_server.domain.space import SpaceId
from geniffy_server.storage.batches import in_batches
from geniffy_server.storage.memories import spoken_of
from geniffy_server.storage.schema import (
    AnyRow,
    conversations,
    memories,
    memory_lines,
    memory_vectors,
    passages,
    sources,
    turns,
)
from geniffy_server.storage.turn_rows import turn_of

_CHOSEN: BindParameter[Any] = bindparam("chosen", expanding=True)
_OWN = ("started_at", "finished_at", "category", "category_given", "locked")
_OF_SOURCE = ("id", "title", "title_given", "labels", "added_at", "added_by")

_CONVERSATION = (
    select(*(sources.c[name] for name in _OF_SOURCE), *(conversations.c[name] for name in _OWN))
    .select_from(
        conversations.join(
            sources, and_(sources.c.space_id == conversations.c.space_id, sources.c.id == conversations.c.source_id)
        )
    )
    .where(conversations.c.space_id == bindparam("space_id"))
)
_FIND_MANY = _CONVERSATION.where(conversations.c.source_id.in_(_CHOSEN))
_of_conversation = (
    conversations.c.space_id == bindparam("in_space"),
    conversations.c.source_id == bindparam("of_source"),
)
_TIMES = select(conversations.c.started_at, conversations.c.finished_at).where(*_of_conversation)
_ADD = insert(conversations)
_SET = (
    update(conversations)
    .where(*_of_conversation)
    .values({name: bindparam(f"new_{name}") for name in ("category", "category_given", "locked")})
)
_SET_TIMES = (
    update(conversations).where(*_of_conversation).values(started_at=bindparam("first"), finished_at=bindparam("last"))
)
_is_detected = (*_of_conversation, conversations.c.category_given.is_(False))
_UNSETTLE = update(conversations).where(*_is_detected).values(category=None)
_CATEGORIZE = update(conversations).where(*_is_detected).values(category=bindparam("found"))
_REMOVE = delete(conversations).where(*_of_conversation)
_ADDED_AT = select(sources.c.added_at).where(
    sources.c.space_id == bindparam("space_id"), sources.c.id == bindparam("source_id")
)
_UNCATEGORIZED = (
    select(conversations.c.space_id, conversations.c.source_id)
    .select_from(
        conversations.join(
            sources, and_(sources.c.space_id == conversations.c.space_id, sources.c.id == conversations.c.source_id)
        )
    )
    .where(conversations.c.category.is_(None), sources.c.status != "reading")
    .order_by(conversations.c.space_id, conversations.c.source_id)
    .limit(bindparam("most"))
)
_VECTORS = (
    select(memories.c.text, memory_vectors.c.vec)
    .select_from(
        memory_lines.join(
            memories, and_(memories.c.space_id == memory_lines.c.space_id, memories.c.id == memory_lines.c.memory_id)
        ).join(
            memory_vectors,
            and_(
                memory_vectors.c.space_id == memory_lines.c.space_id,
                memory_vectors.c.memory_id == memory_lines.c.memory_id,
            ),
        )
    )
    .where(
        memory_lines.c.space_id == bindparam("space_id"),
        memory_lines.c.source_id == bindparam("source_id"),
        memories.c.status.in_(USABLE),
        func.length(memory_vectors.c.vec) > 0,
    )
    .order_by(memories.c.id, memory_lines.c.n)
    .limit(bindparam("most"))
)
_SOURCES_OF = (
    select(memory_lines.c.memory_id, memory_lines.c.source_id)
    .select_from(
        memory_lines.join(
            conversations,
            and_(
                conversations.c.space_id == memory_lines.c.space_id,
                conversations.c.source_id == memory_lines.c.source_id,
            ),
        )
    )
    .where(memory_lines.c.space_id == bindparam("space_id"), memory_lines.c.memory_id.in_(_CHOSEN))
    .order_by(memory_lines.c.memory_id, memory_lines.c.n)
)
_TURNS = (
    select(turns)
    .where(turns.c.space_id == bindparam("space_id"), turns.c.source_id.in_(_CHOSEN))
    .order_by(turns.c.source_id, turns.c.position)
)
_HOLDING_TURNS = select(turns.c.source_id).where(turns.c.space_id == bindparam("space_id")).distinct()
_STATEMENTS = (
    select(
        memory_lines.c.source_id,
        memory_lines.c.quote,
        memory_lines.c.said_at,
        memories.c.text,
        memories.c.about,
        memories.c.kind,
        memories.c.first_person,
        memories.c.spoken_low,
        memories.c.spoken_high,
        memories.c.spoken_precision,
        memories.c.spoken_clock,
        turns.c.name,
    )
    .select_from(
        memory_lines.join(
            memories, and_(memories.c.space_id == memory_lines.c.space_id, memories.c.id == memory_lines.c.memory_id)
        )
        .join(
            passages,
            and_(passages.c.space_id == memory_lines.c.space_id, passages.c.id == memory_lines.c.passage_id),
        )
        .outerjoin(
            turns,
            and_(
                turns.c.space_id == passages.c.space_id,
                turns.c.source_id == passages.c.source_id,
                turns.c.position == passages.c.turn,
            ),
        )
    )
    .where(
        memory_lines.c.space_id == bindparam("space_id"),
        memory_lines.c.source_id.in_(_CHOSEN),
        memories.c.status.in_(USABLE),
    )
    .order_by(memory_lines.c.source_id, passages.c.position, memory_lines.c.start, memory_lines.c.memory_id)
)


class ConversationRows:
    """`ports.Conversations` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find_many(self, space_id: SpaceId, source_ids: Collection[SourceId]) -> Mapping[SourceId, Conversation]:
        found: dict[SourceId, Conversation] = {}
        for batch in in_batches(source_ids):
            for row in self._connection.execute(_FIND_MANY, {"space_id": space_id, "chosen": batch}):
                found[SourceId(row.id)] = _conversation(row)
        return found

    def page(
        self,
        space_id: SpaceId,
        *,
        since: datetime | None,
        before: datetime | None,
        categories: Collection[ConversationCategory],
        limit: int,
        offset: int,
    ) -> Sequence[Conversation]:
        chosen = _CONVERSATION
        if since is not None:
            chosen = chosen.where(conversations.c.finished_at >= since)
        if before is not None:
            chosen = chosen.where(conversations.c.started_at < before)
        if categories:
            chosen = chosen.where(conversations.c.category.in_(list(categories)))
        chosen = chosen.order_by(conversations.c.started_at.desc(), sources.c.n.desc()).limit(limit).offset(offset)
        return [_conversation(row) for row in self._connection.execute(chosen, {"space_id": space_id})]

    def set(self, space_id: SpaceId, conversation: Conversation) -> None:
        new = {f"new_{name}": getattr(conversation, name) for name in ("category", "category_given", "locked")}
        self._connection.execute(_SET, {"in_space": space_id, "of_source": conversation.id, **new})

    def uncategorized(self, space_id: SpaceId | None, limit: int) -> Sequence[tuple[SpaceId, SourceId]]:
        wanted = _UNCATEGORIZED if space_id is None else _UNCATEGORIZED.where(conversations.c.space_id == space_id)
        rows = self._connection.execute(wanted, {"most": limit})
        return [(SpaceId(row.space_id), SourceId(row.source_id)) for row in rows]

    def categorize(self, found: Sequence[tuple[SpaceId, SourceId, ConversationCategory]]) -> None:
        rows = [{"in_space": space, "of_source": source, "found": category} for space, source, category in found]
        if rows:
            self._connection.execute(_CATEGORIZE, rows)

    def vectors(self, space_id: SpaceId, source_id: SourceId, limit: int) -> Sequence[tuple[str, bytes]]:
        wanted = {"space_id": space_id, "source_id": source_id, "most": limit}
        return [(row.text, row.vec) for row in self._connection.execute(_VECTORS, wanted)]

    def of_memories(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Sequence[SourceId]]:
        found: dict[MemoryId, list[SourceId]] = {}
        for batch in in_batches(memory_ids):
            for row in self._connection.execute(_SOURCES_OF, {"space_id": space_id, "chosen": batch}):
                found.setdefault(MemoryId(row.memory_id), []).append(SourceId(row.source_id))
        return found

    def turns(self, space_id: SpaceId, source_ids: Collection[SourceId]) -> Mapping[SourceId, Sequence[Turn]]:
        found: dict[SourceId, list[Turn]] = {source_id: [] for source_id in source_ids}
        for batch in in_batches(source_ids):
            for row in self._connection.execute(_TURNS, {"space_id": space_id, "chosen": batch}):
                found[SourceId(row.source_id)].append(turn_of(row))
        return found

    def statements(
        self, space_id: SpaceId, source_ids: Collection[SourceId], *, with_locked: bool
    ) -> Mapping[SourceId, Sequence[Statement]]:
        wanted = _STATEMENTS if with_locked else _STATEMENTS.where(memories.c.locked.is_(False))
        found: dict[SourceId, list[Statement]] = {source_id: [] for source_id in source_ids}
        for batch in in_batches(source_ids):
            for row in self._connection.execute(wanted, {"space_id": space_id, "chosen": batch}):
                found[SourceId(row.source_id)].append(_statement(row))
        return found


def note_turns(
    connection: Connection, space_id: SpaceId, source_id: SourceId, told: Sequence[Turn], *, afresh: bool
) -> None:
    """Keep the row of a conversation true to its turns: `told` are all of them, or without `afresh` what is new.

    Its category is detected again; one that a person gave stays, as does its lock.
    """
    of = {"in_space": space_id, "of_source": source_id}
    if not told:
        if afresh:
            connection.execute(_REMOVE, of)
        return
    times = [turn.said_at for turn in told if turn.said_at is not None]
    if len(times) < len(told):
        times.append(connection.execute(_ADDED_AT, {"space_id": space_id, "source_id": source_id}).scalar_one())
    held = connection.execute(_TIMES, of).one_or_none()
    if held is None:
        row = {"space_id": space_id, "source_id": source_id, "started_at": min(times), "finished_at": max(times)}
        connection.execute(_ADD, {**row, "category": None, "category_given": False, "locked": False})
        return
    if not afresh:
        times += held
    connection.execute(_SET_TIMES, {**of, "first": min(times), "last": max(times)})
    connection.execute(_UNSETTLE, of)


def find_conversations(connection: Connection, space_id: SpaceId) -> None:
    """Make the rows of every conversation of a space anew, from the turns that it holds."""
    for source_id in connection.execute(_HOLDING_TURNS, {"space_id": space_id}).scalars().all():
        rows = connection.execute(_TURNS, {"space_id": space_id, "chosen": [source_id]})
        note_turns(connection, space_id, SourceId(source_id), [turn_of(row) for row in rows], afresh=True)


def unsettle_category(connection: Connection, space_id: SpaceId, source_id: SourceId) -> None:
    """Have a conversation's category detected again, for its words changed; one that a person gave stays."""
    connection.execute(_UNSETTLE, {"in_space": space_id, "of_source": source_id})


def _conversation(row: AnyRow) -> Conversation:
    return Conversation(**{name: getattr(row, name) for name in (*_OF_SOURCE, *_OWN)})


def _statement(row: AnyRow) -> Statement:
    return Statement(
        text=row.text,
        quote=row.quote,
        about=row.about,
        kind=row.kind,
        spoken=spoken_of(row),
        said_at=row.said_at,
        said_by=row.name,
        first_person=row.first_person,
    )
