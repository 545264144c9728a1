"""Cosines of one space's vectors with those of a question, by brute force: exact, and a removed row is gone at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

DIMENSIONS: Final = 384
_GATHER_BELOW: Final = 0.3  # below this share of rows, copying them out is cheaper than passing over them all


def decoded(vectors: Sequence[bytes]) -> NDArray[np.float32]:
    """float32 (n, 384) of float16 rows as they are stored; an empty one, not embedded yet, is all zeros."""
    blank = bytes(DIMENSIONS * 2)
    held = np.frombuffer(b"".join(one or blank for one in vectors), np.float16)
    return held.reshape(len(vectors), DIMENSIONS).astype(np.float32)


def encoded(vector: NDArray[np.float32]) -> bytes:
    """A vector as it is stored: 384 float16."""
    return vector.astype(np.float16).tobytes()


def cosines(
    matrix: NDArray[np.float32], question: NDArray[np.float32], rows: NDArray[np.intp] | None = None
) -> NDArray[np.float32]:
    """float32 (n,) cosines of every row with `question`; when `rows` is given, of those rows in their order."""
    if rows is None:
        return np.asarray(matrix @ question, np.float32)
    if len(rows) < _GATHER_BELOW * len(matrix):
        return np.asarray(matrix[rows] @ question, np.float32)
    return np.asarray((matrix @ question)[rows], np.float32)
