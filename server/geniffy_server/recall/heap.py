"""Memory that was freed, given back to the system: the C library keeps it as long as something newer lies above it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Give back what is free of the heap, where the C library can (glibc's `malloc_trim`); nothing elsewhere.

    Reading the rows of a large space leaves about as much free memory as its shard takes.
    """
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    if not sys.platform.startswith("linux"):
        return lambda _: None
    library = ctypes.CDLL(None)
    return getattr(library, "malloc_trim", lambda _: None)
