"""The worker that learns: one task a process, woken when a job is added, and safe beside others on the store."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Final

from geniffy_server.errors import Unavailable
from geniffy_server.ports import Ports
from geniffy_server.services.categorizing import categorize_next
from geniffy_server.services.learning import check_embedder, embed_missing, learn_next
from geniffy_server.services.scrubbing import scrub_if_owed
from geniffy_server.services.search_keys import renew_keys

log = logging.getLogger(__name__)

_LOOK_EVERY_S: Final = 0.5  # how soon jobs that another process added, or left behind, are seen
_PAUSE_AFTER_FAULT_S: Final = 2.0
_LOOK_FOR_SCRUBS_EVERY_S: Final = 1.0
_SCRUB_OWED_S: Final = 2.0  # by then whoever removed something scrubs themselves, in a third of a second as a rule
_PAUSE_AFTER_BUSY_S: Final = 30.0
_END_WITHIN_S: Final = 1.0  # by then a slice was written or given back, but where the machine is very busy


class LocalBell:
    """Rings within one process; made inside the event loop that it rings in."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._work = asyncio.Event()
        self._learned = asyncio.Event()
        self._is_stopping = False

    @property
    def is_stopping(self) -> bool:
        """Whether the process was asked to stop."""
        return self._is_stopping

    def stop(self) -> None:
        """Let everyone who waits for a source come back. Callable from any thread, and from a signal's handler."""
        self._is_stopping = True
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._wake)

    def ring(self) -> None:
        """Wake the worker. Callable from any thread."""
        self._from_anywhere(self._work.set)

    def learned(self) -> None:
        """Wake everyone who waits for a source. Callable from any thread."""
        self._from_anywhere(self._wake)

    async def next_learned(self, timeout_s: float) -> None:
        """Return when some source ended learning in this process, or when the time is up."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._learned.wait(), timeout_s)

    async def next_work(self, timeout_s: float) -> None:
        """Return when the bell was rung since the last call, or when the time is up."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._work.wait(), timeout_s)
        self._work.clear()

    def _wake(self) -> None:
        waited, self._learned = self._learned, asyncio.Event()
        waited.set()

    def _from_anywhere(self, callback: object) -> None:
        assert callable(callback)
        if asyncio._get_running_loop() is self._loop:
            callback()
        else:
            with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
                self._loop.call_soon_threadsafe(callback)


@contextlib.asynccontextmanager
async def learning(ports: Ports, bell: LocalBell) -> AsyncIterator[None]:
    """Learn, and scrub what others left, while the block runs.

    A slice that has begun is written, or its job given back, before the block is left. What takes too long is left
    behind: the next start takes its job over.
    """
    stop = asyncio.Event()
    tasks = [
        asyncio.create_task(_work(ports, bell, stop), name="learning"),
        asyncio.create_task(_clean(ports, stop), name="scrubbing"),
    ]
    try:
        yield
    finally:
        stop.set()
        bell.stop()
        bell.ring()
        ended, late = await asyncio.wait(tasks, timeout=_END_WITHIN_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        await asyncio.gather(*ended)


async def _work(ports: Ports, bell: LocalBell, stop: asyncio.Event) -> None:
    is_checked = False
    while not (stop.is_set() or bell.is_stopping):
        try:
            if not is_checked:
                await check_embedder(ports)
                is_checked = True
            if await learn_next(ports) or await renew_keys(ports) or await embed_missing(ports):
                continue
            if await categorize_next(ports):
                continue
        except Exception:
            log.exception("the worker met a fault and goes on")
            await _pause(stop, _PAUSE_AFTER_FAULT_S)
            continue
        await bell.next_work(_LOOK_EVERY_S)


async def _clean(ports: Ports, stop: asyncio.Event) -> None:
    """See to scrubs that nobody is about to do: a process that removed something ended, or the store was too busy."""
    for_s = 0.0
    while not stop.is_set():
        pause_s = _LOOK_FOR_SCRUBS_EVERY_S
        try:
            await scrub_if_owed(ports, for_s=for_s)
        except Unavailable as busy:
            log.warning("%s It is tried again.", busy.sentence)
            pause_s = _PAUSE_AFTER_BUSY_S
        except Exception:
            log.exception("the store was not scrubbed; it is tried again")
            pause_s = _PAUSE_AFTER_BUSY_S
        for_s = _SCRUB_OWED_S
        await _pause(stop, pause_s)


async def _pause(stop: asyncio.Event, timeout_s: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), timeout_s)
