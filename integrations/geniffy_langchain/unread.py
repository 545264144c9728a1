"""What could not be read: an agent may take it for "not there", so nothing is written over it unseen."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

_MOST: Final = 1_000


class Unread:
    """Places of items, and beginnings of places, whose last read failed. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failed: OrderedDict[tuple[str | None, str], set[str]] = OrderedDict()

    def failed(self, space: str | None, beginning: str) -> None:
        """Note that what stands there could not be read: an item's path, or that of a namespace with its slash."""
        with self._lock:
            self._failed.pop((space, beginning), None)
            self._failed[space, beginning] = set()
            while len(self._failed) > _MOST:
                self._failed.popitem(last=False)

    def read(self, space: str | None, beginning: str, shown: Iterable[str] = ()) -> None:
        """Note that it was read, and with it the items whose paths are `shown`."""
        with self._lock:
            self._failed.pop((space, beginning), None)
            for path in (beginning, *shown):
                self._failed.pop((space, path), None)
                for (whose, failed), since in self._failed.items():
                    if whose == space and path.startswith(failed):
                        since.add(path)

    def holds(self, space: str | None, path: str) -> bool:
        """Whether an item's path is one that could not be read, or lies beneath one, and was not read since."""
        with self._lock:
            return any(
                whose == space and path.startswith(beginning) and path not in since
                for (whose, beginning), since in self._failed.items()
            )
