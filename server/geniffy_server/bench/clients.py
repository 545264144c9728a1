"""Clients that load a server: readers who search and ask, writers who add, put and forget."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from geniffy_server.bench.people import note, statement, two_kilobytes
from geniffy_server.bench.scoring import percentile
from geniffy_server.bench.searching import question
from geniffy_server.bench.wire import Client, Reply
from geniffy_server.errors import Unavailable

KEPT: Final = "/memories/kept.md"
"""A file that stands in every space before the load begins."""

_APART: Final = 1_000  # questions and texts of one client, before those of the next one
_FILES: Final = 50  # that a writer puts again and again
_FORGETS_EVERY: Final = 5  # rounds of a writer


@dataclass(slots=True)
class Tally:
    """Answers by call: how long each took, and how often each status came; 0 stands for no answer."""

    times_ms: dict[str, list[float]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, name: str, status: int, took_ms: float) -> None:
        """Count one answer. Callable from any thread."""
        with self._lock:
            self.times_ms.setdefault(name, []).append(took_ms)
            self.statuses[status] += 1

    @property
    def calls(self) -> int:
        """How many were made."""
        return self.statuses.total()

    @property
    def failed(self) -> Mapping[int, int]:
        """How often each status came that is no success."""
        return {status: count for status, count in sorted(self.statuses.items()) if not 200 <= status < 300}

    def by_call(self) -> dict[str, dict[str, float]]:
        """Of each call, how many were made, and p50, p95 and p99 in milliseconds."""
        shares = (50, 95, 99)
        return {
            name: {"calls": len(times), **{f"p{share}": percentile(times, share / 100) for share in shares}}
            for name, times in sorted(self.times_ms.items())
        }


class Caller:
    """One client: makes its calls one after another, and notes each."""

    def __init__(self, client: Client, number: int, tally: Tally) -> None:
        self._client = client
        self._tally = tally
        self._number = number
        self._next = number * _APART

    def read(self) -> None:
        """One round of a reader."""
        asked = question(self._step())
        self._call("search", "POST", "/v1/search", {"q": asked, "limit": 10})
        self._call("ask", "POST", "/v1/ask", {"question": asked})
        self._call("context", "POST", "/v1/context", {"question": asked})
        self._call("list memories", "GET", "/v1/memories?limit=20")
        self._call("get a file", "GET", f"/v1/files?path={quote(KEPT, safe='')}")

    def write(self) -> None:
        """One round of a writer."""
        at = self._step()
        path = f"/memories/{self._number}/{at % _FILES}.md"
        self._call("put a file", "PUT", "/v1/files", {"path": path, "text": two_kilobytes(at)})
        self._call("add a note", "POST", "/v1/memories", {"text": note(at, 3)})
        said = [{"role": "user", "content": statement(at * 5 + one).text} for one in range(2)]
        self._call("add to a session", "POST", "/v1/memories", {"messages": said, "session": f"chat {self._number}"})
        if at % _FORGETS_EVERY == 0:
            listed = self._call("list memories", "GET", "/v1/memories?limit=1")
            for held in listed.json()["memories"] if listed.status == 200 else []:
                self._call("forget", "DELETE", f"/v1/memories/{held['id']}")

    def _step(self) -> int:
        self._next += 1
        return self._next

    def _call(self, name: str, method: str, path: str, body: Any = None) -> Reply:
        request = self._client.request(method, path, body)
        began = time.perf_counter()
        reply = self._client.send(request)
        self._tally.note(name, reply.status, (time.perf_counter() - began) * 1000)
        return reply


def keep_calling(
    base_url: str,
    keys: Sequence[str],
    space: str,
    number: int,
    round_of: Callable[[Caller], None],
    until: float,
    tally: Tally,
) -> None:
    """Go through rounds until that time (`time.monotonic`); a connection that breaks is noted, and opened again."""
    while time.monotonic() < until:
        try:
            with Client(base_url, keys, space) as client:
                caller = Caller(client, number, tally)
                while time.monotonic() < until:
                    round_of(caller)
        except (Unavailable, OSError):
            tally.note("connection", 0, 0.0)
