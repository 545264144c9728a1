"""Calls written once, run by a blocking or an asyncio client.

A call is a generator: it yields what it needs (a `Request`, a `Sleep`) and is sent what came of it. It never waits
itself, so one body serves both clients:

    class FilesCalls(Calls):
        @call
        def get(self, path: str) -> Flow[File]:
            reply = yield from self._send("GET", "/v1/files", params=[("path", path)])
            return File.of(reply)

    class Files(FilesCalls, Sync): ...         # Files.get returns a File
    class AsyncFiles(FilesCalls, Async): ...   # AsyncFiles.get returns a coroutine of a File

`@stream` is the same for what comes piece by piece: its body also yields `Item`s.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, overload

from geniffy_agents._request import Method, Outcome, Params, Reply, Request, Sleep, Step, Unreached, Upload
from geniffy_agents._retry import delay, may_have_arrived, may_retry
from geniffy_agents.errors import APIConnectionError, bad_answer, error_of

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """One piece that a stream hands to its caller."""

    value: T


Flow: TypeAlias = Generator[Step, Any, T]
"""A call in the making: yields steps and returns its result. It is sent an Outcome for a Request."""
Stream: TypeAlias = Generator[Step | Item[T], Any, None]
"""The same, with items on the way."""
Perform: TypeAlias = Callable[[Step], Outcome | None]
AsyncPerform: TypeAlias = Callable[[Step], Awaitable[Outcome | None]]


@dataclass(frozen=True, slots=True)
class Policy:
    """What flows need to know of the client that runs them.

    `clock` is in seconds from any start. `longest_hold_s`: how long the server may be asked to hold an answer back
    before this client's own timeout would strike.
    """

    max_retries: int
    longest_hold_s: float
    clock: Callable[[], float]
    jitter: Callable[[], float] = random.random


def exchange(request: Request, policy: Policy) -> Flow[Reply]:
    """Send `request`, again where that is safe, and return a successful reply.

    Raises the GeniffyError that the last answer stands for, or APIConnectionError when there was none.
    """
    attempt, is_repeated = 0, False
    while True:
        outcome: Outcome = yield request
        if attempt >= policy.max_retries or not may_retry(request, outcome):
            return _successful(outcome, is_repeated=is_repeated)
        is_repeated = is_repeated or may_have_arrived(outcome)
        headers: Mapping[str, str] = outcome.headers if isinstance(outcome, Reply) else {}
        yield Sleep(delay(attempt, headers, policy.jitter()))
        attempt += 1


def _successful(outcome: Outcome, *, is_repeated: bool) -> Reply:
    if isinstance(outcome, Unreached):
        raise APIConnectionError(outcome.reason)
    if outcome.status >= 400:
        error = error_of(outcome.status, outcome.body, outcome.request_id)
        error.is_repeated = is_repeated
        raise error
    if outcome.status >= 300:  # no route of this API redirects; followed blindly it would read as an empty result
        raise bad_answer(
            f"The server answered {outcome.status}, a redirect.", status=outcome.status, request_id=outcome.request_id
        )
    return outcome


def run(flow: Flow[T], perform: Perform) -> T:
    """Run `flow` to its end, blocking, and return its result."""
    with closing(flow):
        outcome: Outcome | None = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as done:
                result: T = done.value
                return result
            outcome = perform(step)


async def run_async(flow: Flow[T], perform: AsyncPerform) -> T:
    """Run `flow` to its end and return its result."""
    with closing(flow):
        outcome: Outcome | None = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as done:
                result: T = done.value
                return result
            outcome = await perform(step)


def run_stream(stream: Stream[T], perform: Perform) -> Iterator[T]:
    """The items of `stream`, each fetched when it is asked for."""
    with closing(stream):
        outcome: Outcome | None = None
        while True:
            try:
                step = stream.send(outcome)
            except StopIteration:
                return
            if isinstance(step, Item):
                outcome = None
                yield step.value
            else:
                outcome = perform(step)


async def run_stream_async(stream: Stream[T], perform: AsyncPerform) -> AsyncIterator[T]:
    """The items of `stream`, each fetched when it is asked for."""
    with closing(stream):
        outcome: Outcome | None = None
        while True:
            try:
                step = stream.send(outcome)
            except StopIteration:
                return
            if isinstance(step, Item):
                outcome = None
                yield step.value
            else:
                outcome = await perform(step)


def gathered(stream: Stream[T]) -> Flow[list[T]]:
    """All the items of `stream`, as one call."""
    items: list[T] = []
    with closing(stream):
        outcome: Outcome | None = None
        while True:
            try:
                step = stream.send(outcome)
            except StopIteration:
                return items
            if isinstance(step, Item):
                outcome = None
                items.append(step.value)
            else:
                outcome = yield step


class Calls:
    """What calls are written against, whichever client runs them."""

    _policy: Policy

    def _send(
        self,
        method: Method,
        path: str,
        *,
        params: Params = (),
        json: Mapping[str, Any] | None = None,
        upload: Upload | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Flow[Reply]:
        return exchange(Request(method, path, params, json, upload, headers or {}), self._policy)


class Sync(Calls):
    """Calls that block."""

    def __init__(self, perform: Perform, policy: Policy) -> None:
        self._perform = perform
        self._policy = policy


class Async(Calls):
    """Calls that are awaited."""

    def __init__(self, perform: AsyncPerform, policy: Policy) -> None:
        self._perform = perform
        self._policy = policy


class call(Generic[P, T]):
    """A method whose body is a flow: it blocks on a Sync owner and is awaited on an Async one."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Flow[T]]) -> None:
        self.flow = flow
        self.__doc__ = flow.__doc__
        self.__wrapped__ = flow

    @overload
    def __get__(self, owner: None, cls: type) -> call[P, T]: ...
    @overload
    def __get__(self, owner: Sync, cls: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, owner: Async, cls: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, owner: Any, cls: type) -> Any:
        if owner is None:
            return self
        flow = self.flow
        if isinstance(owner, Async):

            async def awaited(*args: P.args, **kwargs: P.kwargs) -> T:
                return await run_async(flow(owner, *args, **kwargs), owner._perform)

            return update_wrapper(awaited, flow.__get__(owner))

        def blocking(*args: P.args, **kwargs: P.kwargs) -> T:
            return run(flow(owner, *args, **kwargs), owner._perform)

        return update_wrapper(blocking, flow.__get__(owner))


class stream(Generic[P, T]):
    """A method whose body is a stream: an iterator on a Sync owner, an asynchronous one on an Async owner."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Stream[T]]) -> None:
        self.flow = flow
        self.__doc__ = flow.__doc__
        self.__wrapped__ = flow

    @overload
    def __get__(self, owner: None, cls: type) -> stream[P, T]: ...
    @overload
    def __get__(self, owner: Sync, cls: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, owner: Async, cls: type) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, owner: Any, cls: type) -> Any:
        if owner is None:
            return self
        flow = self.flow
        if isinstance(owner, Async):

            def fetched(*args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
                return run_stream_async(flow(owner, *args, **kwargs), owner._perform)

            return update_wrapper(fetched, flow.__get__(owner))

        def blocking(*args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
            return run_stream(flow(owner, *args, **kwargs), owner._perform)

        return update_wrapper(blocking, flow.__get__(owner))
