"""BM25 over the search keys of one space, in sorted arrays that are never changed once made.

Statistics are those of the one space: another space's words weigh nothing here, and nothing of it can be told from
the ranking. Adding makes a further small segment; segments are merged as they pile up.
"""

from __future__ import annotations

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

    def find(self, term: int) -> slice | None:
        """Where the postings of a term lie, None when no row has it."""
        at = int(np.searchsorted(self.terms, np.uint32(term)))
        if at == len(self.terms) or int(self.terms[at]) != term:
            return None
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

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
        return any(segment.find(term) is not None for segment in self.segments)

    def matches(self, terms: Sequence[int], dead: NDArray[np.bool_] | None = None) -> Iterator[Match]:
        """What the living rows hold of each distinct term; terms that no row has are left out."""
        living = self.size - (int(dead.sum()) if dead is not None else 0)
        for term in dict.fromkeys(terms):
            parts = [(segment, where) for segment in self.segments if (where := segment.find(term)) is not None]
            if not parts:
                continue
            rows = np.concatenate([segment.rows[where] for segment, where in parts])
            counts = np.concatenate([segment.counts[where] for segment, where in parts])
            if dead is not None:
                alive = ~dead[rows]
                rows, counts = rows[alive], counts[alive]
                if not len(rows):
                    continue
            yield Match(term, idf(len(rows), living), rows, counts)

    def scores(self, matches: Sequence[Match], dead: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        """The BM25 score of every row, 0 where nothing matches; dead rows count neither in lengths nor in idf."""
        scores = np.zeros(self.size, np.float32)
        lengths = self.lengths if dead is None else self.lengths[~dead]
        average = float(lengths.mean()) if len(lengths) else 0.0
        for match in matches:
            relative = self.lengths[match.rows] / max(average, 1e-9)
            scores[match.rows] += (
                match.idf * match.counts * (K1 + 1) / (match.counts + K1 * (1 - B + B * relative))
            ).astype(np.float32)
        return scores


def idf(rows: int, of: int) -> float:
    """The weight of a term that `rows` of so many rows have; always positive (Lucene's form of BM25)."""
    return float(np.log1p((of - rows + 0.5) / (rows + 0.5)))


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
