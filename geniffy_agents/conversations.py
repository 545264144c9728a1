"""Saving conversations of which a host hands over all that it still holds, after every run: what integrations share.

How far a conversation was saved stands on the server: a label of its own source, which the very call that adds turns
sets. So no restart, no second process and no lost answer makes a turn arrive twice, or not at all.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import threading
import weakref
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from geniffy_agents.clients import Client, Clients
from geniffy_agents.errors import NotFoundError
from geniffy_agents.flows import Flow, MemoriesCalls, SourcesCalls
from geniffy_agents.saving import Savings
from geniffy_agents.turns import MAX_MESSAGES, MAX_TOOL_INPUT_CHARS, Turn, title_of
from geniffy_agents.types import Labels, Source

LABEL: Final = "geniffy-saved"
"""The label of a conversation's source that says how far it was saved."""
MAX_LABELS: Final = 20
"""Labels that a source may have (contract 1.10)."""
_MARKED: Final = 12  # turns that are marked; with their count they fit a label's 256 characters
_MARK_CHARS: Final = 10
_PART_CHARS: Final = 5_000_000  # of four bytes each they are less than the 32 MiB that a call may carry
_KNOWN_MOST: Final = 256

_Key: TypeAlias = tuple[str, str]  # a space, empty for the owner's own memory, and a conversation


@dataclass(frozen=True, slots=True)
class Place:
    """How far a conversation was saved: how many turns, and the marks of the last twelve of them."""

    count: int = 0
    marks: tuple[str, ...] = ()

    def label(self) -> str:
        """The place as a label's value."""
        return f"{self.count}:{','.join(self.marks)}"

    @classmethod
    def read(cls, label: str | None) -> Place | None:
        """The place in a label's value; None for what is none."""
        count, _, marks = (label or "").partition(":")
        return cls(int(count), tuple(marks.split(","))) if count.isdecimal() and marks else None

    def after(self, marks: Sequence[str]) -> Place:
        """The place behind more turns."""
        return Place(self.count + len(marks), (*self.marks, *marks)[-_MARKED:])

    def find(self, marks: Sequence[str]) -> int | None:
        """How many of the turns with these marks were saved; None when the place is not among them.

        A conversation that only grew holds it where it was. In one that was cut or rewritten it is where most of the
        turns before it are the same ones, and the latest such place. So a run that a host hands over without what was
        before it, and that is word for word the last one, is taken for that one; `Talk.fresh` tells them apart.
        """
        most, found = 0, None
        for at in range(len(marks), 0, -1):
            same = min(at, len(self.marks))
            if not same or tuple(marks[at - same : at]) != self.marks[-same:]:
                continue
            if at == self.count:
                return at
            if same > most:
                most, found = same, at
        return found


@dataclass(slots=True)
class Talk:
    """What is to be saved of one conversation: its turns as far back as the host still holds them.

    `run` is where the run that just ended begins in `turns`. Those up to the place that the source tells were saved;
    where its place is not among them, none was. Where a source tells no place, only the run is new. `labels` go beside
    those that the conversation has. `is_new` says that no turn was handed over before, and `only_first` that nothing
    is sent unless it is the conversation's beginning. `fresh`: how many of the turns were handed over before, where
    that is known: as long as nobody else saves, none behind them is taken for one that was.
    """

    session: str
    turns: Sequence[Turn]
    run: int = 0
    labels: Labels | None = None
    is_new: bool = False
    only_first: bool = False
    fresh: int | None = None
    begun: tuple[int, Place] | None = None
    """How many turns were known to be saved when the rest was sent, and the place behind them."""
    places: Places = field(default_factory=lambda: Places())
    marks: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        self.run = sum(not turn.is_empty for turn in self.turns[: self.run])
        if self.fresh is not None:
            self.fresh = sum(not turn.is_empty for turn in self.turns[: self.fresh])
        self.turns = [turn for turn in self.turns if not turn.is_empty]
        self.marks = [_mark(self.session, turn) for turn in self.turns]

    def behind(self, earlier: Talk) -> Talk:
        """This talk with what an earlier one could not send, which the host may have handed over once more."""
        if self.fresh is not None:
            turns = [*earlier.turns, *self.turns[self.fresh :]]
            return replace(earlier, turns=turns, labels=self.labels, is_new=earlier.is_new and self.is_new)
        at = None if self.is_new else Place().after(earlier.marks).find(self.marks)
        if at is not None and at >= len(earlier.turns):
            began = at - (len(earlier.turns) - earlier.run)
            return replace(self, run=min(self.run, began))
        turns = [*earlier.turns, *self.turns[at or 0 :]]
        is_new = earlier.is_new and self.is_new
        return replace(self, turns=turns, run=earlier.run, is_new=is_new, fresh=earlier.fresh, begun=earlier.begun)

    def flow(self, client: Client) -> Flow[None]:
        """Send what the server does not have, 500 messages a call. Raises GeniffyError."""
        key = (client.space_id, self.session)
        known = self.places.get(key)
        if not self.turns or self._is_saved(known):
            return
        source = yield from _source(client, self.session)
        start, place = self._start(source, known)
        kept = {**(source.labels if source else {}), **(self.labels or {})}
        title = title_of(self.turns[start:])
        self.begun = start, place
        while start < len(self.turns):
            end = start + _part(self.turns[start : start + MAX_MESSAGES])
            place = place.after(self.marks[start:end])
            labels = {**kept, LABEL: place.label()}
            self.is_new = False  # should no answer come, the place tells whether these arrived
            yield from MemoriesCalls.add.flow(
                client.memories,
                messages=[turn.message() for turn in self.turns[start:end]],
                session=self.session,
                title=title,
                labels=labels if len(labels) <= MAX_LABELS else kept,
            )
            self.places.note(client, key, place)
            start = end
            self.begun = start, place
        self.places.keep(key, place)

    def _is_saved(self, known: Place | None) -> bool:
        """Whether this process knows that nothing is left to send."""
        if self.is_new or known is None:
            return False
        if self.begun is not None:
            return self.begun[0] == len(self.turns)
        return (known.find(self.marks) if self.fresh is None else self.fresh) == len(self.turns)

    def _start(self, source: Source | None, known: Place | None) -> tuple[int, Place]:
        """How many turns were saved, and the place to go on from."""
        told = Place.read(source.labels.get(LABEL)) if source else None
        if self.only_first and source:
            return len(self.turns), told or Place()
        if self.is_new:
            return 0, told or known or Place()
        if self.begun is not None:
            start, place = self.begun
            arrived = told.count - place.count if told else 0
            if source is None or place.after(self.marks[start : start + max(0, arrived)]) == told:
                return start + arrived, told or place
        if self.fresh is not None and known and (source is None or told == known):
            return known.find(self.marks[: self.fresh]) or 0, known
        at = told.find(self.marks) if told else None
        if told and at is not None:
            return at, told
        at = known.find(self.marks) if known else None
        if known and at is not None:
            # Another process went on from there, or someone deleted the source or replaced its labels.
            further = max(0, told.count - known.count) if told else 0
            return min(at + further, len(self.turns)), told or known
        if told:
            return 0, told
        # No source: nothing was saved yet, unless this process knows that it was and someone deleted it since.
        return (0 if source is None and known is None else self.run), Place()


