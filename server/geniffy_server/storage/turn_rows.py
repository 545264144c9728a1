"""A turn as a row, and back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from geniffy_server.domain.source import ToolUse, Turn
from geniffy_server.storage.schema import AnyRow


def turn_columns(turn: Turn) -> dict[str, Any]:
    """The columns of a turn but for where it stands."""
    tools = as_json([asdict(tool) for tool in turn.tools]) if turn.tools else None
    return {"role": turn.role, "name": turn.name, "text": turn.text, "said_at": turn.said_at, "tools": tools}


def turn_of(row: AnyRow) -> Turn:
    """The turn of a row of `turns`."""
    tools = tuple(ToolUse(**tool) for tool in json.loads(row.tools)) if row.tools else ()
    return Turn(row.role, row.name, row.text, row.said_at, tools)


def as_json(value: Any) -> str:
    """A value as the column of tools holds it, every character as it is."""
    return json.dumps(value, ensure_ascii=False)
