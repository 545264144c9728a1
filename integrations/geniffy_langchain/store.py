"""`GeniffyStore`: a LangGraph store over files and memories."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchOp,
    validate_op_namespace,
)

from geniffy_agents.client import AsyncGeniffy, Geniffy
from geniffy_agents.clients import Client, Clients
from geniffy_agents.errors import APIConnectionError, BadRequestError, GeniffyError
from geniffy_agents.flows import Flow
from geniffy_agents.space_names import Space, checked_space, space_for
from geniffy_langchain.item_files import ItemFiles, now
from geniffy_langchain.items import Index, exact, fresh
from geniffy_langchain.matching import leading_labels
from geniffy_langchain.middleware import OnError, warn
from geniffy_langchain.paths import path_of, prefix_of
from geniffy_langchain.unread import Unread
from geniffy_langchain.version import INTEGRATION

LEARNING_WAIT_S: Final = 5.0
_AT_ONCE: Final = 8
_HELD_MOST: Final = 1_000


class GeniffyStore(BaseStore):
    """Long-term memory for LangGraph and LangMem agents: items come back exactly, and are found by what they say.

        store = GeniffyStore(space="my-app")
        store.put(("users", "ana"), "tea", {"text": "Prefers green tea."})
        store.search(("users", "ana"), query="What does she drink?")

    Each item is a file kept exactly, `/store/users/ana/tea.md`, from which its words are learned as from any file:
    recall, context and answers know them too. A query is answered by recall, best first with a score between 0 and 1
    that only compares within one search; items that it does not find follow without one, those that share words with
    the query first. Without a query the newest come first. `put` keeps when an item was created, and the last put
    wins. In one batch, reads see what was there before its writes.

    `space` is a name, or a function that names one for the namespace of each operation, such as
    `lambda namespace: namespace[1]`; an explicit None is the key owner's own memory. Left out it is a TypeError; what
    looks like a missing user is refused with InvalidNamespaceError before any call. `index` are the paths of the
    fields that are learned (`["text"]`; all when left out), unless an item is put with its own. A query waits up to
    `learning_wait_s` for what this store put before it to be learned.

    An error of the server never stops a run: `on_error` is called with it (left out, a line in the log), reads find
    nothing, and writes are held in this process, read from here, and go with the next call. What could not be read is
    not written over: until it was read, a put there only creates, and one that finds an item is told as ChangedError.
    Once the server can't be reached, nothing more of a batch is tried. An `on_error` that raises makes errors raise.
    """

    def __init__(
        self,
        *,
        space: Space,
        index: Index = None,
        learning_wait_s: float = LEARNING_WAIT_S,
        client: Geniffy | None = None,
        async_client: AsyncGeniffy | None = None,
        on_error: OnError | None = None,
    ) -> None:
        if isinstance(index, str):
            raise TypeError(f"index= takes the paths of fields, such as [{index!r}], not one of them.")
        self._space = checked_space(space)
        self._files = ItemFiles(index, learning_wait_s)
        self._clients = Clients(INTEGRATION, client, async_client)
        self._on_error = on_error or warn
        self._unread = Unread()
        self._lock = threading.Lock()
        self._held: OrderedDict[tuple[str | None, str], _Todo] = OrderedDict()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations and return their results in order. Raises InvalidNamespaceError, TypeError."""
        work = self._work(ops)
        try:
            for each in [*work.held, *work.reads, *work.writes]:
                try:
                    work.reached()
                    done = self._clients.run(each.space, each.flow(self._files))
                    work.results[each.position] = self._shown(work, each, done)
                except GeniffyError as error:
                    work.results[each.position] = self._without(work, each, error)
        finally:
            self._hold(work.owed)
        return work.results[:-1]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same, awaited; up to eight operations at once."""
        work = self._work(ops)
        turns = asyncio.Semaphore(_AT_ONCE)

        async def run(each: _Todo) -> None:
            async with turns:
                try:
                    work.reached()
                    done = await self._clients.arun(each.space, each.flow(self._files))
                    work.results[each.position] = self._shown(work, each, done)
                except GeniffyError as error:
                    work.results[each.position] = self._without(work, each, error)

        try:
            for part in (work.held, work.reads, work.writes):
                await asyncio.gather(*(run(each) for each in part))
        finally:
            self._hold(work.owed)
        return work.results[:-1]

    def _work(self, ops: Iterable[Op]) -> _Work:
        """The operations, checked before any call: what is held, then the reads, then the last write of each item."""
        reads: list[_Todo] = []
        writes: dict[tuple[str | None, str], _Todo] = {}
        count = 0
        for position, op in enumerate(ops):
            validate_op_namespace(op)
            count += 1
            if isinstance(op, PutOp):
                kept = op._replace(value=None if op.value is None else exact(op.value))
                space = self._whose(op.namespace)
                is_unread = self._unread.holds(space, path_of(op.namespace, op.key))
                todo = _Todo(position, kept, space, only_new=is_unread and kept.value is not None)
                writes[todo.place] = todo
            elif isinstance(op, GetOp):
                reads.append(_Todo(position, op, self._whose(op.namespace)))
            elif isinstance(op, SearchOp):
                reads.append(_Todo(position, op, self._whose(op.namespace_prefix)))
            elif isinstance(op, ListNamespacesOp):
                reads.append(_Todo(position, op, self._whose(leading_labels(op))))
            else:
                raise ValueError(f"A store gets, puts, searches and lists namespaces; {type(op).__name__} is neither.")
        with self._lock:
            held = [replace(each, position=count) for place, each in self._held.items() if place not in writes]
            for place in [place for place in writes if place in self._held]:
                # What may be written over by the one may be by the other, which takes its place.
                writes[place] = replace(writes[place], only_new=writes[place].only_new and self._held[place].only_new)
            self._held.clear()
        return _Work(held, reads, list(writes.values()), [None] * (count + 1), {each.place: each for each in held})

    def _whose(self, namespace: tuple[str, ...]) -> str | None:
        try:
            return space_for(self._space, namespace)
        except (TypeError, ValueError) as refused:
            raise InvalidNamespaceError(f"The namespace {namespace!r} names no user: {refused}") from refused

    def _shown(self, work: _Work, todo: _Todo, done: Result) -> Result:
        """What an operation came to, with what is held here before what the server has."""
        op = todo.op
        if isinstance(op, SearchOp):
            shown = [path_of(item.namespace, item.key) for item in cast(Sequence[Item], done)]
            self._unread.read(todo.space, prefix_of(op.namespace_prefix), shown)
        elif isinstance(op, GetOp):
            self._unread.read(todo.space, path_of(op.namespace, op.key))
            held = self._written(work, todo.space, op)
            return held.item if held is not None else done
        elif isinstance(op, PutOp):
            work.owed.pop(todo.place, None)
            self._unread.read(*todo.place)
        return done

    def _without(self, work: _Work, todo: _Todo, error: GeniffyError) -> Result:
        """What an operation comes to that the server could not do."""
        op = todo.op
        is_refused = isinstance(error, BadRequestError)  # the server has seen it, and would refuse it again
        if isinstance(op, PutOp) and is_refused:
            work.owed.pop(todo.place, None)
        held = self._written(work, todo.space, op) if isinstance(op, GetOp) else None
        if isinstance(op, GetOp) and held is None:
            self._unread.failed(todo.space, path_of(op.namespace, op.key))
        elif isinstance(op, SearchOp):
            self._unread.failed(todo.space, prefix_of(op.namespace_prefix))
        if error is not work.away:
            work.away = error if isinstance(error, APIConnectionError) else work.away
            self._on_error(error)
        if isinstance(op, PutOp) and not is_refused and todo.place not in work.owed:
            with self._lock:
                self._held.pop(todo.place, None)
            self._hold({todo.place: todo})
        if isinstance(op, PutOp | GetOp):
            return held.item if held is not None else None
        return []

    def _written(self, work: _Work, space: str | None, op: GetOp) -> _Written | None:
        """The item as a write left it that is still held; None when none is."""
        place = space, path_of(op.namespace, op.key)
        with self._lock:
            held = self._held.get(place, work.owed.get(place))
        if held is None or not isinstance(held.op, PutOp):
            return None
        value = held.op.value
        return _Written(fresh(op.namespace, op.key, value, now(), None) if value is not None else None)

    def _hold(self, owed: Mapping[tuple[str | None, str], _Todo]) -> None:
        """Keep writes for the next call, unless later ones of the same items are held already."""
        with self._lock:
            for place, todo in owed.items():
                self._held.setdefault(place, todo)
            while len(self._held) > _HELD_MOST:
                self._held.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Written:
    """What a write leaves: an item, or none."""

    item: Item | None


@dataclass(frozen=True, slots=True)
class _Todo:
    """One operation, where its result goes, and whose memory it is about; `only_new`: a put that replaces nothing."""

    position: int
    op: Op
    space: str | None
    only_new: bool = False

    @property
    def place(self) -> tuple[str | None, str]:
        """Where a write goes."""
        assert isinstance(self.op, PutOp)
        return self.space, path_of(self.op.namespace, self.op.key)

    def flow(self, files: ItemFiles) -> Callable[[Client], Flow[Result]]:
        """What the operation calls."""
        op = self.op
        if isinstance(op, GetOp):
            return lambda client: files.get(client, op.namespace, op.key)
        if isinstance(op, PutOp):
            return lambda client: files.put(client, op, only_new=self.only_new)
        if isinstance(op, SearchOp):
            return lambda client: files.search(client, op)
        return lambda client: files.namespaces(client, op)


@dataclass(slots=True)
class _Work:
    """The operations of a batch by when they run, and their results; the last one is of those that were held.

    `owed`: those that were held and are not done. `away`: the error that says that the server can't be reached: what
    is left of the batch is not tried, or each operation would wait for it again.
    """

    held: list[_Todo]
    reads: list[_Todo]
    writes: list[_Todo]
    results: list[Any] = field(repr=False)
    owed: dict[tuple[str | None, str], _Todo]
    away: GeniffyError | None = None

    def reached(self) -> None:
        """Raises the error that says that the server can't be reached."""
        if self.away is not None:
            raise self.away.with_traceback(None)  # raised again, it would gather the frames of each time
