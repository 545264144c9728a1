"""What recall brings back: hits, a context to put in a prompt, an answer or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from geniffy_server.domain.memory import Memory

NOTHING_STORED: Final = "There is nothing stored about this yet. Say so rather than guessing."
"""The whole of a context that nothing bears on, word for word (contract 187)."""
NOTHING_SAYS: Final = "Nothing that was added says that yet, so I won't guess."
"""The message of an `ask` that nothing supports."""


@dataclass(frozen=True, slots=True)
class Context:
    """Lines ready for a prompt. `text` is never empty; `memories` are those used, none when nothing bears."""

    question: str
    text: str
    memories: Sequence[Memory]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer with the memories it rests on; `clash` when they contradict one another."""

    question: str
    answer: str
    memories: Sequence[Memory]
    clash: bool


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Nothing stored supports an answer."""

    question: str
    message: str = NOTHING_SAYS


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing that is true of a person, with the ids of the memories that say so."""

    text: str
    memories: Sequence[Memory]


@dataclass(frozen=True, slots=True)
class Profile:
    """What lastingly holds of `subject`, and what is going on for them now; `considered` memories were read."""

    subject: str | None
    lasting: Sequence[Trait]
    current: Sequence[Trait]
    considered: int