class Places:
    """The places that this process left conversations at, for the latest 256 of them."""

    def __init__(self, on_saved: Callable[[Client], None] | None = None) -> None:
        self._on_saved = on_saved
        self._lock = threading.Lock()
        self._held: OrderedDict[_Key, Place] = OrderedDict()

    def get(self, key: _Key) -> Place | None:
        """Where a conversation was left."""
        with self._lock:
            return self._held.get(key)

    def keep(self, key: _Key, place: Place) -> None:
        """Note where a conversation stands."""
        with self._lock:
            self._held[key] = place
            self._held.move_to_end(key)
            while len(self._held) > _KNOWN_MOST:
                self._held.popitem(last=False)

    def note(self, client: Client, key: _Key, place: Place) -> None:
        """Note where turns that were just sent leave a conversation."""
        self.keep(key, place)
        if self._on_saved is not None:
            self._on_saved(client)


class Conversations:
    """Saves the conversations of one integration. May be used from several threads and event loops.

    `on_saved` is called with the client after each call that added turns. What could not be sent is held in this
    process, for the latest 256 conversations, and goes with the next save; two saves of one conversation at once wait
    for one another.
    """

    def __init__(self, clients: Clients, on_saved: Callable[[Client], None] | None = None) -> None:
        self._savings = Savings(clients)
        self._places = Places(on_saved)
        self._lock = threading.Lock()
        self._blocking: weakref.WeakValueDictionary[object, _Gate] = weakref.WeakValueDictionary()
        self._waiting: weakref.WeakValueDictionary[object, asyncio.Lock] = weakref.WeakValueDictionary()

    def save(self, space: str | None, talk: Talk) -> None:
        """Save what is new of a conversation. Raises GeniffyError; what was not sent is held."""
        with self._alone((space, talk.session)):
            talk.places = self._places
            self._savings.save(space, talk)

    async def asave(self, space: str | None, talk: Talk) -> None:
        """The same, awaited."""
        async with self._aalone((id(asyncio.get_running_loop()), space, talk.session)):
            talk.places = self._places
            await self._savings.asave(space, talk)

    def is_just(self, space: str | None, talk: Talk) -> bool:
        """Whether `talk` is just what was saved of its conversation, as this process knows."""
        known = self._places.get((space or "", talk.session))
        return known == Place().after(talk.marks)

    @contextmanager
    def _alone(self, key: object) -> Iterator[None]:
        with self._lock:
            gate = self._blocking.setdefault(key, _Gate())
        with gate.lock:
            yield

    @asynccontextmanager
    async def _aalone(self, key: object) -> AsyncIterator[None]:
        with self._lock:
            lock = self._waiting.setdefault(key, asyncio.Lock())
        async with lock:
            yield


class _Gate:
    """A lock that goes when nobody uses it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


def run_start(turns: Sequence[Turn]) -> int:
    """Where the run at hand begins: behind the agent's last answer before the user's last words, which may be several.

    A turn that calls tools is no answer.
    """
    last = next((at for at in range(len(turns) - 1, -1, -1) if turns[at].role == "user"), 0)
    return next((at + 1 for at in range(last - 1, -1, -1) if is_answer(turns[at])), 0)


def is_answer(turn: Turn) -> bool:
    """Whether an agent ended a run with it."""
    return turn.role == "assistant" and not turn.tool_calls


def _part(turns: Sequence[Turn]) -> int:
    """How many of these turns one call carries: one at least."""
    sizes = itertools.accumulate(len(turn.text) + MAX_TOOL_INPUT_CHARS * len(turn.tool_calls) for turn in turns)
    return max(1, sum(size <= _PART_CHARS for size in sizes))


def _source(client: Client, session: str) -> Flow[Source | None]:
    try:
        return (yield from SourcesCalls.get.flow(client.sources, external_id=session))
    except NotFoundError:
        return None


def _mark(session: str, turn: Turn) -> str:
    """What stands for a turn, in its conversation alone: it says nothing of what was said."""
    words = json.dumps([session, turn.message()], sort_keys=True)
    return hashlib.sha256(words.encode()).hexdigest()[:_MARK_CHARS]
