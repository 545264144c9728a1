"""Sources: what was told to a memory, and the passages that it is read in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, NewType
from uuid import uuid4

from geniffy_server.domain.text import MAX_EXTERNAL_ID_CHARS, MAX_TITLE_CHARS, is_blank, keepable
from geniffy_server.errors import BadInput

SourceId = NewType("SourceId", str)
PassageId = NewType("PassageId", int)

SourceKind = Literal["note", "file", "link"]
SourceStatus = Literal["reading", "learned", "failed", "waiting"]
Form = Literal["text", "turns", "kept", "correction"]
"""How a source is held: a text of its own, turns of talk, a file kept exactly, or one right statement."""

FILE_PREFIX: Final = "file:"  # reserved for files kept exactly, seed 001
MAX_MESSAGES: Final = 500
MAX_TURN_CHARS: Final = 50_000
MAX_TOOL_INPUT_CHARS: Final = 2_000
MAX_TOOL_OUTPUT_CHARS: Final = 4_000
MAX_TOOL_NAME_CHARS: Final = 200
MAX_TOOL_CALLS: Final = 100


@dataclass(frozen=True, slots=True)
class Source:
    """One thing that was added. `revision` grows when its text changes, so that learning knows what it read.

    `facts` counts the memories in use that it teaches, None until it was learned once. `said_at` dates what it says;
    None means each turn's own time. `title_given` is False when `title` is only the beginning of the text.
    `withheld` counts the secrets that were masked in what it said.
    """

    id: SourceId
    kind: SourceKind
    form: Form
    title: str
    title_given: bool
    status: SourceStatus
    error: str | None
    facts: int | None
    external_id: str | None
    labels: Mapping[str, str]
    said_at: datetime | None
    added_at: datetime
    added_by: str | None
    revision: int
    withheld: int = 0
    url: str | None = None
    file_name: str | None = None
    file_type: str | None = None
    size_bytes: int | None = None


Role = Literal["user", "assistant", "tool"]
PassageKind = Literal["para", "item", "row", "quote", "turn"]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call an agent made, or what it gave back: `text` is the input or the output as cut text."""

    name: str | None
    call_id: str | None
    text: str
    is_output: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation as it is kept. `name` is a participant's own name; `text` may be empty.

    `said_at` is None until the turn is stored, when it becomes the time of its arrival.
    """

    role: Role
    name: str | None
    text: str
    said_at: datetime | None
    tools: tuple[ToolUse, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, list item, table row or turn: what is learned, and taken back, as one.

    `start` and `end` are code points into the source's text, or into the turn's text when `turn` is its position.
    `digest` tells a changed passage from an unchanged one; it covers the words, the heading and the speaker.
    `heading` is the heading it stands under, None for none.
    """

    id: PassageId
    position: int
    digest: bytes
    start: int
    end: int
    kind: PassageKind
    heading: str | None
    turn: int | None
    learned: bool


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A passage that was read and is not stored yet."""

    digest: bytes
    start: int
    end: int
    kind: PassageKind
    heading: str | None = None
    turn: int | None = None


def new_source_id() -> SourceId:
    """32 lower-case hexadecimal digits (contract 1.12)."""
    return SourceId(uuid4().hex)


def external_id_of(raw: str | None) -> str | None:
    """A caller's own id for a source, checked; None when left out. Raises BadInput (`bad_external_id`).

    `file:` is taken by files kept exactly, which only `PUT /v1/files` writes (seed 001).
    """
    if raw is None:
        return None
    if is_blank(keepable(raw, "external_id")):
        raise BadInput("An external_id can't be blank; leave it out to add a new source.", "bad_external_id")
    if len(raw) > MAX_EXTERNAL_ID_CHARS:
        raise BadInput(
            f"An external_id can have {MAX_EXTERNAL_ID_CHARS} characters; this one has {len(raw):,}.", "bad_external_id"
        )
    if raw.startswith(FILE_PREFIX):
        raise BadInput(
            "An external_id that starts with 'file:' belongs to a file kept exactly; write it with PUT /v1/files.",
            "bad_external_id",
        )
    return raw


def title_of(raw: str | None) -> str | None:
    """A given title on one line, cut at 500 characters; None when left out or blank. Raises BadInput."""
    if raw is None or is_blank(keepable(raw, "title")):
        return None
    return " ".join(raw.split())[:MAX_TITLE_CHARS]
