"""Kinds of inputs that only the Omi tools take: clamped numbers, filters, days."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from geniffy_server.domain.instants import instant_of
from geniffy_server.errors import BadInput
from geniffy_server.mcp.arguments import JsonObject, called

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Clamped:
    """A whole number; one outside `least` to `most` is the nearer of the two."""

    name: str
    says: str
    least: int
    most: int
    default: int
    is_required: bool = False
    takes_null: bool = True

    def schema(self) -> JsonObject:
        bounds = {"minimum": self.least, "maximum": self.most, "default": self.default}
        return {"type": "integer", "description": self.says, **bounds}

    def read(self, raw: Any) -> int:
        """The number; 5.0 is 5, as in JSON Schema. Raises BadInput for what is no whole number."""
        is_whole = raw.is_integer() if isinstance(raw, float) else isinstance(raw, int) and not isinstance(raw, bool)
        if not is_whole:
            raise BadInput(f"{self.name!r} must be a whole number, not {called(raw)}.")
        return int(min(max(raw, self.least), self.most))

    def left_out(self) -> int:
        return self.default


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false; `default` stands for it when it is left out, None to leave the matter open."""

    name: str
    says: str
    default: bool | None = None
    is_required: bool = False
    takes_null: bool = True

    def schema(self) -> JsonObject:
        schema: JsonObject = {"type": "boolean", "description": self.says}
        return schema if self.default is None else schema | {"default": self.default}

    def read(self, raw: Any) -> bool:
        if not isinstance(raw, bool):
            raise BadInput(f"{self.name!r} must be true or false, not {called(raw)}.")
        return raw

    def left_out(self) -> bool | None:
        return self.default


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of `values`, or None when it is left out."""

    name: str
    says: str
    values: Sequence[str]
    is_required: bool = False
    takes_null: bool = True

    def schema(self) -> JsonObject:
        return {"type": "string", "description": self.says, "enum": list(self.values)}

    def read(self, raw: Any) -> str:
        return _of(self.values, raw, self.name)

    def left_out(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class SomeOf:
    """A list of `values`; empty when it is left out, which filters nothing."""

    name: str
    says: str
    values: Sequence[str]
    is_required: bool = False
    takes_null: bool = True

    def schema(self) -> JsonObject:
        items = {"type": "string", "enum": list(self.values)}
        return {"type": "array", "description": self.says, "items": items, "default": []}

    def read(self, raw: Any) -> Sequence[str]:
        """The values as they were sent. Raises BadInput that names the first which is none."""
        if not isinstance(raw, list):
            raise BadInput(f"{self.name!r} must be a list, not {called(raw)}.")
        return [_of(self.values, one, self.name) for one in raw]

    def left_out(self) -> Sequence[str]:
        return []


@dataclass(frozen=True, slots=True)
class Day:
    """A calendar day as YYYY-MM-DD, or None when it is left out."""

    name: str
    says: str
    is_required: bool = False
    takes_null: bool = True

    def schema(self) -> JsonObject:
        return {"type": "string", "format": "date", "description": self.says}

    def read(self, raw: Any) -> date:
        if isinstance(raw, str) and _DAY.fullmatch(raw):
            try:
                return date.fromisoformat(raw)
            except ValueError:
                pass
        raise BadInput(f"{self.name!r} must be a day as YYYY-MM-DD, such as 2026-10-03, not {called(raw)}.")

    def left_out(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time in ISO 8601, or None when it is left out. One without an offset is in UTC."""

    name: str
    says: str
    is_required: bool = False
    takes_null: bool = True

    def schema(self) -> JsonObject:
        return {"type": "string", "description": self.says}

    def read(self, raw: Any) -> datetime:
        moment = instant_of(raw, repr(self.name))
        assert moment is not None, "null is left out"
        return moment

    def left_out(self) -> None:
        return None


def _of(values: Sequence[str], raw: Any, name: str) -> str:
    if not isinstance(raw, str) or raw not in values:
        raise BadInput(f"{called(raw)} is none of the {name!r} there are: {', '.join(values)}.")
    return raw
