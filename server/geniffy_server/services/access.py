"""Which space a caller reads or writes: the one place where a name becomes a memory."""

from __future__ import annotations

from dataclasses import replace

from geniffy_server.caller import Caller
from geniffy_server.domain.memory import OWNER, Memory
from geniffy_server.domain.space import OWN, Space, space_name
from geniffy_server.errors import NotAllowed
from geniffy_server.ports import Transaction


def readable(tx: Transaction, caller: Caller) -> Space | None:
    """The caller's space; None when nothing was ever written to it, which reads as empty (contract 23)."""
    return tx.spaces.find(caller.account_id, caller.space)


def writable(tx: Transaction, caller: Caller) -> tuple[Space, int]:
    """The caller's space, made when it is new, and the version that this transaction's rows are stamped with."""
    if not caller.can_write:
        raise NotAllowed("This connection may only read; connect again and allow saving.")
    space = tx.spaces.ensure(caller.account_id, caller.space)
    return space, tx.spaces.bump(space.id)


def in_space(caller: Caller, raw: str | None) -> Caller:
    """The caller working in the space named `raw`; the caller's own space when it is None.

    Raises BadInput (`bad_space`) for a malformed name, and NotAllowed (`wrong_space`) when the caller's key is limited
    to another space. A blank name is refused, never read as the owner's own memory.
    """
    if raw is None:
        return caller
    name = space_name(raw)
    if caller.is_limited and name != caller.space:
        raise NotAllowed(f"This key reaches the space {caller.space!r} alone, not {name!r}.", "wrong_space")
    return replace(caller, space=name)


def whole_account(caller: Caller) -> None:
    """Raise NotAllowed (`not_allowed`) when the caller's key is limited to one space (contract 37)."""
    if caller.is_limited:
        raise NotAllowed(
            f"This key reaches the space {caller.space or OWN!r} alone; use a key of the whole account for this."
        )


def shown(space: Space, memory: Memory) -> Memory:
    """The memory as readers see it: its owner by their name, or by none while that is not known (decisions 29)."""
    return replace(memory, about=space.owner_name) if memory.about == OWNER else memory
