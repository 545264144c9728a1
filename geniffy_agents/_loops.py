"""Connections of an asyncio client: they belong to the event loop that opened them, and an app may run several."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from typing import Any

import httpx


class LoopClients:
    """As much of an `httpx.AsyncClient` as the SDK uses, with one behind it for every event loop that calls.

    A script that runs one loop after the other may keep its client; connections that a closed loop left are let go.
    May be used from several threads.
    """

    def __init__(self, make: Callable[[], httpx.AsyncClient], timeout: httpx.Timeout) -> None:
        self.timeout = timeout
        self.is_closed = False
        self._make = make
        self._lock = threading.Lock()
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient]
        self._clients = weakref.WeakKeyDictionary()

    def of_this_loop(self) -> httpx.AsyncClient:
        """The client of the running event loop. Raises RuntimeError once closed, as httpx does."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if self.is_closed:
                raise RuntimeError("The client was closed.")
            if loop not in self._clients:
                self._clients[loop] = self._make()
            return self._clients[loop]

    async def request(self, **arguments: Any) -> httpx.Response:
        """Send a request over the running loop's connections."""
        return await self.of_this_loop().request(**arguments)

    async def aclose(self) -> None:
        """Close the connections of every loop that runs. A second time does nothing."""
        with self._lock:
            self.is_closed = True
            clients = list(self._clients.items())
            self._clients.clear()
        for loop, client in clients:
            if loop is asyncio.get_running_loop():
                await client.aclose()
            elif loop.is_running():
                asyncio.run_coroutine_threadsafe(client.aclose(), loop)
