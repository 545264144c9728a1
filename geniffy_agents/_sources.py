"""`client.sources`: what was added, and how learning from it went."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from geniffy_agents._flow import Async, Calls, Flow, Item, Stream, Sync, call, stream
from geniffy_agents._reading import count_in, object_in
from geniffy_agents._request import Params, Sleep
from geniffy_agents._wire import label_params, next_cursor, segment
from geniffy_agents.errors import NotFoundError
from geniffy_agents.types import LabelFilter, Source, SourcePage

MOST_CALLS: Final = 1000
"""A delete that goes on while there is more makes this many calls at most, so that it always ends."""
HELD_S: Final = 1.0
"""An answer that came sooner was not held back by the server: the next one is not asked for at once."""


class SourcesCalls(Calls):
    """What was added to a memory."""

    @call
    def list(self, *, limit: int = 100, cursor: int = 0, labels: LabelFilter | None = None) -> Flow[SourcePage]:
        """One page of sources, newest first; with `labels`, those that carry them."""
        return (yield from self._page(limit, cursor, labels))

    @stream
    def iterate(self, *, page_size: int = 100, labels: LabelFilter | None = None) -> Stream[Source]:
        """Every source, newest first, fetched a page at a time. What is deleted on the way moves the pages: collect
        first, then delete."""
        cursor: int | None = 0
        while cursor is not None:
            page = yield from self._page(page_size, cursor, labels)
            for source in page.sources:
                yield Item(source)
            cursor = next_cursor(cursor, page.next)

    @call
    def get(self, source_id: str | None = None, *, external_id: str | None = None) -> Flow[Source]:
        """A source by its id, or by the `external_id` it was added under. Raises NotFoundError."""
        if external_id is None:
            reply = yield from self._send("GET", f"/v1/sources/{segment(_one(source_id, external_id))}")
            return Source.from_json(object_in(reply.body, "source", "an answer"))
        params = [("external_id", _one(source_id, external_id))]
        reply = yield from self._send("GET", "/v1/sources", params=params)
        for found in SourcePage.from_json(reply.body).sources:
            return found
        raise NotFoundError("No source was added under that external_id.", status=404, code="not_found")

    @call
    def delete(self, source_id: str | None = None, *, external_id: str | None = None) -> Flow[None]:
        """Delete a source and every memory that it alone taught, by its id or its `external_id`.

        Raises NotFoundError, also after a repeat of a delete whose first answer was lost.
        """
        if external_id is None:
            yield from self._send("DELETE", f"/v1/sources/{segment(_one(source_id, external_id))}")
        else:
            params = [("external_id", _one(source_id, external_id))]
            yield from self._send("DELETE", "/v1/sources", params=params)

    @call
    def delete_labelled(self, labels: LabelFilter, *, keep: Iterable[str] | None = None) -> Flow[int]:
        """Delete every source that carries `labels`, but those whose external ids are in `keep`; returns how many.

        For a folder or a mailbox that is sent again and again: `keep` is what it still holds.
        """
        params = label_params(labels)
        if not params:
            raise ValueError("Name the labels of the sources to delete, such as {'channel': 'email'}.")
        if keep is not None:
            return (yield from self._sweep(labels, _ids(keep)))
        deleted = 0
        for _ in range(MOST_CALLS):
            reply = yield from self._send("DELETE", "/v1/sources", params=params)
            deleted += count_in(reply.body, "sources_deleted")
            if not reply.body.get("more"):
                break
        return deleted

    @call
    def wait(self, source_id: str | Source, timeout: float = 120.0, *, interval: float = 2.0) -> Flow[Source]:
        """Wait until a source has been learned from, or could not be, and return it as it is then.

        `timeout` is in seconds; when it is over the source comes back as it stands (`done` is False). The server
        holds each call open until there is news; where it can't, it is asked every `interval` seconds.
        Raises NotFoundError.
        """
        path = f"/v1/sources/{segment(source_id.id if isinstance(source_id, Source) else source_id)}"
        clock = self._policy.clock
        deadline = clock() + timeout
        while True:
            asked = clock()
            hold = round(max(0.0, min(deadline - asked, self._policy.longest_hold_s)), 1)
            params: Params = [("wait", hold)]
            reply = yield from self._send("GET", path, params=params)
            source = Source.from_json(object_in(reply.body, "source", "an answer"))
            now = clock()
            if source.done or now >= deadline:
                return source
            if now - asked < HELD_S:
                yield Sleep(min(interval, deadline - now))

    def _page(self, limit: int, cursor: int, labels: LabelFilter | None) -> Flow[SourcePage]:
        params: Params = [("limit", limit), ("cursor", cursor), *label_params(labels)]
        reply = yield from self._send("GET", "/v1/sources", params=params)
        return SourcePage.from_json(reply.body)

    def _sweep(self, labels: LabelFilter, kept: frozenset[str]) -> Flow[int]:
        gone: list[str] = []
        cursor: int | None = 0
        while cursor is not None:  # the whole list first, as every delete moves the pages
            page = yield from self._page(100, cursor, labels)
            gone += [source.id for source in page.sources if source.external_id not in kept]
            cursor = next_cursor(cursor, page.next)
        deleted = 0
        for source_id in gone:
            try:
                yield from self._send("DELETE", f"/v1/sources/{segment(source_id)}")
            except NotFoundError:
                continue  # someone else deleted it meanwhile
            deleted += 1
        return deleted


class Sources(SourcesCalls, Sync):
    """`Geniffy.sources`."""


class AsyncSources(SourcesCalls, Async):
    """`AsyncGeniffy.sources`."""


def _one(source_id: str | None, external_id: str | None) -> str:
    chosen = source_id if external_id is None else external_id
    if chosen is None or (source_id is not None and external_id is not None):
        raise TypeError("Name a source by its id or by its external_id, one of the two.")
    return str(chosen)


def _ids(keep: Iterable[str]) -> frozenset[str]:
    if isinstance(keep, str | bytes):
        raise TypeError("keep takes a collection of external ids, not one: as text it would be read letter by letter.")
    return frozenset(str(each) for each in keep)
