"""Processes that stop: without waiting for long polls or for threads, and not later than the one that started them."""

from __future__ import annotations

import asyncio
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
_END_WITHIN_S: Final = 0.5


class WithoutWaiting:
    """ASGI middleware that calls `stop` as soon as a signal says so, and ends the process soon after its app has ended.

    uvicorn lets calls that are under way end before it tells the app that it stops; a long poll would take half a
    minute to. Its lifespan runs in the main thread, where signals are handled.
    """

    def __init__(self, app: ASGIApp, stop: Callable[[], None]) -> None:
        self._app = app
        self._stop = stop
        self._is_told = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything through, and listen for signals as long as the lifespan runs."""
        if scope["type"] != "lifespan":
            try:
                await self._app(scope, receive, send)
            except asyncio.CancelledError:
                if not self._is_told:
                    raise
                # uvicorn gave the call up, and the app has answered it: no fault that needs a traceback.
            return
        with _told_of(self._told):
            await self._app(scope, receive, send)
        if self._is_told:
            end_soon()

    def _told(self) -> None:
        self._is_told = True
        self._stop()


def end_soon() -> None:
    """End this process in half a second, whatever its threads are at. For when everything is closed.

    Python waits for every thread of an executor before it ends. One that reads the text of a call that was given up
    would go on for as long as that takes, and nothing can stop it from outside.
    """
    ending = threading.Timer(_END_WITHIN_S, os._exit, [0])
    ending.daemon = True
    ending.start()


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
