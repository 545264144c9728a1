"""The request log: a database of its own beside the store's, which may lose its last second and be thrown away."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.domain.account import KeyId
from geniffy_server.domain.space import AccountId
from geniffy_server.errors import ServerError, Unavailable
from geniffy_server.ports import EVERY_CALL, CallFilter, CallRecord
from geniffy_server.storage.rate_slots import LocalSlots, RateSlots, drop_idle_windows
from geniffy_server.storage.schema import AnyRow, erased_spaces, log_metadata, requests
from geniffy_server.storage.scrub import scrub
from geniffy_server.storage.sqlite import (
    check_version,
    connected,
    in_transaction,
    make_private,
    never_waiting,
    open_engine,
    patiently,
    raw,
)

T = TypeVar("T")

LOG: Final = "log.db"
KEPT_ROWS: Final = 1_000_000  # about 150 MB
FLUSH_EVERY_S: Final = 0.5
CHECKPOINT_BYTES: Final = 4 << 20
_QUEUED: Final = 20_000  # beyond it the oldest calls are lost, rather than the server's memory
_PRUNE_EVERY: Final = timedelta(minutes=10)
_ERASED_GRACE: Final = timedelta(seconds=5)  # a call that erases a space, or runs meanwhile, ends after it
_ERASED_KEPT: Final = timedelta(hours=1)

_log = logging.getLogger(__name__)

_FIELDS: Final = tuple(column.name for column in requests.columns if column.name != "n")
_ADD = insert(requests)
_PAGE = select(requests).where(requests.c.account_id == bindparam("account_id")).order_by(requests.c.n.desc())
_APPS = (
    select(requests.c.app)
    .where(requests.c.account_id == bindparam("account_id"), requests.c.app.is_not(None))
    .distinct()
    .order_by(requests.c.app)
)
_PRUNE_OLD = delete(requests).where(requests.c.at < bindparam("before"))
_PRUNE_MANY = delete(requests).where(requests.c.n <= select(func.max(requests.c.n)).scalar_subquery() - KEPT_ROWS)
_PRUNE_MARKS = delete(erased_spaces).where(erased_spaces.c.at < bindparam("before"))
_MARKS = select(erased_spaces.c.mark, erased_spaces.c.at)
_mark = upsert(erased_spaces)
_MARK = _mark.on_conflict_do_update(index_elements=["mark"], set_={"at": _mark.excluded.at})
_BLANK = (
    update(requests)
    .where(requests.c.account_id == bindparam("of_account"), requests.c.space == bindparam("named"))
    .values(space=None)
)


class SqliteCallLog:
    """`ports.CallLog` on one directory: a thread for rates, and one that writes calls twice a second."""

    def __init__(self, directory: Path, keep: timedelta) -> None:
        self._path = directory / LOG
        self._keep = keep
        self._engine = open_engine(self._path, "log")
        self._queue: deque[CallRecord] = deque(maxlen=_QUEUED)
        self._flushing = threading.Lock()
        self._pruned_at: datetime | None = None
        self._rows_connection, self._slots_connection, self._at_once_connection = (
            connected(self._engine) for _ in range(3)
        )
        self._slots = RateSlots(self._slots_connection)
        self._slots_at_once = RateSlots(never_waiting(self._at_once_connection), patience_s=0)
        self._slots_thread = ThreadPoolExecutor(1, thread_name_prefix="call-rates")
        self._slots_alone = LocalSlots()
        self._is_alone = False
        self._closing = threading.Event()
        self._flusher = threading.Thread(target=self._flush_often, name="call-log", daemon=True)
        self._flusher.start()

    def record(self, call: CallRecord) -> None:
        """Note a call; returns at once and writes within a second."""
        self._queue.append(call)

    async def take_slot(self, key_id: KeyId, rpm: int, now: datetime) -> int | None:
        """Count one request of a key; None when it may go on, else the seconds (1 to 60) until a slot frees.

        While the log can't be written each process counts by itself, so that a full disk neither stops reading nor
        lifts the limits.
        """
        try:
            wait_s = await self._take_shared(key_id, rpm, now)
        except Unavailable as fault:
            if not self._is_alone:
                _log.error("each process counts the rates of keys by itself: %s", fault.sentence)
            self._is_alone = True
            return self._slots_alone.take(key_id, rpm, now)
        if self._is_alone:
            _log.warning("the rates of keys are counted over all processes again")
            self._is_alone = False
            self._slots_alone.forget()
        return wait_s

    async def _take_shared(self, key_id: KeyId, rpm: int, now: datetime) -> int | None:
        self._check_open()
        # Twenty microseconds, of which none on the disk: a thread of its own would take five times as long.
        with contextlib.suppress(Unavailable):
            return self._slots_at_once.take(key_id, rpm, now)
        return await self._in(self._slots_thread, lambda: self._slots.take(key_id, rpm, now))

    async def page(
        self, account_id: AccountId, *, limit: int, before: int | None = None, only: CallFilter = EVERY_CALL
    ) -> tuple[Sequence[CallRecord], int | None]:
        """An account's calls, newest first, and the `before` of the next page, None at the end."""
        return await asyncio.to_thread(self._page, account_id, limit, before, only)

    async def apps(self, account_id: AccountId) -> Sequence[str]:
        """The names of apps that called, in order of their names."""
        return await asyncio.to_thread(self._apps, account_id)

    async def forget_space(self, account_id: AccountId, space: str, now: datetime) -> None:
        """Take the name of an erased space out of every row, also of those other processes still have to write."""
        await asyncio.to_thread(self._forget_space, account_id, space, now)

    async def flush(self) -> None:
        """Write what was recorded; returns when it can be read."""
        await asyncio.to_thread(self._flush)

    async def close(self) -> None:
        """Write what is left and close. A second time does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        await asyncio.to_thread(self._close)

    async def _in(self, thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(thread, work)

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise Unavailable("The request log is closed.")

    def _flush_often(self) -> None:
        while not self._closing.wait(FLUSH_EVERY_S):
            if not self._queue:
                continue
            try:
                self._flush()
            except ServerError as fault:
                _log.error("calls were not logged: %s", fault.sentence)
            except Exception:
                _log.exception("calls were not logged")

    def _flush(self) -> None:
        with self._flushing:
            log = self._path.with_name(LOG + "-wal")
            if log.exists() and log.stat().st_size > CHECKPOINT_BYTES:
                # The connections of this log never do so themselves: no request waits for the disk. It comes first,
                # because whoever writes next begins the write-ahead log anew, and syncs its header.
                raw(self._rows_connection).execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            calls = [self._queue.popleft() for _ in range(len(self._queue))]
            if calls:
                in_transaction(
                    self._rows_connection, "BEGIN IMMEDIATE", lambda connection: self._add(connection, calls)
                )

    def _add(self, connection: Connection, calls: Sequence[CallRecord]) -> None:
        erased = {bytes(row.mark): row.at + _ERASED_GRACE for row in connection.execute(_MARKS)}
        rows = [{name: getattr(call, name) for name in _FIELDS} for call in calls]
        for row in rows if erased else ():
            until = None if row["space"] is None else erased.get(_mark_of(row["account_id"], row["space"]))
            if until is not None and row["at"] <= until:
                row["space"] = None
        connection.execute(_ADD, rows)
        newest = max(call.at for call in calls)
        if self._pruned_at is None or newest - self._pruned_at >= _PRUNE_EVERY:
            self._pruned_at = newest
            connection.execute(_PRUNE_OLD, {"before": newest - self._keep})
            connection.execute(_PRUNE_MANY)
            connection.execute(_PRUNE_MARKS, {"before": newest - _ERASED_KEPT})
            drop_idle_windows(connection, newest)

    def _page(
        self, account_id: AccountId, limit: int, before: int | None, only: CallFilter
    ) -> tuple[Sequence[CallRecord], int | None]:
        chosen = _PAGE.where(*_conditions(only))
        if before is not None:
            chosen = chosen.where(requests.c.n < before)
        with connected(self._engine) as connection:
            rows = in_transaction(
                connection,
                "BEGIN",
                lambda _: connection.execute(chosen.limit(limit + 1), {"account_id": account_id}).all(),
            )
        shown = rows[:limit]
        return [_call(row) for row in shown], shown[-1].n if len(rows) > limit else None

    def _apps(self, account_id: AccountId) -> Sequence[str]:
        with connected(self._engine) as connection:
            return in_transaction(
                connection,
                "BEGIN",
                lambda _: [str(app) for app in connection.execute(_APPS, {"account_id": account_id}).scalars()],
            )

    def _forget_space(self, account_id: AccountId, space: str, now: datetime) -> None:
        self._flush()

        def blank(connection: Connection) -> None:
            connection.execute(_MARK, {"mark": _mark_of(account_id, space), "at": now})
            connection.execute(_BLANK, {"of_account": account_id, "named": space})

        with self._flushing:
            in_transaction(self._rows_connection, "BEGIN IMMEDIATE", blank)
        scrub(self._path)

    def _close(self) -> None:
        self._flusher.join()
        self._slots_thread.shutdown(wait=True)
        try:
            self._flush()
        finally:
            for connection in (self._rows_connection, self._slots_connection, self._at_once_connection):
                connection.close()


def open_call_log(directory: Path, keep_days: int = 30) -> SqliteCallLog:
    """Open the request log in the store's directory, made when there is none. Raises Unavailable when it can't be."""
    check_version()
    make_private(directory / LOG)
    engine = open_engine(directory / LOG, "log")
    with connected(engine) as connection:
        patiently(lambda: raw(connection).execute("PRAGMA journal_mode=WAL").fetchone())
        in_transaction(connection, "BEGIN IMMEDIATE", log_metadata.create_all)
    return SqliteCallLog(directory, timedelta(days=keep_days))


def _conditions(only: CallFilter) -> Iterator[ColumnElement[bool]]:
    if only.text:
        searched = (requests.c.id, requests.c.route, requests.c.outcome, requests.c.app, requests.c.space)
        yield or_(*(column.icontains(only.text, autoescape=True) for column in searched))
    if only.app is not None:
        yield requests.c.app == only.app
    if only.statuses is not None:
        yield requests.c.status.between(*only.statuses)
    if only.since is not None:
        yield requests.c.at >= only.since
    if only.until is not None:
        yield requests.c.at < only.until
    if not only.views:
        yield not_(and_(requests.c.door == "page", requests.c.route.startswith("GET ")))


def _mark_of(account_id: int | None, space: str) -> bytes:
    """What stands for the name of an erased space, which is not kept itself."""
    return hashlib.sha256(f"{account_id}\x1f{space}".encode()).digest()


def _call(row: AnyRow) -> CallRecord:
    return CallRecord(**{name: getattr(row, name) for name in _FIELDS})
