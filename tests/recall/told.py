"""Memories as recall hands them on, without a store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from geniffy_server.domain.memory import Memory, MemoryId, SourceRef
from geniffy_server.domain.source import SourceId
from geniffy_server.ports import Found

SAID = datetime(2026, 10, 5, 9, 30, tzinfo=UTC)


def memory(text: str, about: str | None = None, **changed: Any) -> Memory:
    fields: dict[str, Any] = {
        "id": MemoryId(1),
        "kind": "detail",
        "how": "test",
        "status": "current",
        "quote": text,
        "said_at": SAID,
        "learned_at": SAID,
        "spoken": None,
        "replaced_by": None,
        "source": SourceRef(SourceId("s"), "note", "A note", False, {}),
    }
    return Memory(text=text, about=about, **fields | changed)


def found(told: Memory, **features: float) -> Found:
    return Found(told, 1.0, {"coverage": 1.0, "cosine": 0.5, **features})
