"""How arguments are written on the wire: numbers in paths, labels, dates, the pages of a list."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any, SupportsIndex, TypeAlias
from urllib.parse import quote

from geniffy_agents.errors import bad_answer
from geniffy_agents.types import LabelFilter, Labels

When: TypeAlias = str | datetime | date
"""A time: ISO 8601 text, a datetime (UTC when it has no zone) or a date."""


def number(raw: SupportsIndex | str) -> int:
    """A numeric id as a whole number; text of digits is one too. Raises TypeError or ValueError for anything else."""
    return int(raw) if isinstance(raw, str) else operator.index(raw)


def segment(raw: str) -> str:
    """`raw` as one part of a path, so that no id can reach another route. Raises ValueError when it can't be one."""
    if not raw.strip() or raw in (".", ".."):
        raise ValueError(f"{raw!r} is not an id.")
    return quote(raw, safe="")


def instant(when: When) -> str:
    """A time as ISO 8601 text."""
    return when.isoformat() if isinstance(when, date) else str(when)


def labels_of(labels: Labels) -> dict[str, str]:
    """Labels for a write."""
    return dict(labels)


def label_filter(labels: LabelFilter | None) -> dict[str, str | list[str]]:
    """A filter for a body; empty for none. Raises ValueError for a name with no value: it would match everything."""
    return {name: values if isinstance(values, str) else _some(name, values) for name, values in (labels or {}).items()}


def label_params(labels: LabelFilter | None) -> list[tuple[str, str]]:
    """The same filter for a query: `label=name:value`, once for each value (contract 1.10). Raises as label_filter."""
    return [
        ("label", f"{name}:{value}")
        for name, values in label_filter(labels).items()
        for value in (values if isinstance(values, list) else [values])
    ]


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are neither None nor empty text or an empty filter."""
    return {name: value for name, value in fields.items() if value is not None and value != "" and value != {}}


def next_cursor(cursor: int, following: int | None) -> int | None:
    """The cursor after `cursor`, None at the end. Raises GeniffyError when a server would send us in a circle."""
    if not following:
        return None
    if following <= cursor:
        raise bad_answer(f"The server sent the cursor {following} after {cursor}, which never ends.")
    return following


def _some(name: str, values: Any) -> list[Any]:
    """The values of one label. What is no text is passed on, for the server to say what is wrong with it."""
    chosen = [values] if isinstance(values, Mapping) or not isinstance(values, Iterable) else list(values)
    if not chosen:
        raise ValueError(f"The label {name!r} names no value, so it can't pick anything.")
    return chosen
