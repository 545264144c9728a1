"""Whose memory a call is for. One rule everywhere: a missing user id is never read as "mine".

A space is your own name for one of your users. Without one a call reaches the key owner's own memory, so what looks
like a user without an id is refused: blank, None from a function, or any other type (contract 1.3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from geniffy_agents.client import AsyncGeniffy, Geniffy

C = TypeVar("C", "Geniffy", "AsyncGeniffy")

Space: TypeAlias = str | int | Callable[[Any], str | int] | None
"""An integration's `space=`: a name, a function that names one for every call, or None for the owner's own memory."""


def space_name(raw: Any, what: str = "space()") -> str:
    """A space's name as it is sent: surrounding blanks dropped, an int as its digits.

    Which characters a name may have is the server's to say; refused here is what can't travel. Raises TypeError for
    None and other types, and ValueError for a blank name. `what` names the argument in the message.
    """
    if isinstance(raw, bool) or not isinstance(raw, str | int):
        raise TypeError(f"{what} takes your name for a user, a string or an int, not {type(raw).__name__}.")
    name = raw.strip() if isinstance(raw, str) else str(int(raw))
    if not name:
        raise ValueError(
            f"{what} got a blank name, which is what a user without an id looks like. Pass the id of the user."
        )
    if not name.isascii() or not name.isprintable() or name in (".", ".."):
        raise ValueError(f"{name!r:.60} can't name a space: use letters, digits, dots, dashes or underscores.")
    return name


def checked_space(space: Space) -> Space:
    """An integration's `space=` argument, checked when it is made: a function is checked when it is called.

    Raises as `space_name`; an explicit None is the owner's own memory.
    """
    return space if space is None or callable(space) else space_name(space, "space=")


def space_for(space: Space, argument: Any) -> str | None:
    """The space of one call: what the function says for `argument`, else the name; None is the owner's own memory.

    Raises as `space_name`, also when a function answers None: that is what a missing user id looks like.
    """
    if callable(space):
        return space_name(space(argument), "The function given as space=")
    return None if space is None else space_name(space, "space=")


def bound(client: C, space: Space, argument: Any = None) -> C:
    """`client` in the space that an integration's `space=` names for one call: see `space_for`.

    An explicit None is the owner's own memory, so it is refused (ValueError) for a client that already works in one
    user's space: either of the two could have been meant.
    """
    name = space_for(space, argument)
    if name is not None:
        return client.space(name)
    if client.space_id:
        raise ValueError(
            f"space=None is the owner's own memory, and this client works in the space {client.space_id!r}: "
            f"pass space={client.space_id!r}, or a client that is bound to nobody."
        )
    return client
