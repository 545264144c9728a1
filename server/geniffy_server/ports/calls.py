"""The request log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from geniffy_server.domain.account import KeyId
from geniffy_server.domain.space import AccountId


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One row of the request log. It never holds what was said, asked or answered."""

    id: str
    at: datetime
    account_id: AccountId | None
    space: str | None
    door: str
    route: str
    status: int
    outcome: str
    duration_ms: float
    app: str | None
    key_id: KeyId | None


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls of the request log to show: all that are given must hold.

    `text`: in its id, route, outcome, app or space, whatever the case. `app`: its name, exactly. `statuses`: from the
    first to the second, both included. `since` and `until`: when it came, the second excluded. Without `views`, pages
    that were only looked at are left out.
    """

    text: str | None = None
    app: str | None = None
    statuses: tuple[int, int] | None = None
    since: datetime | None = None
    until: datetime | None = None
    views: bool = True


EVERY_CALL = CallFilter()


class CallLog(Protocol):
    """The request log and the rate windows: kept apart from memories, and allowed to lose the last second."""

    def record(self, call: CallRecord) -> None:
        """Note a call; returns at once and writes soon."""
        ...

    async def take_slot(self, key_id: KeyId, rpm: int, now: datetime) -> int | None:
        """Count one request of a key; None when it may go on, else the seconds until a slot frees.

        At most `rpm` requests pass in any 60 seconds, over all processes on the store.
        """
        ...

    async def page(
        self, account_id: AccountId, *, limit: int, before: int | None = None, only: CallFilter = EVERY_CALL
    ) -> tuple[Sequence[CallRecord], int | None]:
        """An account's calls, newest first, and the `before` of the next page, None at the end."""
        ...

    async def apps(self, account_id: AccountId) -> Sequence[str]:
        """The names of apps that called, in order of their names."""
        ...

    async def forget_space(self, account_id: AccountId, space: str, now: datetime) -> None:
        """Take the name of an erased space out of every row."""
        ...

    async def close(self) -> None: ...
