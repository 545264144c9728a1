"""Sliding windows of requests: exact over processes, by a ring of the times at which a key was let through."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.domain.account import MAX_RPM, KeyId
from geniffy_server.storage.schema import micros, rate_slots, rate_windows
from geniffy_server.storage.sqlite import in_transaction

_SECOND: Final = 1_000_000
_MINUTE: Final = 60 * _SECOND
_IDLE: Final = timedelta(hours=1)
_PATIENCE_S: Final = 10.0

_WINDOW = select(rate_windows.c.granted, rate_windows.c.last_at).where(rate_windows.c.key_id == bindparam("key_id"))
_SLOT = select(rate_slots.c.at).where(
    rate_slots.c.key_id == bindparam("key_id"), rate_slots.c.slot == bindparam("slot")
)
_window = upsert(rate_windows)
_PUT_WINDOW = _window.on_conflict_do_update(
    index_elements=["key_id"], set_={"granted": _window.excluded.granted, "last_at": _window.excluded.last_at}
)
_slot = upsert(rate_slots)
_PUT_SLOT = _slot.on_conflict_do_update(index_elements=["key_id", "slot"], set_={"at": _slot.excluded.at})
_idle = select(rate_windows.c.key_id).where(rate_windows.c.last_at < bindparam("before"))
_DROP_SLOTS = delete(rate_slots).where(rate_slots.c.key_id.in_(_idle))
_DROP_WINDOWS = delete(rate_windows).where(rate_windows.c.last_at < bindparam("before"))


class RateSlots:
    """The windows of every key, over one connection of one thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self, key_id: KeyId, rpm: int, now: datetime) -> int | None:
        """Let a request through and return None, or the seconds (1 to 60) until one may pass.

        A key's n-th last passage stands in the ring of 600, so one look says whether n passed within a minute.
        """
        return in_transaction(
            self._connection,
            "BEGIN IMMEDIATE",
            lambda connection: _take(connection, key_id, rpm, micros(now)),
            patience_s=_PATIENCE_S,
        )


def drop_idle_windows(connection: Connection, now: datetime) -> None:
    """Remove the windows of keys that made no request for an hour."""
    idle = {"before": micros(now - _IDLE)}
    connection.execute(_DROP_SLOTS, idle)
    connection.execute(_DROP_WINDOWS, idle)


def _take(connection: Connection, key_id: KeyId, rpm: int, now: int) -> int | None:
    window = connection.execute(_WINDOW, {"key_id": key_id}).one_or_none()
    granted, last_at = (0, now) if window is None else (window.granted, window.last_at)
    # Processes reach this in another order than they looked at the clock; a clock set back by more starts anew.
    at = max(now, last_at) if last_at - now <= _MINUTE else now
    if granted >= rpm:
        earliest: int | None = connection.execute(_SLOT, {"key_id": key_id, "slot": (granted - rpm) % MAX_RPM}).scalar()
        if earliest is not None and 0 <= at - earliest < _MINUTE:
            return min(60, max(1, -((at - earliest - _MINUTE) // _SECOND)))
    connection.execute(_PUT_SLOT, {"key_id": key_id, "slot": granted % MAX_RPM, "at": at})
    connection.execute(_PUT_WINDOW, {"key_id": key_id, "granted": granted + 1, "last_at": at})
    return None
