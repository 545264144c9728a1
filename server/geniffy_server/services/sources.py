"""Listing, reading, waiting for and deleting sources."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from geniffy_server.caller import Caller
from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.source import Source, SourceId
from geniffy_server.errors import BadInput, NotFound
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import readable, writable
from geniffy_server.services.owner_names import settle_owner_name
from geniffy_server.services.removing import remove_source
from geniffy_server.services.scrubbing import owe_scrub, scrub

DELETED_PER_CALL: Final = 100  # contract 1.13
MAX_WAIT_S: Final = 30.0  # contract 2.2 (9)
_LOOK_EVERY_S: Final = 0.06  # another process may do the learning; its end is seen within 100 ms


@dataclass(frozen=True, slots=True)
class SourcePage:
    """Sources newest first; `next` is the next cursor or None."""

    sources: Sequence[Source]
    total: int
    next: int | None


async def list_sources(ports: Ports, caller: Caller, labels: LabelFilter, *, limit: int, cursor: int) -> SourcePage:
    """A page of sources, newest first."""

    def work(tx: Transaction) -> SourcePage:
        space = readable(tx, caller)
        if space is None:
            return SourcePage([], 0, None)
        sources, total = tx.sources.page(space.id, labels, limit, cursor)
        after = cursor + len(sources)
        return SourcePage(sources, total, after if sources and after < total else None)

    return await ports.store.read(work)


async def source_of_external_id(ports: Ports, caller: Caller, external_id: str) -> Source | None:
    """The source that the caller's own id names; None when there is none."""

    def work(tx: Transaction) -> Source | None:
        space = readable(tx, caller)
        return tx.sources.by_external_id(space.id, external_id) if space else None

    return await ports.store.read(work)


async def get_source(ports: Ports, caller: Caller, source_id: SourceId, *, wait_s: float = 0.0) -> Source:
    """A source, held back up to `wait_s` seconds (30 at most) while it is `reading`, less when the server stops.

    Raises NotFound.
    """

    def work(tx: Transaction) -> Source:
        space = readable(tx, caller)
        source = tx.sources.find(space.id, source_id) if space else None
        if source is None:
            raise no_source(source_id)
        return source

    loop = asyncio.get_running_loop()
    until = loop.time() + min(max(wait_s, 0.0), MAX_WAIT_S)
    source = await ports.store.read(work)
    while source.status == "reading" and (left := until - loop.time()) > 0 and not ports.bell.is_stopping:
        await ports.bell.next_learned(min(left, _LOOK_EVERY_S))
        source = await ports.store.read(work)
    return source


async def delete_source(ports: Ports, caller: Caller, source_id: SourceId) -> None:
    """Delete a source with its text or file and every memory only it taught. Raises NotFound."""

    def work(tx: Transaction) -> None:
        space, rev = writable(tx, caller)
        source = tx.sources.find(space.id, source_id)
        if source is None:
            raise no_source(source_id)
        now = ports.clock.now()
        owe_scrub(tx, now)
        remove_source(tx, space, source, rev, now)
        settle_owner_name(tx, space)

    await ports.store.write(work)
    await scrub(ports)


async def delete_by_external_id(ports: Ports, caller: Caller, external_id: str) -> SourceId:
    """Delete the source that the caller's own id names, a file's too; its id. Raises NotFound."""

    def work(tx: Transaction) -> SourceId:
        space, rev = writable(tx, caller)
        source = tx.sources.by_external_id(space.id, external_id)
        if source is None:
            raise NotFound(f"No source has the external_id {external_id!r:.200}.")
        now = ports.clock.now()
        owe_scrub(tx, now)
        remove_source(tx, space, source, rev, now)
        settle_owner_name(tx, space)
        return source.id

    source_id = await ports.store.write(work)
    await scrub(ports)
    return source_id


async def delete_labelled(ports: Ports, caller: Caller, labels: LabelFilter) -> tuple[int, bool]:
    """Delete up to 100 sources that carry these labels: how many went, and whether more are left."""
    if not labels:
        raise BadInput("Name the labels of the sources to delete; deleting everything is not a label.")

    def work(tx: Transaction) -> tuple[int, bool]:
        space, rev = writable(tx, caller)
        sources, total = tx.sources.page(space.id, labels, DELETED_PER_CALL, 0)
        now = ports.clock.now()
        if sources:
            owe_scrub(tx, now)
        for source in sources:
            remove_source(tx, space, source, rev, now)
        settle_owner_name(tx, space)
        return len(sources), total > len(sources)

    deleted = await ports.store.write(work)
    if deleted[0]:
        await scrub(ports)
    return deleted


def no_source(source_id: object) -> NotFound:
    """What a caller is told who names a source that is not there."""
    return NotFound(f"There is no source {source_id!s:.80} here; it may have been deleted.")
