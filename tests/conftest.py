"""A running server for the tests that go through its doors, and clients of it.

One server a session listens on 127.0.0.1 with a store in a temporary directory. Every test has an account of its
own, so that no test sees, counts or waits for what another one wrote.
"""

from __future__ import annotations

import asyncio
import inspect
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import httpx
import pytest

T = TypeVar("T")

STARTUP_S = 60.0
LEARNING_S = 60.0


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "statement(*numbers): the statements of the wire contract that a test shows")


@dataclass(frozen=True)
class Server:
    """A server that runs in a thread of its own, reached over a real socket."""

    base_url: str
    app: Any
    data: Path
    loop: asyncio.AbstractEventLoop

    @property
    def ports(self) -> Any:
        return self.app.state.ports

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the server on the server's own loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(LEARNING_S)

    def read(self, work: Callable[[Any], T]) -> T:
        """What `work` finds in a transaction of the store."""
        return self.run(self.ports.store.read(work))


@dataclass(frozen=True)
class Account:
    """An account made for one test, with an API key that reaches the whole of it."""

    id: int
    key: str


@contextmanager
def running(data: Path, **settings: Any) -> Iterator[Server]:
    """A server over `data`, started before the block and stopped after it."""
    import uvicorn

    from geniffy_server.app import create_app
    from geniffy_server.settings import Settings

    # With the protocol named, asyncio sends small answers at once; else each waits 40 ms for the last one's receipt.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    app = create_app(Settings(data=data, port=listening.getsockname()[1], **settings))
    config = uvicorn.Config(app, log_level="warning", lifespan="on", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    up = threading.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        started = server.startup

        async def startup(sockets: list[socket.socket] | None = None) -> None:
            await started(sockets=sockets)
            up.set()

        server.startup = startup  # type: ignore[method-assign]
        try:
            await server.serve(sockets=[listening])
        finally:
            up.set()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), name="server", daemon=True)
    thread.start()
    try:
        assert up.wait(STARTUP_S), "the server did not start"
        assert server.started, "the server stopped while it started"
        yield Server(f"http://127.0.0.1:{listening.getsockname()[1]}", app, data, loops[0])
    finally:
        server.should_exit = True
        thread.join(STARTUP_S)
        listening.close()
        assert not thread.is_alive(), "the server did not stop"


def account_of(server: Server, name: str | None = "Zoë Ferreira") -> Account:
    """A fresh account of the server, with a key for the whole of it."""
    from geniffy_server.services.keys import make_key

    async def make() -> Account:
        now = server.ports.clock.now()
        account = await server.ports.store.write(lambda tx: tx.accounts.add(None, name, "UTC", now))
        return Account(account.id, (await make_key(server.ports, account.id, name="contract")).secret)

    return server.run(make())


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server of the session."""
    with running(tmp_path_factory.mktemp("server")) as one:
        yield one


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts a server of the test's own on an empty store, with settings; stopped when the test ends."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(running(tmp_path / f"store-{uuid4().hex[:8]}", **settings))


@pytest.fixture
def make_account() -> Callable[..., Account]:
    """Makes an account on a server of the test's own: `make_account(server).key`."""
    return account_of


@pytest.fixture
def base_url(server: Server) -> str:
    return server.base_url


@pytest.fixture
def account(server: Server) -> Account:
    """An account of the test's own."""
    return account_of(server)


@pytest.fixture
def another_account(server: Server) -> Account:
    """A second person's account."""
    return account_of(server, "Noor Haddad")


@pytest.fixture
def api_key(account: Account) -> str:
    """A key that reaches the whole of the test's account."""
    return account.key


@pytest.fixture
def space() -> str:
    """A space that nothing was written to yet."""
    return f"user-{uuid4().hex[:12]}"


@pytest.fixture
def client(base_url: str, api_key: str) -> Iterator[Any]:
    """The published blocking client, bound to no space."""
    from geniffy import Geniffy

    with Geniffy(api_key, base_url=base_url, max_retries=0) as one:
        yield one


