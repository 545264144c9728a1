"""Keeps the numeric libraries to one thread each; requests, not matrices, are what runs at once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Final

# Two OpenBLAS threads on busy cores burnt nine times the CPU of one for the same product (10,000 x 384).
_LIMITS: Final = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def limit_threads() -> None:
    """Limit the libraries' own threads, unless the operator chose otherwise.

    They read these variables when they are first imported: call this before anything imports numpy.
    """
    for name, value in _LIMITS.items():
        os.environ.setdefault(name, value)


@contextlib.contextmanager
def limited_threads() -> Iterator[None]:
    """Limit the threads of what the block imports, and leave the variables as they were: the process is someone's."""
    before = {name: os.environ.get(name) for name in _LIMITS}
    limit_threads()
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
