"""Sliding windows of requests: exact over processes, by a ring of the times at which a key was let through."""

from __future__ import annotations

from collections import defaultdict, deque
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.domain.account import MAX_RPM, KeyId
from geniffy_server.storage.schema import micros, rate_slots, rate_windows
from geniffy_server.storage.sqlite import patiently, raw, spelled

_SECOND: Final = 1_000_000
_MINUTE: Final = 60 * _SECOND
_IDLE: Final = timedelta(hours=1)
_PATIENCE_S: Final = 10.0

_WINDOW: Final = spelled(
    select(rate_windows.c.granted, rate_windows.c.last_at).where(rate_windows.c.key_id == bindparam("key_id"))
)
_SLOT: Final = spelled(
    select(rate_slots.c.at).where(rate_slots.c.key_id == bindparam("key_id"), rate_slots.c.slot == bindparam("slot"))
)
_window = upsert(rate_windows)
_PUT_WINDOW: Final = spelled(
    _window.on_conflict_do_update(
        index_elements=["key_id"], set_={"granted": _window.excluded.granted, "last_at": _window.excluded.last_at}
    )
)
_slot = upsert(rate_slots)
_PUT_SLOT: Final = spelled(
    _slot.on_conflict_do_update(index_elements=["key_id", "slot"], set_={"at": _slot.excluded.at})
)
_idle = select(rate_windows.c.key_id).where(rate_windows.c.last_at < bindparam("before"))
_DROP_SLOTS = delete(rate_slots).where(rate_slots.c.key_id.in_(_idle))
_DROP_WINDOWS = delete(rate_windows).where(rate_windows.c.last_at < bindparam("before"))


class RateSlots:
    """The windows of every key, over one connection, which one thread at a time may use."""

    def __init__(self, connection: Connection, *, patience_s: float = _PATIENCE_S) -> None:
        self._driver = raw(connection)
        self._patience_s = patience_s

    def take(self, key_id: KeyId, rpm: int, now: datetime) -> int | None:
        """Let a request through and return None, or the seconds (1 to 60) until one may pass.

        A key's n-th last passage stands in the ring of 600, so one look says whether n passed within a minute.
        Raises Unavailable when others hold the log for longer than `patience_s`, or it can't be written.
        """
        return patiently(lambda: self._take(key_id, rpm, micros(now)), patience_s=self._patience_s)

    def _take(self, key_id: KeyId, rpm: int, now: int) -> int | None:
        self._driver.execute("BEGIN IMMEDIATE")
        try:
            wait_s = _take(self._driver, key_id, rpm, now)
            self._driver.execute("COMMIT")
        finally:
            if self._driver.in_transaction:
                self._driver.execute("ROLLBACK")
        return wait_s


class LocalSlots:
    """The windows of every key as this process alone sees them, for as long as they can't be kept on the disk.

    Used by one thread. A key holds as many times as it may make requests a minute.
    """

    def __init__(self) -> None:
        self._passed: defaultdict[KeyId, deque[int]] = defaultdict(deque)

    def take(self, key_id: KeyId, rpm: int, now: datetime) -> int | None:
        """Let a request through and return None, or the seconds (1 to 60) until one may pass."""
        at = micros(now)
        passed = self._passed[key_id]
        while passed and not 0 <= at - passed[0] < _MINUTE:
            passed.popleft()
        if len(passed) >= rpm:
            return _wait_s(at - passed[0])
        passed.append(at)
        return None

    def forget(self) -> None:
        """Start anew: the windows are kept on the disk again."""
        self._passed.clear()


def drop_idle_windows(connection: Connection, now: datetime) -> None:
    """Remove the windows of keys that made no request for an hour."""
    idle = {"before": micros(now - _IDLE)}
    connection.execute(_DROP_SLOTS, idle)
    connection.execute(_DROP_WINDOWS, idle)


def _take(driver: Any, key_id: KeyId, rpm: int, now: int) -> int | None:
    granted, last_at = driver.execute(_WINDOW, {"key_id": key_id}).fetchone() or (0, now)
    # Processes reach this in another order than they looked at the clock; a clock set back by more starts anew.
    at = max(now, last_at) if last_at - now <= _MINUTE else now
    if granted >= rpm:
        slot = driver.execute(_SLOT, {"key_id": key_id, "slot": (granted - rpm) % MAX_RPM}).fetchone()
        age: int | None = None if slot is None else at - slot[0]
        if age is not None and 0 <= age < _MINUTE:
            return _wait_s(age)
    driver.execute(_PUT_SLOT, {"key_id": key_id, "slot": granted % MAX_RPM, "at": at})
    driver.execute(_PUT_WINDOW, {"key_id": key_id, "granted": granted + 1, "last_at": at})
    return None


def _wait_s(age: int) -> int:
    """Seconds until what passed `age` microseconds ago has passed a minute ago."""
    return min(60, max(1, -((age - _MINUTE) // _SECOND)))
