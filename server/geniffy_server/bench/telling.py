"""How a benchmark says how far it is."""

from __future__ import annotations

from collections.abc import Callable

Told = Callable[[str, int, int], None]
"""`(what is done now, how many steps of it are done, how many there are)`; 0 of 0 where that is not known."""


def to_nobody(what: str, done: int, total: int) -> None:
    """Says nothing."""
