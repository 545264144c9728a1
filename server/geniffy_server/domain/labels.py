"""Labels on sources, and the filters that pick by them (contract 1.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from geniffy_server.domain.text import keepable
from geniffy_server.errors import BadInput

Labels = Mapping[str, str]
"""Name to value, on one source."""
LabelFilter = Mapping[str, tuple[str, ...]]
"""Name to the values that pass: all names must match, any value of a name. Empty means no filter."""

MAX_LABELS: Final = 20
MAX_NAME_CHARS: Final = 64
MAX_VALUE_CHARS: Final = 256


def labels_of(raw: Any) -> dict[str, str] | None:
    """Labels as sent on a write; None when left out. Raises BadInput (`bad_labels`)."""
    if raw is None:
        return None
    if not isinstance(raw, Mapping):
        raise _bad("Labels must be an object of names and string values.")
    if len(raw) > MAX_LABELS:
        raise _bad(f"A source can have {MAX_LABELS} labels; {len(raw)} were sent.")
    return {_name(name): _value(name, value) for name, value in raw.items()}


def filter_of(raw: Any) -> dict[str, tuple[str, ...]]:
    """A filter as sent in a body: each name with one value or a list of values. Raises BadInput (`bad_labels`)."""
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        raise _bad("A label filter must be an object of names with a value or a list of values.")
    chosen: dict[str, tuple[str, ...]] = {}
    for name, values in raw.items():
        many = values if isinstance(values, list) else [values]
        if not many:
            raise _bad(f"The label filter {name!r} lists no value.")
        chosen[_name(name)] = tuple(_value(name, value) for value in many)
    return chosen


def filter_of_query(pairs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """A filter as sent in a query: `name:value`, split at the first colon. Raises BadInput (`bad_labels`)."""
    chosen: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        name, colon, value = pair.partition(":")
        if not colon:
            raise _bad(f"The label {pair!r} must be written as name:value.")
        chosen[_name(name)] = (*chosen.get(name, ()), _value(name, value))
    return chosen


def _name(name: Any) -> str:
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME_CHARS or ":" in name or not name.strip():
        raise _bad(f"A label's name must be 1 to {MAX_NAME_CHARS} characters without a colon, not {name!r:.90}.")
    return keepable(name, "label's name")


def _value(name: Any, value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_VALUE_CHARS:
        raise _bad(f"The value of the label {name!r:.90} must be a string of 1 to {MAX_VALUE_CHARS} characters.")
    return keepable(value, "label's value")


def _bad(sentence: str) -> BadInput:
    return BadInput(sentence, "bad_labels")
