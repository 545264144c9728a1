"""What a tool takes: each input once, as the JSON Schema that clients read and the check that the server makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from geniffy_server.domain.text import is_blank, keepable
from geniffy_server.errors import BadInput

JsonObject = dict[str, Any]

MAX_WHOLE: Final = (1 << 53) - 1  # the largest number that every JSON reader keeps exactly, RFC 8259 section 6


@dataclass(frozen=True, slots=True)
class Text:
    """A string of 1 to `limit` code points with something to see in it. `says` tells a model what to put there.

    Models fill what they have nothing for with "": a blank that is not required is the same as left out, as in REST.
    """

    name: str
    says: str
    limit: int
    is_required: bool = True
    takes_null: bool = True

    def schema(self) -> JsonObject:
        least = {"minLength": 1} if self.is_required else {}
        return {"type": "string", "description": self.says, **least, "maxLength": self.limit}

    def read(self, raw: Any) -> str | None:
        """The string as it was sent; None for a blank that is not required. Raises BadInput."""
        if not isinstance(raw, str):
            raise BadInput(f"{self.name!r} must be a string, not {called(raw)}.")
        if len(raw) > self.limit:
            raise BadInput(f"{self.name!r} has {len(raw):,} characters; the limit is {self.limit:,}.")
        if not is_blank(keepable(raw, self.name)):
            return raw
        if self.is_required:
            raise BadInput(f"{self.name!r} is blank: {_first_small(self.says)}")
        return None

    def left_out(self) -> str | None:
        """What stands for an input that was left out. Raises BadInput when it is required."""
        if self.is_required:
            raise BadInput(f"{self.name!r} is missing: {_first_small(self.says)}")
        return None


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `least` to `most`; `default` stands for it when it is left out."""

    name: str
    says: str
    least: int
    most: int
    default: int
    is_required: bool = False
    takes_null: bool = True

    def schema(self) -> JsonObject:
        return {
            "type": "integer",
            "description": self.says,
            "minimum": self.least,
            "maximum": self.most,
            "default": self.default,
        }

    def read(self, raw: Any) -> int:
        """The number; 5.0 is 5, as in JSON Schema. Raises BadInput."""
        is_whole = raw.is_integer() if isinstance(raw, float) else isinstance(raw, int) and not isinstance(raw, bool)
        if not is_whole:
            raise BadInput(f"{self.name!r} must be a whole number, not {called(raw)}.")
        if not self.least <= raw <= self.most:
            raise BadInput(f"{self.name!r} must be from {self.least} to {self.most}.")
        return int(raw)

    def left_out(self) -> int:
        return self.default


@dataclass(frozen=True, slots=True)
class Choice:
    """One of `values`; `default` stands for it when it is left out."""

    name: str
    says: str
    values: Sequence[str]
    default: str
    is_required: bool = False
    takes_null: bool = True

    def schema(self) -> JsonObject:
        return {"type": "string", "description": self.says, "enum": list(self.values), "default": self.default}

    def read(self, raw: Any) -> str:
        """The value. Raises BadInput."""
        if not isinstance(raw, str) or raw not in self.values:
            raise BadInput(f"{self.name!r} must be one of {', '.join(self.values)}, not {called(raw)}.")
        return raw

    def left_out(self) -> str:
        return self.default


@dataclass(frozen=True, slots=True)
class SpaceName:
    """One of an app's users. Null is refused: a user id that went missing must not become the owner's memory."""

    name: str = "space"
    says: str = (
        "Which of your app's users this is about, by the name your app gives them: 1 to 128 letters, digits, dots, "
        "dashes or underscores. Leave it out for the key's own memory."
    )
    is_required: bool = False
    takes_null: bool = False

    def schema(self) -> JsonObject:
        return {"type": "string", "description": self.says, "minLength": 1, "maxLength": 128}

    def read(self, raw: Any) -> str:
        """The name as it was sent, not checked further. Raises BadInput."""
        if not isinstance(raw, str):
            raise BadInput(
                f"'space' must be the name of one of your app's users, not {called(raw)}; leave it out for the key's "
                "own memory.",
                "bad_space",
            )
        return raw

    def left_out(self) -> None:
        return None


class Argument(Protocol):
    """One input of a tool: what it is called, how clients are told of it, and how it is read."""

    @property
    def name(self) -> str: ...

    @property
    def is_required(self) -> bool: ...

    @property
    def takes_null(self) -> bool:
        """Whether null stands for left out, as many clients send it for every optional input."""
        ...

    def schema(self) -> JsonObject: ...

    def read(self, raw: Any) -> Any:
        """The value of what was sent. Raises BadInput."""
        ...

    def left_out(self) -> Any:
        """What stands for an input that was left out. Raises BadInput when it is required."""
        ...


SPACE: Final = SpaceName()


def schema_of(arguments: Sequence[Argument]) -> JsonObject:
    """The JSON Schema of a tool's input (draft 2020-12)."""
    schema: JsonObject = {"type": "object", "properties": {one.name: one.schema() for one in arguments}}
    required = [one.name for one in arguments if one.is_required]
    return schema | ({"required": required} if required else {}) | {"additionalProperties": False}


def checked(arguments: Sequence[Argument], raw: Mapping[str, Any]) -> dict[str, Any]:
    """What was sent, checked, with what was left out filled in. Raises BadInput naming the first fault."""
    names = {one.name for one in arguments}
    for name in raw:
        if name not in names:
            known = ", ".join(repr(one.name) for one in arguments) or "nothing"
            raise BadInput(f"{name!r:.80} is not something this tool takes; it takes {known}.")
    values: dict[str, Any] = {}
    for one in arguments:
        is_sent = one.name in raw and not (raw[one.name] is None and one.takes_null)
        values[one.name] = one.read(raw[one.name]) if is_sent else one.left_out()
    return values


def called(raw: Any) -> str:
    """A wrong value in a few words."""
    if raw is None:
        return "null"
    if isinstance(raw, Mapping):
        return "an object"
    if isinstance(raw, list):
        return "a list"
    if isinstance(raw, bool):
        return str(raw).lower()
    return f"{raw!r:.60}"


def _first_small(says: str) -> str:
    return says[:1].lower() + says[1:]
