"""The server in this process: no port, no key, one directory, the same client.

    mem = Geniffy.local("memory").space("ana")
    mem.memories.add("Prefers tea to coffee.")

It is the whole server with its worker, on an event loop in a thread of its own. It is safe beside a running
`geniffy-server serve` on the same directory: each sees the other's writes at its next call.

A child of a fork can't use its parent's: calls fail, and it opens one of its own. It should end by `os._exit`, as those
of `multiprocessing` do: at a full exit onnxruntime waits for threads that only the parent has, and aborts.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import logging
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx

from geniffy_agents.errors import GeniffyError

T = TypeVar("T")

log = logging.getLogger(__name__)

BASE_URL: Final = "http://geniffy.local"
"""What requests are addressed to; nothing listens there."""
_START_S: Final = 60.0
_END_S: Final = 5.0  # for calls that are under way when the last client closes


class LocalServer:
    """The server's app on a directory, running in a thread; shared by the clients of one process and directory.

    Raises ImportError that names the extra when the server is not installed, GeniffyError when the directory can't
    be opened.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.users = 0
        self._app = _app(directory)
        self._loop = _new_loop()
        self._stop = asyncio.Event()
        self._calls: set[asyncio.Task[Any]] = set()
        self._gate = threading.Lock()
        self._is_open = True
        self._handle: httpx.ASGITransport | None = None
        self._failure: BaseException | None = None
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), name="geniffy-local", daemon=True)
        self._thread.start()
        if not started.wait(_START_S):
            self._loop.call_soon_threadsafe(self._stop.set)
            raise GeniffyError(f"The memory in {str(directory)!r} did not open within {_START_S:.0f} seconds.")
        if self._failure is not None:
            raise _cannot_open(directory, self._failure) from self._failure

    async def answer(self, request: httpx.Request) -> httpx.Response:
        """One request's whole answer. Runs on the server's own loop. Raises httpx.ReadError when the server ends."""
        assert self._handle is not None
        task = asyncio.current_task()
        assert task is not None
        self._calls.add(task)
        try:
            response = await self._handle.handle_async_request(request)
            body = await response.aread()
        except asyncio.CancelledError:
            if self._stop.is_set():
                raise httpx.ReadError(self._closed) from None
            raise
        finally:
            self._calls.discard(task)
        return httpx.Response(response.status_code, headers=response.headers, content=body)

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run `work` on the server's loop; a concurrent future of its result. Raises httpx.ConnectError at the end."""
        with self._gate:
            # After a fork the thread is not there, and nothing would ever answer.
            if self._is_open and self._thread.is_alive():
                return asyncio.run_coroutine_threadsafe(work, self._loop)
        work.close()
        raise httpx.ConnectError(self._closed)

    def stop(self) -> None:
        """End the server: what it has begun to learn ends first, the rest goes on when the directory is next open."""
        with self._gate:
            if not (self._is_open and self._thread.is_alive()):
                return
            self._is_open = False
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @property
    def _closed(self) -> str:
        return f"The memory in {str(self.directory)!r} was closed."

    def _run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve(started))
        except Exception as failure:
            self._failure = failure
            if started.is_set():
                log.exception("the memory in %r was not closed cleanly", str(self.directory))
        finally:
            started.set()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _serve(self, started: threading.Event) -> None:
        async with self._app.router.lifespan_context(self._app):
            self._handle = httpx.ASGITransport(app=self._app, raise_app_exceptions=False)
            started.set()
            await self._stop.wait()
            self._app.state.ports.bell.stop()  # calls that wait for learning come back
            while self._calls:
                _, late = await asyncio.wait(self._calls, timeout=_END_S)
                for call in late:
                    call.cancel()


