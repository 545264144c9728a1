"""The clients of one integration, whose host may call it blocking or awaited: both are given to it or made when needed.

What an integration does is written once, as a flow (`flows.py`), and run by whichever client the host's way asks for:

    clients = Clients("my-integration/1.0", client=client)
    clients.run("user-42", lambda mem: RecallCalls.context.flow(mem, "Who signs?"))
    await clients.arun("user-42", lambda mem: RecallCalls.context.flow(mem, "Who signs?"))
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from typing import Final, Self, TypeAlias, TypeVar

from geniffy_agents.client import AsyncGeniffy, Geniffy
from geniffy_agents.flows import Flow, run, run_async
from geniffy_agents.space_names import bound

T = TypeVar("T")
Client: TypeAlias = Geniffy | AsyncGeniffy

TIMEOUT_S: Final = 15.0
"""For each part of a call of a client that is made here: an agent waits behind it, so it is shorter than the SDK's."""


class Clients:
    """The blocking and the asyncio client of one integration. May be used from several threads and event loops.

    `integration` is its name and version, for the server's request log. With a blocking client alone, awaited calls
    run it in a thread. With neither, each is made when it is first needed, from GENIFFY_API_KEY and GENIFFY_BASE_URL.
    Raises TypeError for what is no such client.
    """

    def __init__(
        self, integration: str, client: Geniffy | None = None, async_client: AsyncGeniffy | None = None
    ) -> None:
        if not isinstance(client, Geniffy | None):
            raise TypeError(f"client= takes a geniffy_agents.Geniffy, not {_named(client)}.")
        if not isinstance(async_client, AsyncGeniffy | None):
            raise TypeError(f"async_client= takes a geniffy_agents.AsyncGeniffy, not {_named(async_client)}.")
        self._integration = integration
        self._blocking = client and client.through(integration)
        self._waiting = async_client and async_client.through(integration)
        self._lock = threading.Lock()
        self._made_blocking: Geniffy | None = None
        # A connection belongs to the event loop that opened it, and a script may run one loop after the other.
        self._made_waiting: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGeniffy] = (
            weakref.WeakKeyDictionary()
        )

    @classmethod
    def of(cls, integration: str, client: Client | None) -> Self:
        """The clients of an integration that is given one, of either kind, or none."""
        if isinstance(client, AsyncGeniffy):
            return cls(integration, async_client=client)
        return cls(integration, client)

    def run(self, space: str | None, write: Callable[[Client], Flow[T]]) -> T:
        """Run the flow that `write` makes for a client of `space`, blocking; None is the owner's own memory.

        Raises what the flow raises; GeniffyError without a key, and TypeError when only an asyncio client was given.
        """
        client = bound(self._blocking or self._blocking_client(), space)
        return run(client, write(client))

    async def arun(self, space: str | None, write: Callable[[Client], Flow[T]]) -> T:
        """The same, awaited."""
        if self._waiting is None and self._blocking is not None:
            return await asyncio.to_thread(self.run, space, write)
        client = bound(self._waiting or self._waiting_client(), space)
        return await run_async(client, write(client))

    def _blocking_client(self) -> Geniffy:
        if self._waiting is not None:
            raise TypeError(
                "This was called blocking, and only an AsyncGeniffy was given: pass client=Geniffy(...) too."
            )
        with self._lock:
            if self._made_blocking is None:
                self._made_blocking = Geniffy(integration=self._integration, timeout=TIMEOUT_S)
            return self._made_blocking

    def _waiting_client(self) -> AsyncGeniffy:
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._made_waiting:
                self._made_waiting[loop] = AsyncGeniffy(integration=self._integration, timeout=TIMEOUT_S)
            return self._made_waiting[loop]


def _named(what: object) -> str:
    return f"{type(what).__module__}.{type(what).__qualname__}"
