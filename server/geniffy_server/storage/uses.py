"""What was used, counted in memory and written within a second, so that nobody who only reads waits for the disk."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from geniffy_server.domain.account import KeyId
from geniffy_server.domain.connection import ConnectionId
from geniffy_server.domain.space import AccountId
from geniffy_server.errors import Unavailable
from geniffy_server.storage.accounts import AccountRows
from geniffy_server.storage.connections import ConnectionRows
from geniffy_server.storage.keys import KeyRows
from geniffy_server.storage.presence import Presence
from geniffy_server.storage.sqlite import in_transaction

WRITE_AFTER_S: Final = 0.5
SETTLES_WITHIN_S: Final = 1.0
_WRITES_WITHIN_S: Final = 0.25

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Noted:
    """What is not written yet. It grows with accounts, keys and apps, and not with calls."""

    answers: Counter[tuple[AccountId, str]] = field(default_factory=Counter)
    keys: dict[KeyId, datetime] = field(default_factory=dict)
    connections: dict[ConnectionId, datetime] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.answers or self.keys or self.connections)


class StoredUses:
    """`ports.Uses` over a connection of its own, which does not wait for the disk, and a thread that writes."""

    def __init__(self, connection: Connection, presence: Presence) -> None:
        self._connection = connection
        self._presence = presence
        self._is_seen = False
        self._noted = _Noted()
        self._noting = threading.Lock()
        self._writing = threading.Lock()
        self._is_any = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._write_soon, name="store-uses", daemon=True)
        self._thread.start()

    def answered(self, account_id: AccountId, month: str) -> None:
        """Count an answer in `month` (`2026-10`)."""
        if not self._is_seen:
            # From now on others wait for what is counted here; it is counted all the same where that can't be told.
            with contextlib.suppress(OSError):
                self._presence.begin()
            self._is_seen = True
        with self._noting:
            self._noted.answers[account_id, month] += 1
        self._is_any.set()

    def key(self, key_id: KeyId, at: datetime) -> None:
        """Note when a key was used last."""
        with self._noting:
            self._noted.keys[key_id] = at
        self._is_any.set()

    def connection(self, connection_id: ConnectionId, at: datetime) -> None:
        """Note when a connected app called last."""
        with self._noting:
            self._noted.connections[connection_id] = at
        self._is_any.set()

    async def settle(self, *, everywhere: bool = False) -> None:
        """Write what was noted until now; what can't be written within a second stays noted, and is written later.

        With `everywhere` it takes as long as others who work on the store may take to write theirs.
        """
        writing = asyncio.get_running_loop().run_in_executor(None, self._write)
        await asyncio.wait({writing}, timeout=SETTLES_WITHIN_S)
        writing.add_done_callback(_say_why_not)
        if everywhere and not await asyncio.to_thread(self._presence.is_alone):
            await asyncio.sleep(WRITE_AFTER_S + _WRITES_WITHIN_S)

    def close(self) -> None:
        """Write what is left, and close the connection. Blocking."""
        self._closing.set()
        self._is_any.set()
        self._thread.join()
        try:
            self._write()
        except Unavailable as fault:
            _log.error("the last uses were not counted: %s", fault.sentence)
        finally:
            self._connection.close()

    def _write_soon(self) -> None:
        is_failing = False
        while True:
            self._is_any.wait()
            if self._closing.wait(WRITE_AFTER_S):
                return
            self._is_any.clear()
            try:
                self._write()
                is_failing = False
            except Exception as fault:
                if not is_failing:
                    _log.error("uses are not counted until the store can be written: %s", fault)
                is_failing = True
                self._is_any.set()

    def _write(self) -> None:
        with self._writing:
            with self._noting:
                noted, self._noted = self._noted, _Noted()
            if not noted:
                return
            try:
                in_transaction(self._connection, "BEGIN IMMEDIATE", lambda connection: _write(connection, noted))
            except BaseException:
                self._note_again(noted)
                raise

    def _note_again(self, noted: _Noted) -> None:
        with self._noting:
            self._noted.answers += noted.answers
            self._noted.keys = noted.keys | self._noted.keys
            self._noted.connections = noted.connections | self._noted.connections


def _say_why_not(writing: asyncio.Future[None]) -> None:
    if not writing.cancelled() and (fault := writing.exception()) is not None:
        _log.warning("uses are shown as they were last written: %s", fault)


def _write(connection: Connection, noted: _Noted) -> None:
    accounts, keys, apps = AccountRows(connection), KeyRows(connection), ConnectionRows(connection)
    for (account_id, month), answers in noted.answers.items():
        accounts.count_usage(account_id, month, answers=answers)
    for key_id, at in noted.keys.items():
        keys.used(key_id, at)
    for connection_id, at in noted.connections.items():
        apps.used(connection_id, at)