def _new_loop() -> asyncio.AbstractEventLoop:
    """The loop that the server runs on elsewhere too: uvloop where it is installed, which wakes faster."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def _app(directory: Path) -> Any:
    """The server's FastAPI app on a directory; its type would have to be installed to be named here.

    Raises ImportError that names the extra, GeniffyError for a bad variable.
    """
    try:
        from geniffy_server.models.threads import limited_threads

        with limited_threads():
            from geniffy_server.app import create_local_app
            from geniffy_server.errors import ServerError
            from geniffy_server.settings import read_settings
    except ImportError as missing:
        raise ImportError(
            f"Geniffy.local() runs the server in this process: pip install 'geniffy-agents[server]' ({missing})."
        ) from missing
    try:
        settings = read_settings(data=directory, public_url=BASE_URL)
    except ServerError as wrong:
        raise _cannot_open(directory, wrong) from wrong
    # The directory that was named is the one that is meant, whatever the variables say of a server's database.
    return create_local_app(settings.model_copy(update={"database_url": None}))


def _cannot_open(directory: Path, failure: BaseException) -> GeniffyError:
    code = getattr(failure, "code", None)
    return GeniffyError(
        f"The memory in {str(directory)!r} can't be opened: {failure}", code=code if isinstance(code, str) else None
    )


_servers: dict[tuple[int, Path], LocalServer] = {}
_lock = threading.Lock()
_ends_with_process = False


def key_of(path: str | os.PathLike[str]) -> str:
    """What stands in the place of an API key: nobody checks it, but every directory has its own."""
    return f"local-{hashlib.sha256(os.fsencode(_directory(path))).hexdigest()}"


def acquire(path: str | os.PathLike[str]) -> LocalServer:
    """The server of a directory, started when this process has none there; give it back with `release`."""
    key = (os.getpid(), _directory(path))
    with _lock:
        server = _servers.get(key)
        if server is None:
            server = _servers[key] = LocalServer(key[1])
            _stop_with_process()
        server.users += 1
        return server


def release(server: LocalServer) -> None:
    """Give a server back; the last one out stops it."""
    with _lock:  # so that whoever opens the directory now waits until it is closed
        server.users -= 1
        if server.users == 0:
            _servers.pop((os.getpid(), server.directory), None)
            server.stop()


def _directory(path: str | os.PathLike[str]) -> Path:
    if not str(path).strip():
        raise ValueError("local() got a blank path, which would be whatever directory the process is in.")
    return Path(path).expanduser().resolve()


def _stop_with_process() -> None:
    """End cleanly what a script leaves open.

    Servers close their files in threads, and no thread starts once the interpreter runs what `atexit` holds: the
    pools' own end is registered with `threading`, and what is registered there later runs earlier.
    """
    global _ends_with_process
    if not _ends_with_process:
        getattr(threading, "_register_atexit", atexit.register)(_stop_all)
        _ends_with_process = True


def _stop_all() -> None:
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
        """Send `request` and wait for its answer. Raises httpx's errors, as a connection would."""
        if not self._is_open:
            raise httpx.ConnectError("This client was closed.")
        request.read()
        answer = self._server.submit(self._server.answer(_copied(request)))
        try:
            return answer.result(_read_timeout_s(request))
        except TimeoutError:
            answer.cancel()
            raise httpx.ReadTimeout("The server took too long.") from None

    def close(self) -> None:
        """Give the server back. A second time does nothing."""
        if self._is_open:
            self._is_open = False
            release(self._server)


class AsyncLocalTransport(httpx.AsyncBaseTransport):
    """The same for asyncio; it may be used from any event loop."""

    def __init__(self, server: LocalServer) -> None:
        self._server = server
        self._is_open = True

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` and wait for its answer. Raises httpx's errors, as a connection would."""
        if not self._is_open:
            raise httpx.ConnectError("This client was closed.")
        await request.aread()
        answer = asyncio.wrap_future(self._server.submit(self._server.answer(_copied(request))))
        try:
            return await asyncio.wait_for(answer, _read_timeout_s(request))
        except TimeoutError:
            raise httpx.ReadTimeout("The server took too long.") from None

    async def aclose(self) -> None:
        """Give the server back. A second time does nothing."""
        if self._is_open:
            self._is_open = False
            await asyncio.to_thread(release, self._server)


def _copied(request: httpx.Request) -> httpx.Request:
    """The request with its body as bytes, which either kind of transport may read."""
    return httpx.Request(request.method, request.url, headers=request.headers, content=request.content)


def _read_timeout_s(request: httpx.Request) -> float | None:
    read: float | None = request.extensions.get("timeout", {}).get("read")
    return read
