"""What a run of an agent is named by beside its user: its conversation and its project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Named: TypeAlias = str | int | Callable[[Any], str | int | None] | None
"""A project or a conversation: its name, a function that names it for each run, or None."""


def run_name(named: Named, argument: Any, what: str) -> str | None:
    """The name for one run: what the function says for `argument`, else the name; None for none and for a blank one.

    Raises TypeError for any other type; `what` names the argument in the message.
    """
    name = named(argument) if callable(named) else named
    if name is None or (isinstance(name, str) and not name.strip()):
        return None
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise TypeError(f"{what} takes a string or a function that gives one, not {type(name).__name__}.")
    return str(name).strip()
