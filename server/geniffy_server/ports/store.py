"""The store: what a transaction offers, and how one is run.

A `Store` runs a function over a `Transaction`: `await store.read(work)` sees one consistent state and refuses
writes; `await store.write(work)` is one transaction, whole or not at all, durable when it returns. `work` is plain
blocking code; it may run more than once, so it must not keep anything outside but its result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import datetime
from typing import Final, Protocol, TypeVar

from geniffy_server.domain.account import KeyId
from geniffy_server.domain.connection import ConnectionId
from geniffy_server.domain.space import AccountId
from geniffy_server.ports.accounts import Accounts, Keys, SignIns
from geniffy_server.ports.connections import Clients, Connections, Visits
from geniffy_server.ports.curation import Conversations, Curations
from geniffy_server.ports.files import Files
from geniffy_server.ports.jobs import Jobs
from geniffy_server.ports.memories import Memories
from geniffy_server.ports.sources import Sources
from geniffy_server.ports.spaces import Spaces

T = TypeVar("T")
EMBEDDER_NOTE: Final = "embedder"
"""Under which `Transaction.meta` keeps the id of the embedder that wrote the store's vectors."""
SEARCH_KEYS_NOTE: Final = "search_keys"
"""The same for how words are read: a version, and behind a colon how far older memories were brought up to it."""


class Transaction(Protocol):
    """One consistent view of the store, by noun."""

    @property
    def accounts(self) -> Accounts: ...
    @property
    def sign_ins(self) -> SignIns: ...
    @property
    def keys(self) -> Keys: ...
    @property
    def spaces(self) -> Spaces: ...
    @property
    def sources(self) -> Sources: ...
    @property
    def memories(self) -> Memories: ...
    @property
    def curations(self) -> Curations: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def files(self) -> Files: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def clients(self) -> Clients: ...
    @property
    def connections(self) -> Connections: ...
    @property
    def visits(self) -> Visits: ...

    def meta(self, key: str) -> str | None:
        """A value that belongs to the whole store, such as the embedder's id."""
        ...

    def set_meta(self, key: str, value: str) -> None: ...


class Uses(Protocol):
    """What was used, noted at once and written within a second; a process that is killed may lose its last second."""

    def answered(self, account_id: AccountId, month: str) -> None:
        """Count an answer in `month` (`2026-10`)."""
        ...

    def key(self, key_id: KeyId, at: datetime) -> None:
        """Note when a key was used last."""
        ...

    def connection(self, connection_id: ConnectionId, at: datetime) -> None:
        """Note when a connected app called last."""
        ...

    async def settle(self, *, everywhere: bool = False) -> None:
        """Write what this process noted, so that it is read; what can't be written within a second waits.

        `everywhere` waits until other processes have written theirs too, if there are any.
        """
        ...


class Store(Protocol):
    """Where everything is kept. See the module's docstring."""

    @property
    def worker(self) -> str:
        """What this process is called in the jobs that it takes."""
        ...

    @property
    def uses(self) -> Uses:
        """Where answers are counted, and the last use of keys and apps."""
        ...

    def lives(self, worker: str) -> bool:
        """Whether the process that is called so has not ended; True when nobody can tell. Blocking, a moment."""
        ...

    async def read(self, work: Callable[[Transaction], T]) -> T: ...
    async def known(self, what: Hashable, work: Callable[[Transaction], T]) -> T:
        """What `work` reads, kept under `what` until anything is written to the store, by any process.

        For a few rows that every call needs: it works in the thread that asks, so it costs next to nothing.
        """
        ...

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Raises Unavailable when the store can't be reached; nothing was written then."""
        ...

    async def scrub(self) -> None:
        """Make sure that what was removed is in no page, log or free space of the store any more."""
        ...

    async def close(self) -> None: ...
