"""One space of a store, as much of it as recall reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import Kind, Memory, MemoryId, SourceRef, Spoken, Status, embedded_text
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import AccountId, Space, SpaceId
from geniffy_server.models.minilm import MiniLM
from geniffy_server.ports import ShardRow
from geniffy_server.recall.recall import ShardRecall
from geniffy_server.recall.vectors import encoded

SAID = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)


class FrozenClock:
    def now(self) -> datetime:
        return SAID


class SpaceInMemory:
    """Stands in for the transaction too: `tx.memories` and `tx.spaces` are this object."""

    def __init__(self, embedder: MiniLM, space_id: int = 1, owner_name: str | None = None) -> None:
        self.space = Space(SpaceId(space_id), AccountId(1), "notes", 0, b"secret", owner_name)
        self._embedder = embedder
        self._recall = ShardRecall(embedder, budget_bytes=1, clock=FrozenClock())
        self._rows: dict[MemoryId, ShardRow] = {}
        self._held: dict[MemoryId, Memory] = {}
        self._tombstones: dict[MemoryId, int] = {}
        self._version = 0
        self.loads = 0
        self.known_removals_after = 0

    @property
    def memories(self) -> Any:
        return self

    @property
    def spaces(self) -> Any:
        return self

    def add(
        self,
        text: str,
        about: str | None = None,
        *,
        kind: Kind = "detail",
        quote: str | None = None,
        first_person: bool = False,
        said_at: datetime = SAID,
        spoken: Spoken | None = None,
        source: str = "",
        position: int = 0,
        labels: Mapping[str, str] | None = None,
        status: Status = "current",
        vector: bytes | None = None,
        said_by: str | None = None,
        asked: str | None = None,
    ) -> MemoryId:
        memory_id = MemoryId(len(self._held) + 1)
        version = self._version + 1
        source_id = SourceId(source or f"source{memory_id}")
        words = embedded_text(text, quote or text, first_person=first_person)
        self._held[memory_id] = Memory(
            id=memory_id,
            text=text,
            kind=kind,
            about=about,
            how="test",
            status=status,
            quote=quote or text,
            said_at=said_at,
            learned_at=said_at,
            spoken=spoken,
            replaced_by=None,
            source=SourceRef(source_id, "note", "A note", False, labels or {}),
        )
        self._rows[memory_id] = ShardRow(
            id=memory_id,
            rev=version,
            vector=encoded(self._embedder.embed([words])[0]) if vector is None else vector,
            tokens=self._recall.tokens(text, about, said_at, said_by=said_by, asked=asked),
            kind=kind,
            about=about,
            first_person=first_person,
            said_on=said_at.date().toordinal(),
            spoken_low=spoken.low.toordinal() if spoken else 0,
            spoken_high=spoken.high.toordinal() if spoken else 0,
            source_id=source_id,
            position=position,
        )
        self._version = version  # last: a reader of this version finds all of it
        return memory_id

    def remove(self, memory_id: MemoryId) -> None:
        del self._rows[memory_id], self._held[memory_id]
        self._tombstones[memory_id] = self._version + 1
        self._version += 1

    def forget_without_a_trace(self, memory_id: MemoryId) -> None:
        """As if another process removed it between the version's reading and the fetching."""
        del self._held[memory_id]

    # What recall asks a transaction for

    def version(self, space_id: SpaceId) -> int:
        return self._version

    def shard_rows(self, space_id: SpaceId, after_rev: int) -> Iterable[ShardRow]:
        self.loads += after_rev == -1
        return [row for row in list(self._rows.values()) if row.rev > after_rev]

    def gone(self, space_id: SpaceId, after_rev: int) -> Sequence[MemoryId]:
        return [memory_id for memory_id, rev in self._tombstones.items() if rev > after_rev]

    def oldest_tombstone(self, space_id: SpaceId) -> int:
        return self.known_removals_after

    def find_many(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Memory]:
        return {one: self._held[one] for one in memory_ids if one in self._held}

    def matching(self, space_id: SpaceId, labels: LabelFilter) -> Collection[MemoryId]:
        return [
            one.id
            for one in self._held.values()
            if one.source and all(one.source.labels.get(name) in values for name, values in labels.items())
        ]
