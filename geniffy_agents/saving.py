"""Saving conversations after each run of an agent: what integrations share.

What could not be sent is never dropped: it goes with the next save.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final, Protocol

from geniffy_agents.clients import Client, Clients
from geniffy_agents.flows import Flow

_HELD_MOST: Final = 256


class Owed(Protocol):
    """What a conversation has still to send."""

    session: str

    def flow(self, client: Client) -> Flow[None]:
        """Send it; run again after an error, it goes on where it stopped. Raises GeniffyError."""
        ...

    def behind(self, earlier: Any) -> Owed:
        """This with what an earlier one of the same kind and conversation could not send."""
        ...


class Savings:
    """Sends what conversations owe; what failed is held in this process, and goes with the next.

    The latest 256 conversations are held. May be used from several threads and event loops.
    """

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._lock = threading.Lock()
        self._held: OrderedDict[tuple[str | None, str], Owed] = OrderedDict()

    def save(self, space: str | None, saving: Owed) -> None:
        """Send a conversation's new messages, behind those it still owes, then what others owe.

        Raises GeniffyError for the first that fails; that and the rest are held.
        """
        due = self._due(space, saving)
        try:
            while due:
                where, each = due[0]
                self._clients.run(where, each.flow)
                due.pop(0)
        finally:
            self._hold(due)

    async def asave(self, space: str | None, saving: Owed) -> None:
        """The same, awaited."""
        due = self._due(space, saving)
        try:
            while due:
                where, each = due[0]
                await self._clients.arun(where, each.flow)
                due.pop(0)
        finally:
            self._hold(due)

    def _due(self, space: str | None, saving: Owed) -> list[tuple[str | None, Owed]]:
        with self._lock:
            owed = self._held.pop((space, saving.session), None)
            others = [(where, each) for (where, _), each in self._held.items()]
            self._held.clear()
        return [(space, saving.behind(owed) if owed else saving), *others]

    def _hold(self, due: Sequence[tuple[str | None, Owed]]) -> None:
        """Keep what was not sent; what failed goes last, so that it never keeps the others waiting."""
        with self._lock:
            for space, saving in [*due[1:], *due[:1]]:
                held = self._held.pop((space, saving.session), None)
                self._held[space, saving.session] = held.behind(saving) if held else saving
            while len(self._held) > _HELD_MOST:
                self._held.popitem(last=False)
