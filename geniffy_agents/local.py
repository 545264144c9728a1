"""The server in this process: no port, no key, one directory, the same client.

    mem = Geniffy.local("memory").space("ana")
    mem.memories.add("Prefers tea to coffee.")

It is the whole server with its worker, on an event loop in a thread of its own. It is safe beside a running
`geniffy-server serve` on the same directory: each sees the other's writes at its next call.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import httpx

from geniffy_agents.errors import GeniffyError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

T = TypeVar("T")

BASE_URL: Final = "http://geniffy.local"
"""What requests are addressed to; nothing listens there."""
KEY: Final = "local"
"""Sent in the place of an API key: whoever may open the directory may use the memory in it."""
_START_S: Final = 60.0


class LocalServer:
    """The server's app on a directory, running in a thread; shared by the clients of one process and directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._users = 0
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._handle: httpx.ASGITransport | None = None
        self._failure: BaseException | None = None
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), name="geniffy-local", daemon=True)
        self._thread.start()
        if not started.wait(_START_S):
            raise GeniffyError(f"The memory in {directory} did not open within {_START_S:.0f} seconds.")
        if self._failure is not None:
            raise GeniffyError(str(self._failure)) from self._failure

    async def answer(self, request: httpx.Request) -> httpx.Response:
        """One request's whole answer. Runs on the server's own loop."""
        assert self._handle is not None
        response = await self._handle.handle_async_request(request)
        body = await response.aread()
        return httpx.Response(response.status_code, headers=response.headers, content=body)

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run `work` on the server's loop; a concurrent future of its result."""
        if not self._thread.is_alive():
            work.close()
            raise httpx.ConnectError(f"The memory in {self.directory} was closed.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """End the server: what it has begun to learn ends first, the rest goes on when the directory is next open."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def _run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve(started))
        except BaseException as failure:
            self._failure = failure
            started.set()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _serve(self, started: threading.Event) -> None:
        app, running = _app(self.directory)
        async with running():
            self._handle = httpx.ASGITransport(app=app, raise_app_exceptions=False)
            started.set()
            await self._stop.wait()


def _app(directory: Path) -> tuple[ASGIApp, Callable[[], Any]]:
    """The server's app and its lifespan. Raises ImportError that names the extra."""
    try:
        from geniffy_server.models.threads import limit_threads

        limit_threads()
        from geniffy_server.app import create_local_app
        from geniffy_server.settings import Settings
    except ImportError as missing:
        raise ImportError(
            f"Geniffy.local() runs the server in this process: pip install 'geniffy-agents[server]' ({missing})."
        ) from missing
    app = create_local_app(Settings(data=directory, public_url=BASE_URL))
    return app, lambda: app.router.lifespan_context(app)


_servers: dict[tuple[int, Path], LocalServer] = {}
_lock = threading.Lock()


def acquire(path: str | os.PathLike[str]) -> LocalServer:
    """The server of a directory, started when this process has none there; give it back with `release`."""
    key = (os.getpid(), Path(path).expanduser().resolve())
    with _lock:
        server = _servers.get(key)
        if server is None:
            server = _servers[key] = LocalServer(key[1])
        server._users += 1
        return server


def release(server: LocalServer) -> None:
    """Give a server back; the last one out stops it."""
    with _lock:
        server._users -= 1
        if server._users > 0:
            return
        _servers.pop((os.getpid(), server.directory), None)
    server.stop()


@atexit.register
def _stop_all() -> None:
    """End cleanly what a script left open."""
    with _lock:
        left = [server for (pid, _), server in _servers.items() if pid == os.getpid()]
        _servers.clear()
    for server in left:
        server.stop()


class LocalTransport(httpx.BaseTransport):
    """Carries a blocking client's requests to the server in this process."""

    def __init__(self, server: LocalServer) -> None:
        self._server = server
        self._is_open = True

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` and wait for its answer. Raises httpx.ConnectError once closed."""
        if not self._is_open:
            raise httpx.ConnectError("This client was closed.")
        request.read()
        sent = httpx.Request(request.method, request.url, headers=request.headers, content=request.content)
        return self._server.submit(self._server.answer(sent)).result()

    def close(self) -> None:
        """Give the server back."""
        if self._is_open:
            self._is_open = False
            release(self._server)


class AsyncLocalTransport(httpx.AsyncBaseTransport):
    """The same for asyncio; it may be used from any event loop."""

    def __init__(self, server: LocalServer) -> None:
        self._server = server
        self._is_open = True

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` and wait for its answer. Raises httpx.ConnectError once closed."""
        if not self._is_open:
            raise httpx.ConnectError("This client was closed.")
        await request.aread()
        sent = httpx.Request(request.method, request.url, headers=request.headers, content=request.content)
        return await asyncio.wrap_future(self._server.submit(self._server.answer(sent)))

    async def aclose(self) -> None:
        """Give the server back."""
        if self._is_open:
            self._is_open = False
            await asyncio.to_thread(release, self._server)
