"""What a run's end has to save, and how it is sent exactly once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import BaseMessage

from geniffy_agents.clients import Client
from geniffy_agents.conversations import LABEL, Place, Talk
from geniffy_agents.errors import NotFoundError
from geniffy_agents.flows import Flow, SourcesCalls
from geniffy_agents.turns import Turn
from geniffy_langchain.ledger import KEY, Ledger, closed


@dataclass(frozen=True, slots=True)
class Due:
    """What a run's end has to save."""

    space: str | None
    talk: Talk
    messages: Sequence[BaseMessage]
    ledger: Ledger
    due: Mapping[str, Turn]
    is_of_a_thread: bool

    def flow(self, client: Client) -> Flow[int]:
        """Save what is new in a thread; how many turns its conversation has then.

        The ledger knows what is new, but for two cases, in which the conversation's source tells. A save failed: turns
        of it may have arrived, and only the answer was lost. Or a thread's name came without a checkpointer: then the
        ledger is a new one at each run, and the app hands over what was said before.
        """
        talk, count = self.talk, self.ledger["count"]
        is_opened = not count and talk.run > 0
        place = (yield from place_of(client, talk.session)) if self.ledger["unsent"] or is_opened else None
        if place is None or not is_opened:
            talk = replace(talk, turns=talk.turns[talk.run :], run=0)
            if place is not None and place.count > count:
                talk = replace(talk, turns=talk.turns[place.find(talk.marks) or 0 :])
            talk.is_new = True
        yield from talk.flow(client)
        left = talk.places.get((client.space_id, talk.session)) or place
        return left.count if left is not None else count

    def closed(self, count: int | None) -> dict[str, Any] | None:
        """The state's update. A run of no thread has none: nothing is kept of its state, and what failed is held."""
        if not self.is_of_a_thread:
            return None
        return {KEY: closed(self.messages, self.ledger, self.due, count)}


def place_of(client: Client, session: str) -> Flow[Place | None]:
    """How far a conversation was saved, as its source tells."""
    try:
        source = yield from SourcesCalls.get.flow(client.sources, external_id=session)
    except NotFoundError:
        return None
    return Place.read(source.labels.get(LABEL))
