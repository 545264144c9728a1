"""What could not be read: an agent may take it for "not there", so nothing is written over it unseen."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

_MOST: Final = 1_000


class Unread:
    """Places of items, and beginnings of places, whose last read failed. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failed: OrderedDict[tuple[str | None, str], None] = OrderedDict()

    def note(self, space: str | None, beginning: str, *, failed: bool) -> None:
        """Note how reading what stands there went: an item's path, or that of a namespace with its slash."""
        with self._lock:
            self._failed.pop((space, beginning), None)
            if failed:
                self._failed[space, beginning] = None
                while len(self._failed) > _MOST:
                    self._failed.popitem(last=False)

    def holds(self, space: str | None, path: str) -> bool:
        """Whether an item's path is one that could not be read, or lies beneath one."""
        with self._lock:
            return any(whose == space and path.startswith(beginning) for whose, beginning in self._failed)
