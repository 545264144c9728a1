"""What a block saw of each conversation, and what Memory moved out of its short-term history."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from geniffy_agents.turns import Turn

_Key: TypeAlias = tuple[str | None, str]  # a space and a conversation
_HELD_MOST: Final = 256


@dataclass(slots=True)
class _Held:
    """`seen`: the turns of the short-term history that were handed over to be saved; None when nothing is known.

    `moved_out`: turns of which it is not known whether they were saved.
    """

    seen: list[Turn] | None = None
    moved_out: list[Turn] = field(default_factory=list)


class Seen:
    """The latest 256 conversations of a block, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[_Key, _Held] = OrderedDict()

    def note(self, key: _Key, turns: Sequence[Turn]) -> None:
        """These are all the turns of the short-term history that are saved or held to be saved."""
        with self._lock:
            self._of(key).seen = list(turns)

    def noted(self, key: _Key, turns: Sequence[Turn]) -> int | None:
        """How many of the first turns of the short-term history were noted; None when that is not known."""
        with self._lock:
            seen = self._of(key).seen
            if seen is None:
                return None
            both = min(len(seen), len(turns))
            return both if seen[:both] == list(turns[:both]) else None

    def unseen(self, key: _Key, turns: Sequence[Turn]) -> list[Turn] | None:
        """Those of the turns just moved out that were not noted. What is moved out is the beginning of the history.

        None when that is not so, or nothing is known of the conversation.
        """
        with self._lock:
            held = self._of(key)
            if held.seen is None:
                return None
            both = min(len(held.seen), len(turns))
            if held.seen[:both] != list(turns[:both]):
                held.seen = None
                return None
            held.seen = held.seen[both:]
            return list(turns[both:])

    def keep_back(self, key: _Key, turns: Sequence[Turn]) -> None:
        """Keep turns that were moved out until more is known of their conversation."""
        with self._lock:
            self._of(key).moved_out = list(turns)

    def kept_back(self, key: _Key) -> list[Turn]:
        """The turns that were kept back, in order."""
        with self._lock:
            return list(self._of(key).moved_out)

    def _of(self, key: _Key) -> _Held:
        held = self._held.setdefault(key, _Held())
        self._held.move_to_end(key)
        while len(self._held) > _HELD_MOST:
            self._held.popitem(last=False)
        return held
