"""What was told: sources, their passages and turns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import SourceRef
from geniffy_server.domain.source import NewPassage, Passage, PassageId, Source, SourceId, SourceStatus, Turn
from geniffy_server.domain.space import SpaceId


class Sources(Protocol):
    def find(self, space_id: SpaceId, source_id: SourceId) -> Source | None: ...
    def by_external_id(self, space_id: SpaceId, external_id: str) -> Source | None: ...
    def page(
        self, space_id: SpaceId, labels: LabelFilter, limit: int, offset: int, status: SourceStatus | None = None
    ) -> tuple[Sequence[Source], int]:
        """Newest first (order of adding), and how many match in all; with `status` only those of it."""
        ...

    def statuses(self, space_id: SpaceId) -> Mapping[SourceStatus, int]:
        """How many sources have each status; one that none has may be left out."""
        ...

    def add(self, space_id: SpaceId, source: Source, text: str | None) -> None:
        """Insert the row, its labels, and its text when the form is `text` or `correction`."""
        ...

    def update(self, space_id: SpaceId, source: Source) -> None:
        """Write every column of `source` over the row of its id, labels included."""
        ...

    def set_text(self, space_id: SpaceId, source_id: SourceId, text: str) -> None: ...
    def text(self, space_id: SpaceId, source_id: SourceId) -> str | None:
        """The text held for it: its own, or its file's; None for turns."""
        ...

    def remove(self, space_id: SpaceId, source_id: SourceId) -> None:
        """Remove the row, its text, turns, passages, labels and jobs. Lines must have been removed before."""
        ...

    def refs(self, space_id: SpaceId, source_ids: Collection[SourceId]) -> Mapping[SourceId, SourceRef]: ...
    def count(self, space_id: SpaceId) -> int: ...
    def holding(self, space_id: SpaceId, words: Collection[str]) -> Sequence[SourceId]:
        """Sources whose title, text, turns, tools or headings hold any of these, letter for letter; oldest first."""
        ...

    # Turns
    def turns(
        self, space_id: SpaceId, source_id: SourceId, first: int = 0, before: int | None = None
    ) -> Sequence[Turn]:
        """The turns from position `first` on, up to but without position `before`, in order."""
        ...

    def after_turns(self, space_id: SpaceId, source_id: SourceId) -> int:
        """The position that the next turn will have: 0 when there is none yet."""
        ...

    def append_turns(self, space_id: SpaceId, source_id: SourceId, turns: Sequence[Turn]) -> int:
        """Add turns behind those held; the position of the first one."""
        ...

    def replace_turns(self, space_id: SpaceId, source_id: SourceId, turns: Sequence[Turn]) -> None: ...
    def set_turn_text(self, space_id: SpaceId, source_id: SourceId, position: int, text: str) -> None: ...

    # Passages
    def passages(
        self, space_id: SpaceId, source_id: SourceId, first: int = 0, before: int | None = None
    ) -> Sequence[Passage]:
        """The passages from position `first` on, up to but without position `before`, in order."""
        ...

    def after_passages(self, space_id: SpaceId, source_id: SourceId) -> int:
        """The position after the last passage: 0 when there is none yet."""
        ...

    def unlearned(self, space_id: SpaceId, source_id: SourceId, limit: int) -> Sequence[Passage]:
        """The first passages in order that are not learned yet."""
        ...

    def add_passages(
        self, space_id: SpaceId, source_id: SourceId, passages: Sequence[tuple[int, NewPassage]]
    ) -> Sequence[PassageId]:
        """Insert passages, each with its position, as not learned; their ids in the same order."""
        ...

    def place_passages(self, space_id: SpaceId, places: Sequence[tuple[PassageId, int, int, int, int | None]]) -> None:
        """Give kept passages their new (id, position, start, end, turn)."""
        ...

    def set_heading(self, space_id: SpaceId, passage_id: PassageId, heading: str | None) -> None: ...
    def remove_passages(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> None: ...
    def mark_learned(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> None: ...
    def mark_unlearned(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> None: ...
