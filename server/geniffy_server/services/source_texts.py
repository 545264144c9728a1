"""Sources as a person looks them over: by how learning went, and one whole, with what it taught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from geniffy_server.caller import Caller
from geniffy_server.domain.file import FilePath
from geniffy_server.domain.memory import Memory
from geniffy_server.domain.source import Source, SourceId, SourceStatus, Turn
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import readable, shown
from geniffy_server.services.removing import is_usable
from geniffy_server.services.sources import SourcePage, no_source

STATUSES: Final[tuple[SourceStatus, ...]] = get_args(SourceStatus)


@dataclass(frozen=True, slots=True)
class SourcesByStatus:
    """A page of sources, and how many there are of each status, every one present."""

    page: SourcePage
    counts: Mapping[SourceStatus, int]


@dataclass(frozen=True, slots=True)
class SourceText:
    """What was added, and the memories in use that it teaches.

    `text` is None for a conversation, whose words are `turns`, and for a file, whose words are at its `path`.
    """

    source: Source
    path: FilePath | None
    text: str | None
    turns: Sequence[Turn]
    memories: Sequence[Memory]


async def sources_by_status(
    ports: Ports, caller: Caller, status: SourceStatus | None, *, limit: int, cursor: int
) -> SourcesByStatus:
    """A page of sources, newest first, of one status or of any."""

    def work(tx: Transaction) -> SourcesByStatus:
        space = readable(tx, caller)
        if space is None:
            return SourcesByStatus(SourcePage([], 0, None), dict.fromkeys(STATUSES, 0))
        sources, total = tx.sources.page(space.id, {}, limit, cursor, status)
        after = cursor + len(sources)
        page = SourcePage(sources, total, after if sources and after < total else None)
        return SourcesByStatus(page, {**dict.fromkeys(STATUSES, 0), **tx.sources.statuses(space.id)})

    return await ports.store.read(work)


async def source_text(ports: Ports, caller: Caller, source_id: SourceId) -> SourceText:
    """A source with its words and what it teaches. Raises NotFound."""

    def work(tx: Transaction) -> SourceText:
        space = readable(tx, caller)
        source = tx.sources.find(space.id, source_id) if space else None
        if space is None or source is None:
            raise no_source(source_id)
        path = tx.files.path_of_source(space.id, source_id) if source.form == "kept" else None
        taught = tx.memories.find_many(space.id, {one for one, _ in tx.memories.lines_of_source(space.id, source_id)})
        return SourceText(
            source=source,
            path=path,
            text=tx.sources.text(space.id, source_id) if source.form in ("text", "correction") else None,
            turns=tx.sources.turns(space.id, source_id) if source.form == "turns" else [],
            memories=[shown(space, taught[one]) for one in sorted(taught) if is_usable(taught[one])],
        )

    return await ports.store.read(work)
