"""What is kept of memories and conversations beside what was said: their category, and what people decided of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, get_args

from geniffy_server.domain.conversation import ConversationCategory, MemoryCategory
from geniffy_server.domain.source import SourceId

Sort = Literal["scoring_desc", "created_desc", "updated_desc", "manual_first"]
"""Orders of memories, by the names of the Omi tools (seed 002); within each of them the newest comes first."""
SORTS: Final[tuple[Sort, ...]] = get_args(Sort)

NOT_TELLING: Final[MemoryCategory] = "other"
ACTIVITY_LABEL: Final = "activity"
"""A source that carries a label of this name, whatever its value, only reports what was on a screen or in focus."""

_TELLING_WEIGHT: Final = 998


@dataclass(frozen=True, slots=True)
class Curation:
    """What is kept of a memory beside what it says.

    `category` is None until it was detected; `category_given` when a person or an app chose it, and then it stays.
    `manually_added` when it was written as one memory rather than learned. `edited` when its words were changed under
    its id. `locked` binds at the Omi tools alone (decisions 19). `updated_at`: when its words or any of these changed.
    """

    category: MemoryCategory | None
    category_given: bool
    manually_added: bool
    reviewed: bool
    edited: bool
    locked: bool
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class CurationFilter:
    """Which memories to list: all that are given must hold.

    Without `with_activity`, those that only sources labelled ACTIVITY_LABEL tell are left out; without
    `with_sensitive`, those that a source tells in which a secret was withheld.
    """

    categories: Collection[MemoryCategory] = ()
    reviewed: bool | None = None
    manually_added: bool | None = None
    updated_after: datetime | None = None
    with_activity: bool = False
    with_sensitive: bool = True

    @property
    def is_narrow(self) -> bool:
        """Whether it asks for more than what is left out by itself."""
        asked = (self.reviewed, self.manually_added, self.updated_after)
        return bool(self.categories) or not self.with_sensitive or any(one is not None for one in asked)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A source that holds turns, without them. Its times are those of the earliest and the latest turn.

    `category` is None until it was detected, and again when turns were added or cut; `category_given` when a person
    chose it. `locked` binds at the Omi tools alone. `title_given` is False when `title` is only how it begins.
    """

    id: SourceId
    title: str
    title_given: bool
    labels: Mapping[str, str]
    added_at: datetime
    added_by: str | None
    started_at: datetime
    finished_at: datetime
    category: ConversationCategory | None
    category_given: bool
    locked: bool


def carried_on(earlier: Curation, later: Curation) -> Curation:
    """What is kept of a memory that takes the place of another: what people decided of either."""
    return replace(
        later,
        category=earlier.category if earlier.category_given and not later.category_given else later.category,
        category_given=earlier.category_given or later.category_given,
        manually_added=earlier.manually_added or later.manually_added,
        reviewed=earlier.reviewed or later.reviewed,
        locked=earlier.locked or later.locked,
    )


def scoring(created_at: datetime, curation: Curation) -> str:
    """A string that sorts memories by what they are worth showing first, the greatest first.

    Like Omi's, it says in figures of fixed width whether a person added it, whether its category tells of them, and
    the second it was made: `01_998_1791024060`.
    """
    weight = _TELLING_WEIGHT if curation.category not in (None, NOT_TELLING) else 0
    return f"{curation.manually_added:02d}_{weight:03d}_{int(created_at.timestamp()):010d}"
