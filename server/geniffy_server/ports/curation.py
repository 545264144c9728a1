"""Categories, order and locks of memories, and conversations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from geniffy_server.domain.conversation import ConversationCategory, MemoryCategory, Statement
from geniffy_server.domain.curation import Conversation, Curation, CurationFilter, Sort
from geniffy_server.domain.memory import Kind, MemoryId
from geniffy_server.domain.source import SourceId, Turn
from geniffy_server.domain.space import SpaceId


@dataclass(frozen=True, slots=True)
class Uncategorized:
    """A memory whose category is to be detected, with its vector as NewMemory has it."""

    space_id: SpaceId
    id: MemoryId
    text: str
    kind: Kind
    vector: bytes


class Curations(Protocol):
    """What is kept of memories beside what they say."""

    def find_many(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Curation]:
        """Of memories of any status."""
        ...

    def page(self, space_id: SpaceId, only: CurationFilter, sort: Sort, limit: int, offset: int) -> Sequence[MemoryId]:
        """Usable memories in that order."""
        ...

    def set(self, space_id: SpaceId, memory_id: MemoryId, curation: Curation) -> None: ...
    def locked(self, space_id: SpaceId) -> Collection[MemoryId]:
        """Usable memories that are locked."""
        ...

    def uncategorized(self, space_id: SpaceId | None, limit: int) -> Sequence[Uncategorized]:
        """Memories of any status that have a vector and no category yet, of one space or with None of any."""
        ...

    def categorize(self, found: Sequence[tuple[SpaceId, MemoryId, MemoryCategory]]) -> None:
        """Keep what was detected; a category that was given stays."""
        ...


class Conversations(Protocol):
    """Sources that hold turns, by their times. `Sources` keeps the rows true when turns come and go."""

    def find_many(self, space_id: SpaceId, source_ids: Collection[SourceId]) -> Mapping[SourceId, Conversation]: ...
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
        """Last begun first: those with a turn at `since` or later and one before `before`, of one of `categories`.

        None, and no category, leave that open.
        """
        ...

    def set(self, space_id: SpaceId, conversation: Conversation) -> None:
        """Write its category, whether that was given, and its lock."""
        ...

    def uncategorized(self, space_id: SpaceId | None, limit: int) -> Sequence[tuple[SpaceId, SourceId]]:
        """Conversations that were learned and have no category yet, of one space or with None of any."""
        ...

    def categorize(self, found: Sequence[tuple[SpaceId, SourceId, ConversationCategory]]) -> None:
        """Keep what was detected; a category that was given stays."""
        ...

    def vectors(self, space_id: SpaceId, source_id: SourceId, limit: int) -> Sequence[tuple[str, bytes]]:
        """What a conversation teaches that is in use, each with its vector: the first `limit` that have one."""
        ...

    def of_memories(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Sequence[SourceId]]:
        """For each memory that a conversation tells, those conversations, in the order of its lines."""
        ...

    def turns(self, space_id: SpaceId, source_ids: Collection[SourceId]) -> Mapping[SourceId, Sequence[Turn]]:
        """The turns of each, in order."""
        ...

    def statements(
        self, space_id: SpaceId, source_ids: Collection[SourceId], *, with_locked: bool
    ) -> Mapping[SourceId, Sequence[Statement]]:
        """What each teaches that is in use, in the order it was said; empty where it teaches nothing."""
        ...
