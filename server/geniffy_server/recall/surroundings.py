"""What stands around each candidate in its source: its own passage, those before it and the one behind.

What a statement is about is often said beside it: `They were stunned.` answers how the children took the news when the
turn before asks so. No vector of the surroundings is kept, so what is forgotten is in none: their cosines are added up
from those of the rows, and divided by the length that a sum of so many statements' vectors has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.recall.shard import NONE, Shard

_BACK: Final = 12  # statements that are looked back for
_AHEAD: Final = 6
_TWO: Final = 2
# Cosines between statements of one passage and of two that follow on each other: .39 and .3 on talks of MiniLM.
_WITHIN: Final = np.float32(0.4)
_BESIDE: Final = np.float32(0.3)
_HALF: Final = np.float32(0.5)  # of what stands before and behind


@dataclass(frozen=True, slots=True)
class Surroundings:
    """For each of some rows the rows around it, (steps, rows), NONE where its source ends.

    `apart`: how many passages lie between, less than 0 before it, 0 in its own.
    """

    rows: NDArray[np.int32]
    apart: NDArray[np.int8]


def surroundings(shard: Shard, rows: NDArray[np.intp]) -> Surroundings:
    """The rows themselves, up to 12 statements before each and up to 6 behind."""
    back, ahead = _steps(shard.previous, rows, _BACK), _steps(shard.next, rows, _AHEAD)
    before, behind = _passages(shard, back), _passages(shard, ahead)
    return Surroundings(np.concatenate([back, ahead[1:]]), np.concatenate([-before, behind[1:]]))


def best_two_before(around: Surroundings, own: NDArray[np.float32]) -> NDArray[np.float32]:
    """The best of the passage that lies two before each one's own; 0 without one. `own` is of every row."""
    rows, apart = around.rows[: _BACK + 1], around.apart[: _BACK + 1]
    best = np.where((apart == -_TWO) & (rows != NONE), own.take(rows), np.float32(-np.inf)).max(axis=0)
    return np.where(np.isfinite(best), best, np.float32(0))


def likeness(around: Surroundings, cosine: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The cosine of each with half of the passage before it, and of its passage with half of both beside it.

    `cosine` is of every row.
    """
    held = around.rows != NONE
    near = np.where(held, cosine.take(around.rows), np.float32(0))
    own, _ = _of_passage(near, held & (around.apart == 0))
    before, is_before = _of_passage(near, held & (around.apart == -1))
    behind, is_behind = _of_passage(near, held & (around.apart == 1))
    before *= _HALF
    behind *= _HALF
    of_one = _HALF * _HALF + _BESIDE  # what half of another passage adds to the square of the length
    squared = 1 + of_one * is_before.astype(np.float32)
    told = (near[0] + before) / np.sqrt(squared)
    squared += of_one * is_behind + _HALF * _BESIDE * (is_before & is_behind)
    return told, (own + before + behind) / np.sqrt(squared)


def _steps(links: NDArray[np.int32], rows: NDArray[np.intp], count: int) -> NDArray[np.int32]:
    steps = np.empty((count + 1, len(rows)), np.int32)
    steps[0] = rows
    for step in range(count):
        links.take(steps[step], out=steps[step + 1], mode="wrap")  # NONE is the last, which is NONE
    return steps


def _passages(shard: Shard, steps: NDArray[np.int32]) -> NDArray[np.int8]:
    positions = shard.columns.positions.take(steps)
    passed = np.zeros(steps.shape, np.int8)
    (positions[1:] != positions[:-1]).cumsum(axis=0, dtype=np.int8, out=passed[1:])
    return passed


def _of_passage(near: NDArray[np.float32], of_it: NDArray[np.bool_]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The cosine with the sum of some statements' vectors, and whether there is any of them."""
    count = of_it.sum(axis=0, dtype=np.float32)
    some = np.maximum(count, 1)
    return np.where(of_it, near, np.float32(0)).sum(axis=0) / np.sqrt(some * (1 + _WITHIN * (some - 1))), count > 0
