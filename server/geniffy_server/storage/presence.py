"""Telling whether the process that took a job still lives: each holds the lock of a file of its own.

The system lets go of the lock when a process ends, however it ends, so nobody has to wait for a lease to run out.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import threading
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"[0-9]{1,10}-[0-9a-f]{16}")


class Presence:
    """This process among those that work on one store; `directory` is where their files lie."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._starting = threading.Lock()
        self._name: str | None = None
        self._held: int | None = None

    @property
    def name(self) -> str:
        """What this process is known by to the others, once it was asked for."""
        return self.begin()

    def begin(self) -> str:
        """Be among those that work on the store, under the name that is returned. A second time does nothing."""
        with self._starting:
            if self._name is None:
                self._directory.mkdir(mode=0o700, exist_ok=True)
                self._name = self._hold(f"{os.getpid()}-{secrets.token_hex(8)}")
                for other in os.listdir(self._directory):
                    self.lives(other)  # what those leave behind that were killed goes
            return self._name

    def _hold(self, name: str) -> str:
        """Hold a file of that name, which nobody ever sees unlocked: it gets its name when it is."""
        nameless = self._directory / f".{name}"
        self._held = os.open(nameless, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        nameless.rename(self._directory / name)
        return name

    def lives(self, name: str) -> bool:
        """Whether the process of that name has not ended; True for a name that is none of ours, which nobody knows."""
        if not _NAME.fullmatch(name):
            return True
        path = self._directory / name
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        path.unlink(missing_ok=True)
        return False

    def is_alone(self) -> bool:
        """Whether no other process that works on the store lives."""
        try:
            names = os.listdir(self._directory)
        except FileNotFoundError:
            return True
        return not any(name != self._name and _NAME.fullmatch(name) and self.lives(name) for name in names)

    def end(self) -> None:
        """Leave, before the process ends. A second time does nothing."""
        with self._starting:
            if self._held is None or self._name is None:
                return
            with contextlib.suppress(OSError):
                (self._directory / self._name).unlink(missing_ok=True)
            os.close(self._held)
            self._held = None
