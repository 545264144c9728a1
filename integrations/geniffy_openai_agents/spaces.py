"""Whose memory a run is for, with what is refused in the SDK's own kind of error."""

from __future__ import annotations

from typing import Any

from agents.exceptions import UserError

from geniffy_agents.space_names import Space, checked_space, space_for


class SpaceRefusedError(UserError, ValueError):
    """A memory was asked for nobody: the space is blank, missing or no name. No call was made; it stops the run."""


def checked(space: Space) -> Space:
    """`space=` as an integration is given it; a function is asked at each run. Raises SpaceRefusedError."""
    try:
        return checked_space(space)
    except (TypeError, ValueError) as refused:
        raise SpaceRefusedError(str(refused)) from refused


def space_of(space: Space, context: Any) -> str | None:
    """The space of a run with this context; None is the owner's own memory. Raises SpaceRefusedError."""
    try:
        return space_for(space, context)
    except (TypeError, ValueError) as refused:
        raise SpaceRefusedError(str(refused)) from refused
