"""Processes that stop: without waiting for long polls, and not later than the one that started them."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class WithoutWaiting:
    """ASGI middleware that calls `stop` as soon as a signal says so.

    uvicorn lets calls that are under way end before it tells the app that it stops; a long poll would take half a
    minute to. Its lifespan runs in the main thread, where signals are handled.
    """

    def __init__(self, app: ASGIApp, stop: Callable[[], None]) -> None:
        self._app = app
        self._stop = stop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything through, and listen for signals as long as the lifespan runs."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        with _told_of(self._stop):
            await self._app(scope, receive, send)


@contextmanager
def _told_of(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` before whatever handles the signals now."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        stop()
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for number in _SIGNALS:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop_with_parent() -> None:
    """Stop this process when the one that started it has ended, however it ended.

    A worker that went on would keep the port, and nobody could stop or start the server as one.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
