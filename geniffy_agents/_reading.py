"""Reading the parts of an answer. What is missing, or of another kind than this API sends, comes from some other
server: each of these raises GeniffyError (`bad_response`) for it, which says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geniffy_agents.errors import GeniffyError, bad_answer


def required(data: Mapping[str, Any], key: str, what: str) -> Any:
    """`data[key]`, of the object that `what` names."""
    value = data.get(key)
    if value is None:
        raise bad_answer(f"The server sent {what} without {key!r}.")
    return value


def text_in(data: Mapping[str, Any], key: str, what: str) -> str:
    """The text at `key`, which may be empty."""
    value = required(data, key, what)
    if not isinstance(value, str):
        raise _odd(key, value)
    return value


def number_in(data: Mapping[str, Any], key: str, what: str) -> int:
    """The whole number at `key`, also where it is sent as its digits."""
    return _whole(key, required(data, key, what))


def count_in(data: Mapping[str, Any], key: str) -> int:
    """How many; 0 when that is left out."""
    return _whole(key, data.get(key) or 0)


def cursor_in(data: Mapping[str, Any]) -> int | None:
    """Where the next page begins; None at the end."""
    following = data.get("next")
    return None if following is None else _whole("next", following)


def object_in(data: Mapping[str, Any], key: str, what: str) -> dict[str, Any]:
    """The object at `key`."""
    return _object(key, required(data, key, what))


def fields_in(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The names and values at `key`; none when they are left out."""
    return _object(key, data.get(key) or {})


def objects_in(data: Mapping[str, Any], key: str) -> list[Any]:
    """The objects of the list at `key`; none when it is left out."""
    values = data.get(key) or []
    if not isinstance(values, list):
        raise _odd(key, values)
    return [_object(key, each) for each in values]


def _object(key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _odd(key, value)
    return dict(value)


def _whole(key: str, value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise _odd(key, value) from None


def _odd(key: str, value: object) -> GeniffyError:
    return bad_answer(f"The server sent {value!r:.60} as {key!r}.")
