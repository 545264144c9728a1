"""What of a thread was saved, kept in the agent's own state: with the thread, over restarts and on every server.

Messages are known by the ids that a graph gives them, so a history that is trimmed, summarized or edited is neither
sent again nor skipped.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NotRequired

from langchain.agents.middleware import AgentState
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import BaseMessage
from typing_extensions import TypedDict

from geniffy_agents.turns import Turn, new_session_id
from geniffy_langchain.messages import turn_from, turn_start, turns_by_key

KEY: Final = "geniffy_memory"
_SEEN_MOST: Final = 256


class Ledger(TypedDict):
    """`saved`: what stands for the messages of the state that were sent, or that were there before saving began.

    `unsent`: messages that a save could not send, by what stands for them, in order; `count`: how many turns the
    conversation had when a save last went well. `run`: an id of the thread's own, and of its conversation where the
    host has none.
    """

    run: str
    saved: list[str]
    unsent: dict[str, dict[str, Any]]
    count: int


class SavedState(AgentState[Any]):
    """The state of an agent with `GeniffyMemory`. The ledger is the middleware's own: no input, no output."""

    geniffy_memory: NotRequired[Annotated[Ledger, PrivateStateAttr]]


def opened(messages: Sequence[BaseMessage]) -> Ledger:
    """The ledger of a thread that has none: saving begins with the turn at hand, as all before it was not asked for."""
    earlier = messages[: turn_start(messages)]
    return Ledger(run=new_session_id(), saved=list(turns_by_key(earlier)), unsent={}, count=0)


def unsaved(messages: Sequence[BaseMessage], ledger: Ledger) -> dict[str, Turn]:
    """The turns that were not sent yet, in order, by what stands for them."""
    saved = set(ledger["saved"])
    return {key: turn for key, turn in turns_by_key(messages).items() if key not in saved}


def owed(messages: Sequence[BaseMessage], ledger: Ledger, seen: Mapping[str, Turn]) -> dict[str, Turn]:
    """All turns that a save has to send, in the order in which they were said, by what stands for them.

    First what an earlier save could not send, then what was `seen` in this run, even where it is gone from the state.
    """
    saved = set(ledger["saved"])
    return {
        **{key: turn_from(message) for key, message in ledger["unsent"].items()},
        **{key: turn for key, turn in seen.items() if key not in saved},
        **unsaved(messages, ledger),
    }


def earlier(messages: Sequence[BaseMessage], due: Mapping[str, Turn]) -> list[Turn]:
    """The turns of the state that are not due."""
    return [turn for key, turn in turns_by_key(messages).items() if key not in due]


def closed(messages: Sequence[BaseMessage], ledger: Ledger, due: Mapping[str, Turn], count: int | None) -> Ledger:
    """The ledger after a save, which left the conversation at `count` turns, or failed: None.

    It holds no key of a message that is gone.
    """
    taken = {*ledger["saved"], *(due if count is not None else ())}
    return Ledger(
        run=ledger["run"],
        saved=[key for key in turns_by_key(messages) if key in taken],
        unsent={key: turn.message() for key, turn in due.items()} if count is None else {},
        count=ledger["count"] if count is None else count,
    )


class Seen:
    """The unsaved turns that each run's model calls saw: what is summarized away before the run ends is saved too.

    In this process only, for the latest 256 runs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_run: OrderedDict[str, dict[str, Turn]] = OrderedDict()

    def note(self, run: str, turns: Mapping[str, Turn]) -> None:
        """Add what a model call saw."""
        with self._lock:
            self._by_run[run] = {**self._by_run.pop(run, {}), **turns}
            while len(self._by_run) > _SEEN_MOST:
                self._by_run.popitem(last=False)

    def take(self, run: str) -> dict[str, Turn]:
        """What was seen in a run, and forget it."""
        with self._lock:
            return self._by_run.pop(run, {})
