"""One score from what speaks for each memory: z-scores and structure, weighed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.recall.features import Evidence
from geniffy_server.recall.shard import NONE, Shard
from geniffy_server.recall.surroundings import best_two_before, likeness, surroundings


@dataclass(frozen=True, slots=True)
class Weights:
    """Set by hand, in round numbers, from what each signal was worth on chat and on third-person notes.

    Cosine, BM25 and length are z-scores over the space, so that a weight means the same in any space. Reciprocal ranks
    were worse than BM25 alone.
    """

    cosine: float = 0.6
    bm25: float = 0.4
    answered: float = 0.1  # words that answer what is asked, which are the same for many questions
    asked: float = 0.15  # of the BM25 itself, which is 0 for most
    length: float = 0.15  # of the logarithm: a longer statement holds more to be asked for
    common: float = -0.2  # for lying near everything: what could be said of anything answers little
    said: float = 2.0  # by one who was asked about
    said_first: float = 1.0  # and by the one who is named first: `What did Kim give to Ana?` is told by Kim
    subject: float = 2.0  # about one who was asked about
    neighbour: float = 0.2  # of what stands beside it: what stands around a statement says what it is about
    before: float = 0.1  # of the best two passages before it: in a talk of two, what the same person said just before
    period: float = 1.0
    dated: float = 0.7
    told: float = 0.3  # for the cosine with half of the passage before it added, in spreads of the cosine
    around: float = 0.15  # for that of its passage with half of those beside it
    naming: float = 0.5  # for holding a name or a number, in a talk: much that is said there answers nothing
    session: float = 0.25  # of the best three others of its source
    best_of_session: float = 0.15  # of the best of it
    same_passage: float = -1.5  # for each better one of its paragraph or turn: what it adds is the least new


WEIGHTS: Final = Weights()
# A spread below these is noise: of the cosines between one question and unrelated texts, and of BM25 in few rows.
_LEAST_COSINE_SPREAD: Final = 0.05
_LEAST_BM25_SPREAD: Final = 0.5
_SESSION_ROWS: Final = 3


@dataclass(frozen=True, slots=True)
class Scores:
    """The score of every row, higher is better; `own` is the share of its words and vector, nothing around it counted.

    `per_cosine` is what a cosine of one more would add to it.
    """

    values: NDArray[np.float32]
    own: NDArray[np.float32]
    per_cosine: float


def weighed(shard: Shard, found: Evidence, living: NDArray[np.bool_] | None) -> Scores:
    """Weigh what speaks for each row but for its vector; only `living` rows mean anything, None for all."""
    weights = WEIGHTS
    own, _ = _z(found.bm25, living, _LEAST_BM25_SPREAD)
    own *= np.float32(weights.bm25)
    if found.answered is not None:
        answered, _ = _z(found.answered, living, _LEAST_BM25_SPREAD)
        own += np.float32(weights.answered) * answered
    if found.asked is not None:
        own += np.float32(weights.asked) * found.asked
    scores = own + np.float32(weights.neighbour) * _of_neighbours(shard, own)
    scores += np.float32(weights.length) * shard.length + np.float32(weights.common) * shard.common
    of_subject = found.subject > 0
    if found.said is not None and found.said_first is not None:
        scores += np.float32(weights.said) * found.said + np.float32(weights.said_first) * found.said_first
        of_subject &= ~found.said
    scores += np.float32(weights.subject) * of_subject
    if found.period is not None:
        scores += np.float32(weights.period) * found.period
    if found.dated is not None:
        scores += np.float32(weights.dated) * found.dated
    return Scores(scores, own, 0.0)


def fused(shard: Shard, words: Scores, cosine: NDArray[np.float32] | None, living: NDArray[np.bool_] | None) -> Scores:
    """What `weighed` gave, and the share of each row's vector; as it was without an embedder."""
    if cosine is None:
        return words
    embedded = shard.columns.embedded if living is None else shard.columns.embedded & living
    near, spread = _z(cosine, None if embedded.all() else embedded, _LEAST_COSINE_SPREAD)
    near *= np.float32(WEIGHTS.cosine)
    scores = _of_neighbours(shard, near)
    scores *= np.float32(WEIGHTS.neighbour)
    scores += near
    scores += words.values
    near += words.own
    return Scores(scores, near, WEIGHTS.cosine / spread)


