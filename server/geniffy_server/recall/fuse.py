"""One score from what speaks for each memory: z-scores and structure, weighed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.recall.features import Evidence
from geniffy_server.recall.shard import NONE, Shard


@dataclass(frozen=True, slots=True)
class Weights:
    """Set by hand, in round numbers, from what each signal was worth on chat and on third-person notes.

    Cosine and BM25 are z-scores over the space, so that a weight means the same in any space. Reciprocal ranks were
    worse than BM25 alone.
    """

    cosine: float = 0.5
    bm25: float = 0.5
    subject: float = 2.0
    neighbour_cosine: float = 0.3
    neighbour_bm25: float = 0.3
    period: float = 0.7
    dated: float = 0.5
    session: float = 0.4


WEIGHTS: Final = Weights()
# A spread below these is noise: of the cosines between one question and unrelated texts, and of BM25 in few rows.
_LEAST_COSINE_SPREAD: Final = 0.05
_LEAST_BM25_SPREAD: Final = 0.5
_SESSION_ROWS: Final = 3


def fused(shard: Shard, found: Evidence, living: NDArray[np.bool_] | None) -> NDArray[np.float32]:
    """The score of every row, higher is better; only those of `living` rows mean anything."""
    weights = WEIGHTS
    bm25 = _z(found.bm25, living, _LEAST_BM25_SPREAD)
    scores = weights.bm25 * bm25 + weights.neighbour_bm25 * _of_neighbours(shard, bm25)
    if found.cosine is not None:
        embedded = shard.columns.embedded if living is None else shard.columns.embedded & living
        cosine = _z(found.cosine, embedded, _LEAST_COSINE_SPREAD)
        scores += weights.cosine * cosine + weights.neighbour_cosine * _of_neighbours(shard, cosine)
    scores += weights.subject * (found.subject > 0)
    scores += weights.period * found.period
    scores += weights.dated * found.dated
    return np.asarray(scores, np.float32)


def best(
    shard: Shard, scores: NDArray[np.float32], living: NDArray[np.bool_] | None, most: int
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Up to `most` living rows, best first, with their scores after the session's share; the newer one of equals."""
    rows = np.arange(shard.size) if living is None else np.flatnonzero(living)
    if len(rows) > most:
        rows = rows[np.argpartition(-scores[rows], most - 1)[:most]]
    raised = scores[rows] + WEIGHTS.session * _of_session(shard.columns.sources[rows], scores[rows])
    order = np.lexsort((-shard.columns.ids[rows], -raised))
    return rows[order], raised[order]


def _z(values: NDArray[np.float32], over: NDArray[np.bool_] | None, least_spread: float) -> NDArray[np.float32]:
    """How many standard deviations above the average of the rows in `over`; 0 for other rows."""
    counted = values if over is None else values[over]
    if not len(counted):
        return np.zeros_like(values)
    z = (values - counted.mean()) / max(float(counted.std()), least_spread)
    return np.asarray(z if over is None else np.where(over, z, 0), np.float32)


def _of_neighbours(shard: Shard, values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The average over a row's two neighbours in its source, a missing one counted as 0."""
    padded = np.append(values, np.float32(0))  # index -1, no neighbour, reads the 0
    return np.asarray((padded[shard.previous] + padded[shard.next]) / 2, np.float32)


def _of_session(sources: NDArray[np.int32], scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """For each candidate, the average of the three best others of its source; 0 for those that stand alone."""
    shares = np.zeros(len(scores), np.float32)
    order = np.lexsort((-scores, sources))
    bounds = np.flatnonzero(np.diff(sources[order], prepend=NONE, append=NONE))
    for start, end in pairwise(bounds):
        group = order[start:end]
        top = scores[group[: _SESSION_ROWS + 1]]
        for at, row in enumerate(group):
            others = np.delete(top, at) if at < len(top) else top[:_SESSION_ROWS]
            shares[row] = max(0.0, float(others.sum())) / _SESSION_ROWS
    return shares
