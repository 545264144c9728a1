"""The items of a LangGraph store as the files of a space: what each operation calls, as flows."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from langgraph.store.base import Item, ListNamespacesOp, PutOp, SearchItem, SearchOp

from geniffy_agents.clients import Client
from geniffy_agents.errors import NotFoundError
from geniffy_agents.flows import FilesCalls, Flow, RecallCalls, SourcesCalls, gathered
from geniffy_agents.turns import keepable
from geniffy_agents.types import FileInfo, Memory
from geniffy_langchain.items import Index, fresh, item_of, learned_of, text_of
from geniffy_langchain.matching import leading_labels, listed, passes
from geniffy_langchain.paths import is_item, labels_of, namespace_of, path_of, prefix_of
from geniffy_langchain.texts import Texts

MOST_QUERY_CHARS: Final = 2_000  # what is used of a longer one, contract 1.13
_PAGE: Final = 200  # files in one page of a listing, contract 1.13
_MOST_FOUND: Final = 100  # memories that one search gives, contract Q21
_LEARNING_MOST: Final = 1_000  # spaces of which the last put is known, to be waited for
_READ_MOST: Final = 1_000
"""Items of a namespace that a query reads beside those that recall found: newest first, each once while unchanged."""


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class ItemFiles:
    """What a store does in one space. `index` is what is learned of items that are put without one of their own.

    `learning_wait_s`: how long a query waits at most for what was put here before to be learned.
    """

    def __init__(self, index: Index, learning_wait_s: float, clock: Callable[[], datetime] = now) -> None:
        self._index = index
        self._learning_wait_s = learning_wait_s
        self._clock = clock
        self._texts = Texts()
        self._learning: dict[tuple[str, str], str] = {}

    def get(self, client: Client, namespace: tuple[str, ...], key: str) -> Flow[Item | None]:
        """An item; None when there is none."""
        text = yield from self._read(client, path_of(namespace, key))
        item = item_of(text) if text is not None else None
        return item if item is not None and (item.namespace, item.key) == (namespace, key) else None

    def put(self, client: Client, op: PutOp, *, only_new: bool = False) -> Flow[None]:
        """Create an item, or replace its value and keep when it was first put; delete it when the value is None.

        With `only_new` it is created alone: ChangedError is raised when one stands there.
        """
        path = path_of(op.namespace, op.key)
        if op.value is None:
            try:
                yield from FilesCalls.delete.flow(client.files, path)
            except NotFoundError:
                return  # as it should be
            return
        held = None if only_new else (yield from self.get(client, op.namespace, op.key))
        item = fresh(op.namespace, op.key, op.value, self._clock(), held.created_at if held else None)
        text = text_of(item, self._index if op.index is None else op.index)
        info = yield from FilesCalls.put.flow(
            client.files, path, text, labels=labels_of(op.namespace), if_none_match="*" if only_new else None
        )
        if info.source is not None and info.source.id is not None:
            self._learning[client.base_url, client.space_id] = info.source.id
            if len(self._learning) > _LEARNING_MOST:
                self._learning.pop(next(iter(self._learning)), None)

    def search(self, client: Client, op: SearchOp) -> Flow[list[SearchItem]]:
        """The items under a namespace that pass the filter.

        With a query, those that recall finds, best first, then the others, those that share its words first; without
        one, the newest first.
        """
        query = keepable(op.query or "")[:MOST_QUERY_CHARS]
        if any(not char.isspace() and unicodedata.category(char) not in ("Cc", "Cf") for char in query):
            return (yield from self._by_query(client, op, query))
        files = yield from self._newest(client, op)
        skipped, found = 0, list[SearchItem]()
        for file in files:
            if len(found) >= op.limit:
                break
            if not op.filter and skipped < op.offset and namespace_of(file.path) is not None:
                skipped += 1  # it need not be read to be passed over
                continue
            item = yield from self._listed_item(client, file)
            if item is None or not _fits(item[0], op):
                continue
            if skipped < op.offset:
                skipped += 1
            else:
                found.append(_as_found(item[0], None))
        return found

    def namespaces(self, client: Client, op: ListNamespacesOp) -> Flow[list[tuple[str, ...]]]:
        """The namespaces that hold an item and meet the conditions."""
        names = set[tuple[str, ...]]()
        for file in (yield from self._files(client, prefix_of(leading_labels(op)))):
            name = namespace_of(file.path)
            if name is None:
                item = yield from self._listed_item(client, file)
                name = item[0].namespace if item else None
            if name is not None:
                names.add(name)
        return listed(list(names), op)

    def _by_query(self, client: Client, op: SearchOp, query: str) -> Flow[list[SearchItem]]:
        yield from self._learned(client)
        labels = labels_of(op.namespace_prefix)
        memories = yield from RecallCalls.search.flow(client, query, limit=_MOST_FOUND, labels=labels)
        hits = _Hits.of(memories, prefix_of(op.namespace_prefix))
        most = max(0, op.offset) + max(0, op.limit)
        ranked = list[tuple[int, SearchItem]]()
        for path, (rank, score) in hits.by_path.items():
            if len(ranked) >= most and not hits.is_partly_elsewhere:
                break
            text = yield from self._read(client, path)
            item = item_of(text) if text is not None else None
            if item is not None and _fits(item, op):
                ranked.append((rank, _as_found(item, score)))
        others = list[tuple[int, SearchItem]]()
        if len(ranked) < most or hits.is_partly_elsewhere:
            words = _words(query)
            files = yield from self._newest(client, op)
            for file in [each for each in files if each.path not in hits.by_path][:_READ_MOST]:
                read = yield from self._listed_item(client, file)
                if read is None or not _fits(read[0], op):
                    continue
                said = hits.said_in(read[1])
                if said is not None:
                    ranked.append((said[0], _as_found(read[0], said[1])))
                else:
                    others.append((len(words & _words(read[1])), _as_found(read[0], None)))
        ranked.sort(key=lambda each: each[0])
        others.sort(key=lambda each: -each[0])
        return [item for _, item in [*ranked, *others]][op.offset : op.offset + op.limit]

    def _learned(self, client: Client) -> Flow[None]:
        """Wait for what was put last here: sources of a space are learned one after the other."""
        source_id = self._learning.pop((client.base_url, client.space_id), None)
        if source_id is not None and self._learning_wait_s > 0:
            try:
                yield from SourcesCalls.wait.flow(client.sources, source_id, self._learning_wait_s)
            except NotFoundError:
                return  # deleted meanwhile

    def _newest(self, client: Client, op: SearchOp) -> Flow[list[FileInfo]]:
        files = yield from self._files(client, prefix_of(op.namespace_prefix))
        return sorted(files, key=lambda file: datetime.fromisoformat(file.updated_at or ""), reverse=True)

    def _files(self, client: Client, prefix: str) -> Flow[list[FileInfo]]:
        files = yield from gathered(FilesCalls.iterate.flow(client.files, prefix, page_size=_PAGE))
        return [file for file in files if is_item(file.path)]

    def _listed_item(self, client: Client, file: FileInfo) -> Flow[tuple[Item, str] | None]:
        """The item of a file of a listing, and its words that are learned; None when it is gone, or is no item."""
        text = self._texts.find((client.base_url, client.space_id, file.path), file)
        if text is None:
            text = yield from self._read(client, file.path)
        item = item_of(text) if text is not None else None
        return (item, learned_of(text)) if item is not None and text is not None else None

    def _read(self, client: Client, path: str) -> Flow[str | None]:
        try:
            file = yield from FilesCalls.get.flow(client.files, path)
        except NotFoundError:
            return None
        self._texts.keep((client.base_url, client.space_id, path), file)
        return file.text


@dataclass(frozen=True, slots=True)
class _Hits:
    """What recall found. `by_path`: the rank and score of the items that it came from.

    What several sources say is one memory that shows one of them: `is_partly_elsewhere` when that is no item here.
    """

    memories: Sequence[Memory]
    by_path: dict[str, tuple[int, float | None]]
    is_partly_elsewhere: bool

    @classmethod
    def of(cls, memories: Sequence[Memory], prefix: str) -> _Hits:
        by_path: dict[str, tuple[int, float | None]] = {}
        for rank, memory in enumerate(memories):
            path = memory.source.title if memory.source else ""
            by_path.setdefault(path, (rank, memory.score))
        here = {path: hit for path, hit in by_path.items() if path.startswith(prefix) and is_item(path)}
        return cls(memories, here, len(here) < len(by_path))

    def said_in(self, words: str) -> tuple[int, float | None] | None:
        """The rank and score of the best memory that `words` say too; None when they say none of them."""
        folded = words.casefold()
        for rank, memory in enumerate(self.memories):
            if any(said and said.casefold() in folded for said in (memory.quote, memory.text)):
                return rank, memory.score
        return None


def _fits(item: Item, op: SearchOp) -> bool:
    prefix = tuple(op.namespace_prefix)
    return item.namespace[: len(prefix)] == prefix and passes(item.value, op.filter)


def _as_found(item: Item, score: float | None) -> SearchItem:
    """Hosts sort what has no score as 0, so a score is put between 0 and 1, in the order that recall gave them."""
    if score is not None:
        score = 1 / (1 + math.exp(-score))
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
