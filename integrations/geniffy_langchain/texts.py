"""The texts of files that were read, kept while a listing shows that they did not change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from geniffy_agents.types import File, FileInfo

Place = tuple[str, str, str]
"""The server, the space and the path of a file."""

MOST_CHARS: Final = 20_000_000


class Texts:
    """The texts read last, up to 20 million characters of them. May be used from several threads.

    A file's text is the one that was read as long as its time and size are the same.
    """

    def __init__(self, most_chars: int = MOST_CHARS) -> None:
        self._most_chars = most_chars
        self._lock = threading.Lock()
        self._held: OrderedDict[Place, File] = OrderedDict()
        self._chars = 0

    def find(self, place: Place, listed: FileInfo) -> str | None:
        """The text of a file as a listing shows it; None when it has to be read."""
        with self._lock:
            held = self._held.get(place)
            if held is None or (held.updated_at, held.size) != (listed.updated_at, listed.size):
                return None
            self._held.move_to_end(place)
            return held.text

    def keep(self, place: Place, file: File) -> None:
        """Keep what was read."""
        with self._lock:
            earlier = self._held.pop(place, None)
            self._chars += len(file.text) - (len(earlier.text) if earlier else 0)
            self._held[place] = file
            while self._chars > self._most_chars:
                _, oldest = self._held.popitem(last=False)
                self._chars -= len(oldest.text)