@pytest.fixture
def sdk(client: Any, space: str) -> Any:
    """The published blocking client, bound to a fresh space."""
    return client.space(space)


@pytest.fixture
async def asdk(base_url: str, api_key: str, space: str) -> AsyncIterator[Any]:
    """The published asyncio client, bound to a fresh space."""
    from geniffy import AsyncGeniffy

    async with AsyncGeniffy(api_key, base_url=base_url, max_retries=0) as one:
        yield one.space(space)


@pytest.fixture
def http(base_url: str, api_key: str, space: str) -> Iterator[httpx.Client]:
    """Plain HTTP with the key and a fresh space, for what the client library can't send."""
    headers = {"Authorization": f"Bearer {api_key}", "X-Geniffy-Space": space}
    with httpx.Client(base_url=base_url, headers=headers, timeout=60.0) as one:
        yield one


@pytest.fixture
def with_key(base_url: str) -> Iterator[Callable[..., Any]]:
    """Plain HTTP with any key and no space: `with_key(secret).get("/v1/me")`."""
    with ExitStack() as stack:

        def opened(key: str, **headers: str) -> httpx.Client:
            sent = {"Authorization": f"Bearer {key}", **headers}
            return stack.enter_context(httpx.Client(base_url=base_url, headers=sent, timeout=60.0))

        yield opened


class Either:
    """One face for the blocking and the asyncio client: every call is awaited, whichever is behind it."""

    _BOUND = ("space", "session")

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name in self._BOUND:
            return lambda *args, **options: Either(found(*args, **options))
        if name in ("memories", "sources", "files", "keys", "sections"):
            return Either(found)
        if not callable(found):
            return found

        async def call(*args: Any, **options: Any) -> Any:
            out = found(*args, **options)
            if inspect.isasyncgen(out):
                return [item async for item in out]
            if inspect.isgenerator(out):
                return list(out)
            return await out if inspect.isawaitable(out) else out

        return call


@pytest.fixture(params=["blocking", "asyncio"])
async def person(request: pytest.FixtureRequest, base_url: str, api_key: str) -> AsyncIterator[Either]:
    """The published client, once blocking and once for asyncio, bound to no space: the owner's own memory."""
    from geniffy import AsyncGeniffy, Geniffy

    if request.param == "blocking":
        with Geniffy(api_key, base_url=base_url, max_retries=0) as blocking:
            yield Either(blocking)
    else:
        async with AsyncGeniffy(api_key, base_url=base_url, max_retries=0) as waiting:
            yield Either(waiting)


@pytest.fixture
def memory(person: Either, space: str) -> Either:
    """The published client, once blocking and once for asyncio, bound to a fresh space."""
    return person.space(space)


def learned(sdk: Any, source: Any) -> Any:
    """The source when it has been learned; the test fails when it can't be."""
    done = sdk.sources.wait(source.id, timeout=LEARNING_S)
    assert done.status == "learned", (done.status, done.error)
    return done


async def alearned(memory: Any, source: Any) -> Any:
    """Like `learned`, for the asyncio client and for `Either`."""
    done = await memory.sources.wait(source.id, timeout=LEARNING_S)
    assert done.status == "learned", (done.status, done.error)
    return done


@pytest.fixture(name="learned")
def learned_fixture() -> Callable[[Any, Any], Any]:
    return learned


@pytest.fixture
def tell() -> Callable[..., Coroutine[Any, Any, Any]]:
    """Adds something and waits until it has been learned: `await tell(memory, "...", title=...)`."""

    async def told(memory: Any, *args: Any, **options: Any) -> Any:
        return await alearned(memory, await memory.memories.add(*args, **options))

    return told


@pytest.fixture
def put() -> Callable[..., Coroutine[Any, Any, Any]]:
    """Writes a file kept exactly and waits until it has been learned: `await put(memory, path, text)`."""

    async def written(memory: Any, path: str, text: str, **options: Any) -> Any:
        info = await memory.files.put(path, text, **options)
        await alearned(memory, info.source)
        return info

    return written


