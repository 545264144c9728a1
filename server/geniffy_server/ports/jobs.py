"""Learning jobs, and the bell that wakes those who wait for them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from geniffy_server.domain.job import Job, JobId
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import SpaceId


class Jobs(Protocol):
    def add(self, space_id: SpaceId, source_id: SourceId, revision: int, now: datetime) -> None:
        """Ask for a source to be learned; it takes the place of an earlier job for the same source."""
        ...

    def claim(self, worker: str, now: datetime, lease_s: float) -> Job | None:
        """Take the job that waited longest since its last turn, if no living lease holds it.

        While a living lease holds one job of a space, no other job of that space is taken: two workers never compare
        new facts with the same memories at once.
        """
        ...

    def yield_(self, job_id: JobId, revision: int, now: datetime) -> None:
        """Give an unfinished job back, behind the others, with its attempts set to 0: it made progress."""
        ...

    def finish(self, job_id: JobId, revision: int) -> None:
        """Remove the job, unless a newer revision took its place."""
        ...

    def retry(self, job_id: JobId, revision: int, at: datetime) -> None:
        """Give a job back after a fault, not to be taken before `at`."""
        ...

    def workers(self, now: datetime) -> Collection[str]:
        """Those that hold a living lease."""
        ...

    def free(self, workers: Collection[str]) -> None:
        """Give back what these workers hold: they have ended."""
        ...

    def waiting(self) -> int: ...


class Bell(Protocol):
    """Rings between those who add work and those who do it, in one process."""

    def ring(self) -> None:
        """A learning job was added: a worker of this process may start on it at once. Callable from any thread."""
        ...

    def learned(self) -> None:
        """Some source ended learning: wake those who wait."""
        ...

    async def next_learned(self, timeout_s: float) -> None:
        """Return when some source ended learning in this process, or when the time is up."""
        ...

    @property
    def is_stopping(self) -> bool:
        """Whether the process was asked to stop: whoever waits for a source should come back."""
        ...

    def stop(self) -> None:
        """Say that the process was asked to stop. Callable from any thread, and from a signal's handler."""
        ...
