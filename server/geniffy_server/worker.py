"""The worker that learns: one task a process, woken when a job is added, and safe beside others on the store."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
from collections.abc import AsyncIterator
from typing import Final

from geniffy_server.ports import Ports
from geniffy_server.services.learning import check_embedder, embed_missing, learn_next

log = logging.getLogger(__name__)

_LOOK_EVERY_S: Final = 0.5  # how soon jobs that another process added, or left behind, are seen
_PAUSE_AFTER_FAULT_S: Final = 2.0


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
    """Learn in the background while the block runs; a slice that has begun ends before it leaves."""
    stop = asyncio.Event()
    task = asyncio.create_task(_work(ports, bell, stop), name="learning")
    try:
        yield
    finally:
        stop.set()
        bell.ring()
        await task


async def _work(ports: Ports, bell: LocalBell, stop: asyncio.Event) -> None:
    name = f"{os.getpid()}-{secrets.token_hex(4)}"
    is_checked = False
    while not stop.is_set():
        try:
            if not is_checked:
                await check_embedder(ports)
                is_checked = True
            if await learn_next(ports, name) or await embed_missing(ports):
                continue
        except Exception:
            log.exception("the worker met a fault and goes on")
            await _pause(stop, _PAUSE_AFTER_FAULT_S)
            continue
        await bell.next_work(_LOOK_EVERY_S)


async def _pause(stop: asyncio.Event, timeout_s: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), timeout_s)