@pytest.fixture
def texts() -> Callable[[Any], Coroutine[Any, Any, list[str]]]:
    """What a memory holds now, newest first: `await texts(memory)`."""

    async def held(memory: Any, **options: Any) -> list[str]:
        return [one.text for one in await memory.memories.iter(**options)]

    return held


_FILES_HOLDING = """
import pathlib, sys
sought = sys.stdin.buffer.read()
for file in pathlib.Path(sys.argv[1]).rglob("*"):
    if file.is_file() and sought in file.read_bytes():
        print(file.name)
print("looked")
"""


@pytest.fixture
def files_holding(server: Server) -> Callable[[str], list[str]]:
    """The names of the files of the server's store that hold a text.

    Another process looks: in this one, closing a file that SQLite has open too would drop SQLite's locks on it.
    """

    def found(text: str) -> list[str]:
        look = [sys.executable, "-c", _FILES_HOLDING, str(server.data)]
        told = subprocess.run(look, input=text.encode(), capture_output=True, timeout=STARTUP_S, check=True)
        *names, end = told.stdout.decode().split()
        assert end == "looked"
        return names

    return found


@pytest.fixture
def turns(server: Server, account: Account, space: str) -> Callable[[str], Sequence[Any]]:
    """The turns that the store keeps of a source in the test's space, which no route shows."""

    def kept(source_id: str) -> Sequence[Any]:
        def work(tx: Any) -> Sequence[Any]:
            return tx.sources.turns(tx.spaces.find(account.id, space).id, source_id)

        return server.read(work)

    return kept


class HeldLearning:
    """Learning that stands still until `release()`: the model waits, nothing else does."""

    def __init__(self) -> None:
        self._released = threading.Event()

    def release(self) -> None:
        self._released.set()

    def wait(self) -> None:
        assert self._released.wait(LEARNING_S), "learning was held and never released"


@pytest.fixture
def held_learning(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldLearning]:
    """Holds what is being learned in `reading` until the test lets it go on."""
    held = HeldLearning()
    embed = type(server.ports.embedder).embed

    def held_embed(self: Any, texts: Sequence[str]) -> Any:
        held.wait()
        return embed(self, texts)

    monkeypatch.setattr(type(server.ports.embedder), "embed", held_embed)
    yield held
    held.release()


@pytest.fixture
def shortened_wait(monkeypatch: pytest.MonkeyPatch) -> float:
    """Makes the longest time that a wait for a source is held short enough for a test; what it was, in seconds."""
    from geniffy_server.services import sources

    longest = sources.MAX_WAIT_S
    monkeypatch.setattr(sources, "MAX_WAIT_S", 0.3)
    return longest


@pytest.fixture
def logged(server: Server, account: Account) -> Callable[[str], Any]:
    """The row that the request log keeps of a call of the test's account, by its request id."""

    from geniffy_server.ports import CallFilter

    def row(request_id: str) -> Any:
        # The answer is on its way before its row is recorded, so the row may be a moment behind.
        deadline = time.monotonic() + STARTUP_S
        while time.monotonic() < deadline:
            server.run(server.ports.calls.flush())
            calls, _ = server.run(server.ports.calls.page(account.id, limit=100, only=CallFilter(text=request_id)))
            if calls:
                return calls[0]
        raise AssertionError(f"the call {request_id} was not logged")

    return row


@dataclass(frozen=True)
class Clocked:
    """A server of its own whose clock a test sets, with the published client on it."""

    base_url: str
    client: Any
    set_clock: Callable[[datetime], None]


@pytest.fixture
def clocked(fresh_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> Iterator[Clocked]:
    """A server whose clock the test sets; apart from the others, whose rates and logs go by the same clock."""
    from geniffy import Geniffy

    server = fresh_server()

    def set_clock(moment: datetime) -> None:
        monkeypatch.setattr(type(server.ports.clock), "now", lambda self: moment)

    with Geniffy(account_of(server).key, base_url=server.base_url, max_retries=0) as client:
        yield Clocked(server.base_url, client, set_clock)
