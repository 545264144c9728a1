"""Memories: facts, each with the exact line it came from and the date it was said."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal, NewType, get_args

from geniffy_server.domain.source import PassageId, SourceId
from geniffy_server.errors import BadInput

MemoryId = NewType("MemoryId", int)

Kind = Literal["people", "plan", "pref", "detail"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
Status = Literal["current", "clash", "replaced", "wrong"]
"""`current` and `clash` are used; `replaced` and `wrong` are history (contract 1.14)."""
USABLE: Final[tuple[Status, ...]] = ("current", "clash")
Precision = Literal["minute", "day", "week", "month", "quarter", "year", "span", "since", "yearly"]

OWNER: Final = "OWNER"
"""The subject of what the memory's owner says of themselves while their name is not known (decisions 29)."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The time that a text speaks of: every day from `low` to `high`, both included.

    `since` reaches from `low` to today; a `yearly` one keeps month and day in `low` and recurs.
    `clock` is minutes after midnight for a `minute`.
    """

    low: date
    high: date
    precision: Precision
    clock: int | None = None

    @property
    def occasion(self) -> str:
        """What tells two tellings of the same words apart: `yesterday` is another day when it is said again later.

        Empty for what recurs or lasts. The year counts only where nothing else is known: words that name a day and
        no year, such as `on 1 April`, say the same each time.
        """
        if self.precision in ("yearly", "since"):
            return ""
        if self.precision == "year":
            return f"{self.low.year}"
        return f"{self.low:%m-%d}/{self.high:%m-%d}"


def occasion_of(spoken: Spoken | None) -> str:
    """The occasion that a statement speaks of; empty when it names no time."""
    return spoken.occasion if spoken is not None else ""


@dataclass(frozen=True, slots=True)
class Line:
    """The exact words one source said, at code points `start` to `end` of a passage (secrets are masked)."""

    source_id: SourceId
    passage_id: PassageId
    start: int
    end: int
    quote: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class SourceRef:
    """The source of a memory as it is shown with it; `url` is the page's own address, for a link."""

    id: SourceId
    kind: str
    title: str
    title_given: bool
    labels: Mapping[str, str]
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing a memory knows. `quote`, `said_at` and `source` are those of its first line.

    `about` is its subject: a name, OWNER, or None when the text does not say; `how` names the rule that found it.
    `said_at` is when it was said.
    """

    id: MemoryId
    text: str
    kind: Kind
    about: str | None
    how: str
    status: Status
    quote: str
    said_at: datetime
    learned_at: datetime
    spoken: Spoken | None
    replaced_by: MemoryId | None
    source: SourceRef | None


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement that was read and is not a memory yet.

    `quote` equals the passage's text from `start` to `end`. `how` names the rule that found the subject; weak
    rules never retire a memory. `first_person` says that the speaker talks of themselves in the words of `quote`.
    `said_by` is the participant who said it, None for the memory's owner and for text that nobody speaks. `asked` are
    the questions right before it, which it may answer.
    """

    text: str
    quote: str
    start: int
    end: int
    about: str | None
    how: str
    kind: Kind
    spoken: Spoken | None
    said_at: datetime
    first_person: bool
    said_by: str | None = None
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory on its way into the store, with what recall keeps beside it.

    `vector`: 384 float16 of length 1 as bytes, empty when the embedder is away. `tokens`: `joined_tokens`.
    """

    text: str
    kind: Kind
    about: str | None
    how: str
    first_person: bool
    statement: bytes
    spoken: Spoken | None
    learned_at: datetime
    status: Status
    vector: bytes
    tokens: bytes


def kind_filter(raw: str | None) -> Kind | None:
    """The kind to keep to; None for `all` or nothing. Raises BadInput for an unknown one (contract 119)."""
    if raw is None or raw == "all":
        return None
    for kind in KINDS:
        if raw == kind:
            return kind
    raise BadInput(f"A kind is one of all, {', '.join(KINDS)}, not {raw!r:.60}.")


def statement_of(secret: bytes, normal: str, about: str | None) -> bytes:
    """The mark of one statement in one space: an HMAC-SHA-256, so that it tells nothing without the space's key.

    `normal` is the statement's normalised words (`learn.quotes.normalised`). What was forgotten or corrected is
    remembered as refused by this mark alone (decisions 3).
    """
    return hmac.new(secret, f"{about or ''}\x1f{normal}".encode(), hashlib.sha256).digest()


_ASKED_BEHIND: Final = bytes(4)  # no word has 0 as its hash, but for one in 2^32


def joined_tokens(own: bytes, asked: bytes) -> bytes:
    """A memory's search keys as they are stored: those of its words, then those of the questions before it, if any.

    Both are uint32 hashes as bytes; a 0 stands between them.
    """
    return own + _ASKED_BEHIND + asked if asked else own


def parted_tokens(stored: bytes) -> tuple[bytes, bytes]:
    """What `joined_tokens` joined; nothing was asked before most memories."""
    at = stored.find(_ASKED_BEHIND)
    while at >= 0 and at % 4:
        at = stored.find(_ASKED_BEHIND, at + 1)
    return (stored, b"") if at < 0 else (stored[:at], stored[at + 4 :])


def embedded_text(text: str, quote: str, *, first_person: bool) -> str:
    """The words of a memory that are embedded: what a speaker said of themselves stays in their own words.

    A question that names them is embedded with I and my in the name's place; that alone took recall@10 from .44 to
    .61 on turns.
    """
    return quote if first_person else text
