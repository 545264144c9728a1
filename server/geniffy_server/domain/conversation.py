"""Conversations as they are listed and summed up: what was said, owed and dated in them, and what they are about.

The categories are those of the Omi tool set, in its order (seed 002 and its public tool).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from geniffy_server.domain.memory import Kind, Spoken

MemoryCategory = Literal[
    "interesting", "core", "hobbies", "lifestyle", "interests", "habits", "work", "skills", "learnings", "other"
]
MEMORY_CATEGORIES: Final[tuple[MemoryCategory, ...]] = get_args(MemoryCategory)

ConversationCategory = Literal[
    "personal",
    "education",
    "health",
    "finance",
    "technology",
    "business",
    "work",
    "social",
    "travel",
    "entertainment",
    "sports",
    "family",
    "legal",
    "philosophy",
    "spiritual",
    "science",
    "entrepreneurship",
    "parenting",
    "romantic",
    "inspiration",
    "politics",
    "literature",
    "history",
    "architecture",
    "music",
    "weather",
    "news",
    "psychology",
    "real",
    "design",
    "economics",
    "environment",
    "other",
]
"""`real` is real estate."""
CONVERSATION_CATEGORIES: Final[tuple[ConversationCategory, ...]] = get_args(ConversationCategory)


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory with one line of it, as they are read back from the store, of whatever source.

    `text` is worded to stand alone, `quote` is what was said. `about`, `spoken`, `said_by` and `first_person` are
    those of the fact it was learned as; `said_by` is None for the memory's owner and for text that nobody speaks.
    """

    text: str
    quote: str
    about: str | None
    kind: Kind
    spoken: Spoken | None
    said_at: datetime
    said_by: str | None
    first_person: bool


@dataclass(frozen=True, slots=True)
class ActionItem:
    """Something that someone is to do. `owner` is a name, OWNER, or None when the words do not say who.

    `due` is the time by or at which it is to be done, None when none was given. `completed` turns true when a later
    statement says that it was done.
    """

    description: str
    owner: str | None
    due: Spoken | None
    completed: bool
    quote: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """A dated happening, past or to come: `title` is short, `description` the statement that tells of it."""

    title: str
    description: str
    when: Spoken
    quote: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """What a conversation comes to, in its own words: a title of at most 60 characters, an overview of at most 400."""

    title: str
    overview: str
    category: ConversationCategory
    action_items: tuple[ActionItem, ...]
    events: tuple[Event, ...]