def likeliest(scores: Scores, living: NDArray[np.bool_] | None, most: int) -> NDArray[np.intp]:
    """Up to `most` living rows with the highest scores, in no order."""
    if living is None:
        values, rows = scores.values, None
    else:
        rows = np.flatnonzero(living)
        values = scores.values[rows]
    if len(values) <= most:
        return np.arange(len(values)) if rows is None else rows
    top = np.argpartition(values, len(values) - most)[len(values) - most :]
    return top if rows is None else rows[top]


def ranked(
    shard: Shard,
    rows: NDArray[np.intp],
    values: NDArray[np.float32],
    scores: Scores,
    cosine: NDArray[np.float32] | None,
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Candidates with their scores, best first, after each got the share of what was said before it and around it.

    The newer one of equals comes first. `values` are the candidates' scores, `scores` and `cosine` those of every row.
    """
    columns, weights = shard.columns, WEIGHTS
    around = surroundings(shard, rows)
    raised = values + np.float32(weights.before) * best_two_before(around, scores.own)
    sources = columns.sources[rows]
    raised += _of_session(sources, raised, scores.own[rows])
    if cosine is not None:
        told, of_passage = likeness(around, cosine)
        told *= np.float32(weights.told)
        told += np.float32(weights.around) * of_passage
        raised += np.float32(scores.per_cosine / weights.cosine) * told
    raised += np.float32(weights.naming) * shard.naming[rows]
    raised += np.float32(weights.same_passage) * _place_in_passage(sources, columns.positions[rows], raised)
    order = np.lexsort((-columns.ids[rows], -raised))
    return rows[order], raised[order]


def _z(
    values: NDArray[np.float32], over: NDArray[np.bool_] | None, least_spread: float
) -> tuple[NDArray[np.float32], float]:
    """How many standard deviations above the average of the rows in `over`, 0 for other rows; and the deviation."""
    counted = values if over is None else values[over]
    if not len(counted):
        return np.zeros_like(values), 1.0
    centred = values - np.add.reduce(counted) / np.float32(len(counted))
    variance = np.dot(centred, centred) / len(centred) if over is None else counted.var()
    spread = max(float(variance) ** 0.5, least_spread)
    centred /= np.float32(spread)
    if over is not None:
        centred[~over] = 0
    return centred, spread


def _of_neighbours(shard: Shard, values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The average over a row's two neighbours in its source, a missing one counted as 0."""
    padded = np.empty(len(values) + 1, np.float32)
    padded[:-1] = values
    padded[NONE] = 0
    both = padded.take(shard.previous)
    both += padded.take(shard.next)
    both *= np.float32(0.5)
    return both[:-1]


def _of_session(
    sources: NDArray[np.int32], scores: NDArray[np.float32], own: NDArray[np.float32]
) -> NDArray[np.float32]:
    """What the source of each candidate adds: the average of its three best others, none for one that stands alone, and
    the best of it by words and vector alone.
    """
    if not len(scores):
        return scores
    order = np.lexsort((-scores, sources))
    starts, group, place = _grouped(sources.take(order))
    ordered = scores.take(order)
    leads = place < _SESSION_ROWS
    best = np.add.reduceat(np.where(leads, ordered, 0), starts)
    fourth = np.add.reduceat(np.where(place == _SESSION_ROWS, ordered, 0), starts)
    others = best.take(group) + np.where(leads, fourth.take(group) - ordered, 0)
    added = np.float32(WEIGHTS.session / _SESSION_ROWS) * np.maximum(0, others)
    added += np.float32(WEIGHTS.best_of_session) * np.maximum.reduceat(own.take(order), starts).take(group)
    shares = np.empty_like(scores)
    shares[order] = added
    return shares


def _place_in_passage(
    sources: NDArray[np.int32], positions: NDArray[np.int32], scores: NDArray[np.float32]
) -> NDArray[np.intp]:
    """For each candidate, how many of its own passage have a higher score."""
    passages = (sources.astype(np.int64) << 32) + positions
    order = np.lexsort((-scores, passages))
    places = np.empty(len(order), np.intp)
    _, _, places[order] = _grouped(passages.take(order))
    return places


def _grouped(ordered: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Of values of which equal ones stand together: where each group starts; each one's group, and its place there."""
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    starts = first.nonzero()[0]
    group = first.cumsum()
    group -= 1
    return starts, group, np.arange(len(ordered)) - starts.take(group)
