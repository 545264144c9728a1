"""Label filters as conditions on sources and on memories (contract 1.10)."""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, Select, and_, select

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.space import SpaceId
from geniffy_server.errors import BadInput
from geniffy_server.storage.schema import memories, memory_lines, source_labels, sources

MAX_FILTER_VALUES: Final = 10_000  # far below what a statement takes


def source_carries(space_id: SpaceId, labels: LabelFilter) -> ColumnElement[bool]:
    """Whether a row of `sources` carries the whole filter."""
    return and_(*(sources.c.id.in_(chosen) for chosen in _carriers(space_id, labels)))


def memory_carries(space_id: SpaceId, labels: LabelFilter) -> ColumnElement[bool]:
    """Whether one source that teaches a row of `memories` carries the whole filter."""
    return (
        select(memory_lines.c.n)
        .where(
            memory_lines.c.space_id == space_id,
            memory_lines.c.memory_id == memories.c.id,
            *(memory_lines.c.source_id.in_(chosen) for chosen in _carriers(space_id, labels)),
        )
        .correlate(memories)
        .exists()
    )


def _carriers(space_id: SpaceId, labels: LabelFilter) -> list[Select[tuple[str]]]:
    if sum(len(values) for values in labels.values()) > MAX_FILTER_VALUES:
        raise BadInput(f"A label filter lists up to {MAX_FILTER_VALUES:,} values.", "bad_labels")
    return [
        select(source_labels.c.source_id).where(
            source_labels.c.space_id == space_id,
            source_labels.c.name == name,
            source_labels.c.value.in_(sorted(set(values))),
        )
        for name, values in labels.items()
    ]
