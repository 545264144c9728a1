"""What the owner of a memory is called: what their own words in it say, and nothing when none do any more."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from geniffy_server.domain.memory import OWNER, Fact, Memory
from geniffy_server.domain.space import Space
from geniffy_server.learn.learn import Reading, stated_owner_name
from geniffy_server.ports import Transaction
from geniffy_server.services.removing import is_usable

_READ: Final = 100_000  # statements that are looked through


def settle_owner_name(tx: Transaction, space: Space) -> None:
    """Keep the owner's name while a statement in use gives it; else take the one that was given last, or none.

    Every transaction that takes such a statement out of use, or brings the first one, ends with this.
    """
    if space.owner_name is not None:
        saying = tx.memories.saying(space.id, space.owner_name, _READ)
        if any(_given_by(memory) == space.owner_name for memory in saying):
            return
    given = [
        (memory.said_at, memory.id, name)
        for memory in tx.memories.about(space.id, OWNER, _READ)
        if (name := _given_by(memory)) is not None
    ]
    name = max(given)[2] if given else None
    if name != space.owner_name:
        tx.spaces.name_owner(space.id, name)


def as_owner(fact: Fact, owner: str | None) -> Fact:
    """The fact, about OWNER when it is about the owner by name: it stays theirs, whatever they are called later."""
    if owner is None or fact.about is None or fact.about.casefold() != owner.casefold():
        return fact
    return replace(fact, about=OWNER)


def _given_by(memory: Memory) -> str | None:
    """The name that a statement in use gives the owner."""
    if memory.about != OWNER or not is_usable(memory):
        return None
    return stated_owner_name([Reading(text=memory.quote, said_at=memory.said_at)])
