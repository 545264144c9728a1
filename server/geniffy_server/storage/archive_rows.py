"""How the rows of a space are written in an archive: what belongs in it, and each value as JSON."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Boolean, Column, Integer, LargeBinary, Table, Text

from geniffy_server.domain.text import keepable
from geniffy_server.errors import BadInput
from geniffy_server.storage.schema import (
    Instant,
    LabelsText,
    Said,
    clashes,
    conversations,
    files,
    jobs,
    memories,
    memory_lines,
    memory_vectors,
    passages,
    refused,
    source_texts,
    sources,
    turns,
)


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of line in an archive: the rows of `table`, in the order of `order`, but for the columns left out.

    `numbers` are the columns that hold an id which is given anew when the archive is read, each with whose it is: the
    `passage`'s or the `memory`'s. One named `id` is where the new one comes from.
    """

    name: str
    table: Table
    order: tuple[str, ...]
    leaves_out: tuple[str, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> list[Column[Any]]:
        """What is written of a row."""
        return [column for column in self.table.columns if column.name not in ("space_id", *self.leaves_out)]


# In this order, so that a row comes after those it names. Tombstones only serve caches, and labels stand in sources.
PARTS: Final = (
    Part("source", sources, ("n",), leaves_out=("n",)),
    Part("text", source_texts, ("source_id",)),
    Part("turn", turns, ("source_id", "position")),
    Part("conversation", conversations, ("source_id",)),
    Part("passage", passages, ("id",), numbers={"id": "passage"}),
    Part("file", files, ("path",)),
    Part("memory", memories, ("id",), leaves_out=("rev",), numbers={"id": "memory", "replaced_by": "memory"}),
    Part("vector", memory_vectors, ("memory_id",), numbers={"memory_id": "memory"}),
    Part("line", memory_lines, ("memory_id", "n"), numbers={"memory_id": "memory", "passage_id": "passage"}),
    Part("clash", clashes, ("one", "other"), numbers={"one": "memory", "other": "memory"}),
    Part("refused", refused, ("statement",)),
    Part("job", jobs, ("id",), leaves_out=("id", "attempts", "turn", "ready_at", "leased_until", "worker")),
)

_ADDED_TO_MEMORIES: Final[Mapping[str, Any]] = {
    "category": None,
    "category_given": False,
    "manually_added": False,
    "reviewed": False,
    "edited": False,
    "locked": False,
}


def as_written_now(part: Part, values: Mapping[str, Any]) -> dict[str, Any]:
    """A row of an archive of version 1, which knew nothing of what is kept beside a memory's words."""
    if part.name != "memory" or "updated_at" in values:
        return dict(values)
    return {**_ADDED_TO_MEMORIES, "updated_at": values.get("learned_at"), **values}


def to_json(value: Any) -> Any:
    """A column's value as JSON: times in ISO 8601, bytes in base64, the rest as it is."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    return dict(value) if isinstance(value, Mapping) else value


def from_json(column: Column[Any], value: Any) -> Any:
    """The value of a column as `to_json` wrote it. Raises BadInput for any other."""
    try:
        return _value(column, value)
    except (ValueError, binascii.Error):
        raise BadInput(f"{value!r:.60} is no value of {column.table.name}.{column.name}.") from None


def _value(column: Column[Any], value: Any) -> Any:
    kind = column.type
    if value is None:
        if column.nullable:
            return None
    elif isinstance(kind, LabelsText):
        if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
            return {keepable(name, "label"): keepable(item, "label") for name, item in value.items()}
    elif isinstance(kind, Instant | Said):
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is not None:
                return moment
    elif isinstance(kind, LargeBinary):
        if isinstance(value, str):
            return b64decode(value, validate=True)
    elif isinstance(kind, Boolean):
        if isinstance(value, bool):
            return value
    elif isinstance(kind, Text):
        if isinstance(value, str):
            return keepable(value, column.name)
    elif isinstance(kind, Integer) and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
        return value
    raise ValueError
