"""Keeps the numeric libraries to one thread each; requests, not matrices, are what runs at once."""

from __future__ import annotations

import os
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
