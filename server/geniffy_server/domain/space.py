"""Spaces: one memory each. The owner's own memory is the space named by the empty string."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NewType

from geniffy_server.errors import BadInput

AccountId = NewType("AccountId", int)
SpaceId = NewType("SpaceId", int)

OWN: Final = ""  # decisions 2
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")


@dataclass(frozen=True, slots=True)
class Space:
    """One memory of one account. `version` grows with every write; `secret` keys its statements' HMACs."""

    id: SpaceId
    account_id: AccountId
    name: str
    version: int
    secret: bytes
    owner_name: str | None


@dataclass(frozen=True, slots=True)
class SpaceSummary:
    """What `GET /v1/spaces` shows of a space that holds something."""

    name: str
    sources: int
    memories: int
    last_added_at: datetime | None


def space_name(raw: str) -> str:
    """Return a caller's name for a space, checked: 1 to 128 letters, digits, dots, dashes or underscores.

    Raises BadInput (`bad_space`), also for a blank name, `.` and `..`, which vanish in URLs (contract 1.3).
    """
    if not _NAME.fullmatch(raw) or raw in (".", ".."):
        shown = raw if len(raw) <= 40 else raw[:40] + "..."
        raise BadInput(
            f"{shown!r} can't name a space: use 1 to 128 letters, digits, dots, dashes or underscores.", "bad_space"
        )
    return raw
