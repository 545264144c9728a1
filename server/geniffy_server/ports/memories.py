"""Memories with their lines, and the rows that recall keeps in RAM."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import Kind, Line, Memory, MemoryId, NewMemory, Status
from geniffy_server.domain.source import PassageId, SourceId
from geniffy_server.domain.space import SpaceId


@dataclass(frozen=True, slots=True)
class ShardRow:
    """What recall keeps of one memory in RAM. `spoken_low` and `spoken_high` are proleptic ordinals, 0 for none."""

    id: MemoryId
    rev: int
    vector: bytes
    tokens: bytes
    kind: Kind
    about: str | None
    first_person: bool
    said_on: int
    spoken_low: int
    spoken_high: int
    source_id: SourceId
    position: int


class Memories(Protocol):
    def find(self, space_id: SpaceId, memory_id: MemoryId) -> Memory | None:
        """Of any status."""
        ...

    def find_many(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Memory]:
        """Those that exist, of any status."""
        ...

    def page(
        self, space_id: SpaceId, kind: Kind | None, labels: LabelFilter, limit: int, offset: int
    ) -> Sequence[Memory]:
        """Usable memories (current, clash), newest first by id."""
        ...

    def counts(self, space_id: SpaceId, labels: LabelFilter) -> Mapping[str, int]:
        """Usable memories by kind, every kind present."""
        ...

    def matching(self, space_id: SpaceId, labels: LabelFilter) -> Collection[MemoryId]:
        """Ids of usable memories that a source carrying those labels teaches. The filter is not empty."""
        ...

    def every(self, space_id: SpaceId) -> Iterable[Memory]:
        """Every memory of any status, oldest first, for export."""
        ...

    def replaced_by(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Sequence[Memory]:
        """The memories that these replaced or corrected, one step back, oldest first."""
        ...

    def about(self, space_id: SpaceId, about: str, limit: int) -> Sequence[Memory]:
        """Usable memories with that subject, newest first."""
        ...

    def saying(self, space_id: SpaceId, words: str, limit: int = 1) -> Sequence[Memory]:
        """Memories of any status that hold these words, letter for letter, in text, quotes or subject; newest first."""
        ...

    def subjects(self, space_id: SpaceId, limit: int) -> Sequence[str]:
        """Distinct subjects of usable memories, most frequent first."""
        ...

    def by_statement(self, space_id: SpaceId, statements: Collection[bytes]) -> Mapping[bytes, MemoryId]:
        """Usable memories that say exactly this."""
        ...

    def add(self, space_id: SpaceId, memory: NewMemory, line: Line, rev: int) -> MemoryId:
        """Insert a memory with its first line and its vector; ids grow and are never used again."""
        ...

    def rewrite(
        self, space_id: SpaceId, memory_id: MemoryId, memory: NewMemory, line: Line, rev: int, now: datetime
    ) -> MemoryId:
        """Give a memory other words under its id, with this one line; the id under which its old ones are history.

        What it said goes there as `wrong`, with its lines, its vector and what it had replaced. It is noted as edited.
        """
        ...

    def add_line(self, space_id: SpaceId, memory_id: MemoryId, line: Line, rev: int) -> None:
        """Add one more line; the same words at the same place again change nothing."""
        ...

    def lines(self, space_id: SpaceId, memory_id: MemoryId) -> Sequence[Line]:
        """Its lines, earliest first."""
        ...

    def lines_of_source(self, space_id: SpaceId, source_id: SourceId) -> Sequence[tuple[MemoryId, Line]]: ...
    def shown_by(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> Mapping[MemoryId, str]:
        """Memories whose first line stands in those passages, each with that line's quote."""
        ...

    def cut_lines(self, space_id: SpaceId, passage_ids: Collection[PassageId], rev: int) -> Sequence[MemoryId]:
        """Remove every line of those passages; the ids of memories that have no line left.

        A memory whose first line went and that has another shows that one from now on.
        """
        ...

    def set_status(
        self, space_id: SpaceId, memory_id: MemoryId, status: Status, replaced_by: MemoryId | None, rev: int
    ) -> None: ...
    def add_clash(self, space_id: SpaceId, one: MemoryId, other: MemoryId) -> None:
        """Note that two memories contradict each other; in either order it is the same pair."""
        ...

    def clashing_with(
        self, space_id: SpaceId, memory_ids: Collection[MemoryId]
    ) -> Mapping[MemoryId, Collection[MemoryId]]:
        """For each of these that contradicts others, the ids of those others."""
        ...

    def end_clashes(self, space_id: SpaceId, memory_id: MemoryId) -> None:
        """Remove every pair that this memory is one of."""
        ...

    def remove(self, space_id: SpaceId, memory_ids: Collection[MemoryId], rev: int, now: datetime) -> None:
        """Remove memories with their lines, vectors, tokens and clashes, leaving tombstones that hold only the ids.

        Ask `replaced_by` before: what these replaced no longer names a successor afterwards.
        """
        ...

    def taught(self, space_id: SpaceId, source_id: SourceId) -> int:
        """How many usable memories the source teaches."""
        ...

    def refuse(self, space_id: SpaceId, statements: Collection[bytes]) -> None: ...
    def refused(self, space_id: SpaceId, statements: Collection[bytes]) -> Collection[bytes]:
        """Those among `statements` that were forgotten or corrected and must not be learned again."""
        ...

    def statement(self, space_id: SpaceId, memory_id: MemoryId) -> bytes | None: ...

    # The cache
    def shard_rows(self, space_id: SpaceId, after_rev: int) -> Iterable[ShardRow]:
        """Usable memories stamped after that version; -1 for all."""
        ...

    def gone(self, space_id: SpaceId, after_rev: int) -> Sequence[MemoryId]:
        """Memories removed, or no longer usable, after that version."""
        ...

    def oldest_tombstone(self, space_id: SpaceId) -> int:
        """Every removal after this version is still known; a cache older than it is loaded anew."""
        ...

    def without_vector(self, limit: int) -> Sequence[tuple[SpaceId, MemoryId, str, str | None]]:
        """Memories of any space whose vector is empty, each with its `domain.memory.embedded_text`.

        Last comes what another participant said right before the line that is shown with it, None elsewhere.
        """
        ...

    def unasked(self, space_id: SpaceId, memory_ids: Collection[MemoryId], rev: int) -> None:
        """Let go of the questions before these memories: their search keys, and vectors that have a share of them."""
        ...

    def keyed_behind(self, after: MemoryId, limit: int) -> Sequence[tuple[SpaceId, MemoryId, str, str | None, bytes]]:
        """Memories of any space whose ids follow `after`, by id: text, subject, and its search keys as stored."""
        ...

    def set_keys(self, rows: Sequence[tuple[SpaceId, MemoryId, bytes, int]]) -> None:
        """Store all search keys of some memories anew, each with the revision of its space."""
        ...

    def own_keys(self, space_id: SpaceId, memory_id: MemoryId) -> bytes:
        """A memory's search keys without those of the questions before it; empty when it is not there."""
        ...

    def reword(
        self,
        space_id: SpaceId,
        memory_id: MemoryId,
        text: str,
        *,
        about: str | None,
        how: str,
        statement: bytes,
        keys: bytes,
        rev: int,
    ) -> None:
        """Give a memory other words and nothing of the old ones: `keys` are all of its search keys, its vector goes."""
        ...

    def set_vectors(self, vectors: Sequence[tuple[SpaceId, MemoryId, bytes, int]]) -> None:
        """Write vectors, each stamped with the version that its space has now (the last of the four)."""
        ...

    def drop_vectors(self) -> None:
        """Empty every vector, because the embedder changed."""
        ...
