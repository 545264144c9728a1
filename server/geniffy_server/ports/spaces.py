"""Spaces of an account."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from geniffy_server.domain.space import AccountId, Space, SpaceId, SpaceSummary


class Spaces(Protocol):
    def find(self, account_id: AccountId, name: str) -> Space | None:
        """None when nothing was ever written to that space."""
        ...

    def ensure(self, account_id: AccountId, name: str) -> Space:
        """The space, made with a fresh secret when it is new."""
        ...

    def by_id(self, space_id: SpaceId) -> Space | None: ...
    def version(self, space_id: SpaceId) -> int: ...
    def bump(self, space_id: SpaceId) -> int:
        """Grow and return the version. Every write transaction calls it once, first; rows are stamped with it."""
        ...

    def added(self, space_id: SpaceId, at: datetime) -> None:
        """Note when something was last added, for `holding`."""
        ...

    def name_owner(self, space_id: SpaceId, name: str | None) -> None: ...
    def holding(self, account_id: AccountId) -> Sequence[SpaceSummary]:
        """Named spaces (never the owner's own) that hold a source, most recently added to first."""
        ...

    def erase(self, space_id: SpaceId) -> int:
        """Remove every row of the space and the space itself, its keys with it; how many sources went."""
        ...
