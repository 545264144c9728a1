"""One at a time, over all processes that run tests."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def own_turn(lock: Path) -> Iterator[None]:
    """Waits until no other process has its turn by this file, which is made if it is not there."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
