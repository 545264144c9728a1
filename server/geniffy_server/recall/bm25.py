"""BM25 over the search keys of one space, in sorted arrays that are never changed once made.

Statistics are those of the one space: another space's words weigh nothing here, and nothing of it can be told from
the ranking. Adding makes a further small segment; segments are merged as they pile up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Short statements want little normalisation: on turns k1 .9, b .4 ranked better than the usual 1.2, .75.
K1: Final = 0.9
B: Final = 0.4
_MOST_SEGMENTS: Final = 6


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of some rows: those of `terms[i]` lie at `starts[i]` to `starts[i + 1]` of `rows` and `counts`."""

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.float32]

    def find(self, terms: NDArray[np.uint32]) -> list[slice | None]:
        """Where the postings of each term lie, None where no row has it."""
        if not len(self.terms):
            return [None] * len(terms)
        places = self.terms.searchsorted(terms)
        known = self.terms.take(places, mode="clip") == terms
        starts, ends = self.starts.take(places), self.starts.take(places + 1, mode="clip")
        return [
            slice(start, end) if is_known else None
            for is_known, start, end in zip(known.tolist(), starts.tolist(), ends.tolist(), strict=True)
        ]

    @property
    def nbytes(self) -> int:
        return self.terms.nbytes + self.starts.nbytes + self.rows.nbytes + self.counts.nbytes


@dataclass(frozen=True, slots=True)
class Match:
    """The rows that have one term of a query, how often, and the term's weight."""

    term: int
    idf: float
    rows: NDArray[np.int32]
    counts: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Postings:
    """The search keys of the first `size` rows; `lengths` counts those of each row."""

    segments: tuple[Segment, ...]
    lengths: NDArray[np.float32]

    @classmethod
    def empty(cls) -> Postings:
        return cls((), np.zeros(0, np.float32))

    @property
    def size(self) -> int:
        return len(self.lengths)

    @property
    def nbytes(self) -> int:
        return self.lengths.nbytes + sum(segment.nbytes for segment in self.segments)

    def added(self, tokens: Sequence[bytes]) -> Postings:
        """With further rows behind those held, each given as uint32 search keys in bytes."""
        if not tokens:
            return self
        segments = [*self.segments, _segment(tokens, first_row=self.size)]
        # Merging a segment into one not much larger keeps their number logarithmic and the work per row small.
        while len(segments) > 1 and (
            len(segments[-1].rows) * 4 > len(segments[-2].rows) or len(segments) > _MOST_SEGMENTS
        ):
            last = segments.pop()
            segments[-1] = _merged(segments[-1], last)
        lengths = np.fromiter((len(one) // 4 for one in tokens), np.float32, len(tokens))
        return Postings(tuple(segments), np.concatenate([self.lengths, lengths]))

    def has(self, term: int) -> bool:
        """Whether any row, dead ones included, has a term."""
        return any(segment.find(np.array([term], np.uint32)) != [None] for segment in self.segments)

    def matches(self, terms: Sequence[int], dead: NDArray[np.bool_] | None = None) -> Iterator[Match]:
        """What the living rows hold of each distinct term; terms that no row has are left out."""
        living = self.size - (int(dead.sum()) if dead is not None else 0)
        distinct = list(dict.fromkeys(terms))
        asked = np.array(distinct, np.uint32)
        found = [segment.find(asked) for segment in self.segments]
        for place, term in enumerate(distinct):
            parts = [
                (segment, where)
                for segment, places in zip(self.segments, found, strict=True)
                if (where := places[place]) is not None
            ]
            if not parts:
                continue
            rows, counts = _joined([(segment.rows[where], segment.counts[where]) for segment, where in parts])
            if dead is not None:
                alive = ~dead[rows]
                rows, counts = rows[alive], counts[alive]
                if not len(rows):
                    continue
            yield Match(term, idf(len(rows), living), rows, counts)

    def scores(self, matches: Sequence[Match], dead: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        """The BM25 score of every row, 0 where nothing matches; dead rows count neither in lengths nor in idf."""
        if not matches:
            return np.zeros(self.size, np.float32)
        lengths = self.lengths if dead is None else self.lengths[~dead]
        average = float(lengths.mean()) if len(lengths) else 0.0
        # All matches at once: each step over arrays costs more to begin than to do.
        rows, counts = _joined([(match.rows, match.counts) for match in matches])
        weights = np.repeat(
            np.array([match.idf * (K1 + 1) for match in matches], np.float32), [len(match.rows) for match in matches]
        )
        damped = self.lengths.take(rows)
        damped *= np.float32(K1 * B / max(average, 1e-9))
        damped += np.float32(K1 * (1 - B))
        damped += counts
        weights *= counts
        weights /= damped
        return np.bincount(rows, weights, self.size).astype(np.float32)


def idf(rows: int, of: int) -> float:
    """The weight of a term that `rows` of so many rows have; always positive (Lucene's form of BM25)."""
    return math.log1p((of - rows + 0.5) / (rows + 0.5))


def _joined(
    parts: Sequence[tuple[NDArray[np.int32], NDArray[np.float32]]],
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([counts for _, counts in parts])


def _segment(tokens: Sequence[bytes], first_row: int) -> Segment:
    sizes = np.fromiter((len(one) // 4 for one in tokens), np.int64, len(tokens))
    terms = np.frombuffer(b"".join(tokens), "<u4").astype(np.uint64)
    rows = np.repeat(np.arange(first_row, first_row + len(tokens), dtype=np.uint64), sizes)
    pairs, counts = np.unique((terms << np.uint64(32)) | rows, return_counts=True)
    return _of_pairs(pairs, counts.astype(np.float32))


def _merged(one: Segment, other: Segment) -> Segment:
    pairs = np.concatenate([_pairs(one), _pairs(other)])
    order = np.argsort(pairs, kind="stable")
    return _of_pairs(pairs[order], np.concatenate([one.counts, other.counts])[order])


def _pairs(segment: Segment) -> NDArray[np.uint64]:
    terms = np.repeat(segment.terms.astype(np.uint64), np.diff(segment.starts))
    return (terms << np.uint64(32)) | segment.rows.astype(np.uint64)


def _of_pairs(pairs: NDArray[np.uint64], counts: NDArray[np.float32]) -> Segment:
    """A segment of sorted, distinct (term << 32 | row)."""
    terms, first = np.unique((pairs >> np.uint64(32)).astype(np.uint32), return_index=True)
    starts = np.append(first, len(pairs)).astype(np.int64)
    return Segment(terms, starts, (pairs & np.uint64(0xFFFFFFFF)).astype(np.int32), counts)
