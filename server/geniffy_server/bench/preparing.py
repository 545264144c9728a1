"""Stores made ready for a benchmark before a server opens them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from geniffy_server.app import opened
from geniffy_server.bench.filling import Made, embedded
from geniffy_server.domain.space import AccountId
from geniffy_server.ports import Ports
from geniffy_server.services.accounts import ensure_owner
from geniffy_server.services.keys import make_key
from geniffy_server.settings import read_settings

_EMBEDDED_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Prepared:
    """A store that nobody has open: where it is, whose, and keys that reach the whole account."""

    data: Path
    owner: AccountId
    keys: Sequence[str]


@contextlib.asynccontextmanager
async def ports_of(data: Path) -> AsyncIterator[Ports]:
    """Everything a server has on a store, with no worker that learns, while the block runs."""
    async with opened(read_settings(data=data)) as it:
        yield it.ports


def prepared(data: Path, keys: int) -> Prepared:
    """A new store in `data`, with so many keys: a key may make 600 calls a minute."""

    async def run() -> Prepared:
        async with ports_of(data) as ports:
            owner, _ = await ensure_owner(ports)
            return Prepared(data, owner.id, [(await make_key(ports, owner.id)).secret for _ in range(keys)])

    return asyncio.run(run())


def pool(store: Prepared, memories: int, told: Callable[[int], None]) -> list[Made]:
    """So many memories, each embedded by the store's model; `told` how many are done."""

    async def run() -> list[Made]:
        made: list[Made] = []
        async with ports_of(store.data) as ports:
            for start in range(0, memories, _EMBEDDED_AT_ONCE):
                numbers = range(start, min(start + _EMBEDDED_AT_ONCE, memories))
                made += embedded(numbers, ports.embedder, ports.recall)
                told(len(made))
        return made

    return asyncio.run(run())
