"""The vectors of one space, and their cosines with a question by brute force: a removed row is gone at once.

Up to 8,192 rows are kept whole in float32. A larger space keeps float16 rows and, in float32, their share in the 96
directions that its vectors differ in most: reading those is four times as fast and right to .014 (MiniLM on chat), and
the best are then measured again from their rows. In numpy that beats int8 products, which have no fast kernel there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

DIMENSIONS: Final = 384
WHOLE_ROWS: Final = 8_192
_DIRECTIONS: Final = 96
_SAMPLE: Final = 4_096
_GATHER_BELOW: Final = 0.3  # below this share of rows, copying them out is cheaper than passing over them all

Rows = NDArray[np.intp]
Floats = NDArray[np.float32]


class Vectors(Protocol):
    """Vectors of length 1 (or 0, where one is not made yet), one a row, never changed once held."""

    @property
    def size(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def added(self, vectors: Sequence[bytes]) -> Vectors:
        """With further rows, float16 as they are stored, behind those held."""
        ...

    def rows(self, rows: Rows) -> Floats:
        """float32 (len(rows), 384)."""
        ...

    def cosines(self, question: Floats, rows: Rows | None = None) -> Floats:
        """float32 (size,) or (len(rows),), near enough to choose candidates by."""
        ...

    def exact(self, question: Floats, rows: Rows) -> Floats:
        """float32 (len(rows),), the cosines of those rows."""
        ...

    def near(self, questions: Floats, least: float) -> list[tuple[Rows, Floats]]:
        """For each row of `questions`, every row of cosine `least` or more with its exact cosine, by row."""
        ...


def vectors_of(stored: Sequence[bytes]) -> Vectors:
    """Hold vectors as they are stored: 384 float16 in bytes, empty ones not made yet."""
    halves = _halves(stored)
    return _Whole.of(halves) if len(stored) <= WHOLE_ROWS else _Reduced.of(halves)


def encoded(vector: Floats) -> bytes:
    """A vector as it is stored: 384 float16."""
    return vector.astype(np.float16).tobytes()


def cosines_of(vectors: Vectors, question: Floats, rows: Rows | None) -> Floats:
    """float32 (size,); when `rows` is given, only they are looked at and the others are 0."""
    if rows is None or len(rows) >= _GATHER_BELOW * vectors.size:
        return vectors.cosines(question)
    found = np.zeros(vectors.size, np.float32)
    found[rows] = vectors.exact(question, rows)
    return found


@dataclass(frozen=True, slots=True)
class _Whole:
    matrix: Floats  # rows behind the end are room for more
    size: int

    @classmethod
    def of(cls, halves: NDArray[np.float16]) -> _Whole:
        return cls(halves.astype(np.float32), len(halves))

    @property
    def nbytes(self) -> int:
        return self.matrix.nbytes

    def added(self, vectors: Sequence[bytes]) -> Vectors:
        halves = _halves(vectors)
        if self.size + len(halves) > WHOLE_ROWS:
            return _Reduced.of(np.concatenate([self.matrix[: self.size].astype(np.float16), halves]))
        return _Whole(_grown(self.matrix, self.size, halves.astype(np.float32)), self.size + len(halves))

    def rows(self, rows: Rows) -> Floats:
        return self.matrix[rows]

    def cosines(self, question: Floats, rows: Rows | None = None) -> Floats:
        held = self.matrix[: self.size] if rows is None else self.matrix.take(rows, axis=0)
        return np.asarray(held @ question, np.float32)

    def exact(self, question: Floats, rows: Rows) -> Floats:
        return np.asarray(self.matrix[rows] @ question, np.float32)

    def near(self, questions: Floats, least: float) -> list[tuple[Rows, Floats]]:
        found: list[tuple[Rows, Floats]] = []
        for column in (self.matrix[: self.size] @ questions.T).T:
            rows = np.flatnonzero(column >= least)
            found.append((rows, column[rows]))
        return found


@dataclass(frozen=True, slots=True)
class _Reduced:
    """`shares` are the rows in the coordinates of `directions` (384, 96); `rests` the length of what they leave out."""

    halves: NDArray[np.float16]
    shares: Floats
    rests: Floats
    directions: Floats
    size: int

    @classmethod
    def of(cls, halves: NDArray[np.float16]) -> _Reduced:
        sample = halves[:: max(1, len(halves) // _SAMPLE)].astype(np.float32)
        _, vectors = np.linalg.eigh(sample.T @ sample)
        directions = np.ascontiguousarray(vectors[:, ::-1][:, :_DIRECTIONS], np.float32)
        shares, rests = _shares(halves, directions)
        return cls(halves, shares, rests, directions, len(halves))

    @property
    def nbytes(self) -> int:
        return self.halves.nbytes + self.shares.nbytes + self.rests.nbytes + self.directions.nbytes

    def added(self, vectors: Sequence[bytes]) -> Vectors:
        halves = _halves(vectors)
        shares, rests = _shares(halves, self.directions)
        return _Reduced(
            _grown(self.halves, self.size, halves),
            _grown(self.shares, self.size, shares),
            _grown(self.rests, self.size, rests),
            self.directions,
            self.size + len(halves),
        )

    def rows(self, rows: Rows) -> Floats:
        return _floats(self.halves.take(rows, axis=0))

    def cosines(self, question: Floats, rows: Rows | None = None) -> Floats:
        held = self.shares[: self.size] if rows is None else self.shares.take(rows, axis=0)
        return np.asarray(held @ (question @ self.directions), np.float32)

    def exact(self, question: Floats, rows: Rows) -> Floats:
        return np.asarray(self.rows(rows) @ question, np.float32)

    def near(self, questions: Floats, least: float) -> list[tuple[Rows, Floats]]:
        # |q.v - their shares' product| is at most the product of what both leave out (Cauchy-Schwarz), so none is lost.
        shares = questions @ self.directions
        rests = np.sqrt(np.maximum(0, (questions**2).sum(axis=1) - (shares**2).sum(axis=1)))
        found: list[tuple[Rows, Floats]] = []
        for question, share, rest in zip(questions, shares, rests, strict=True):
            likely = np.flatnonzero(self.shares[: self.size] @ share + rest * self.rests[: self.size] >= least - 1e-3)
            cosines = self.exact(question, likely)
            kept = cosines >= least
            found.append((likely[kept], cosines[kept]))
        return found


def _shares(halves: NDArray[np.float16], directions: Floats) -> tuple[Floats, Floats]:
    shares = np.empty((len(halves), directions.shape[1]), np.float32)
    rests = np.empty(len(halves), np.float32)
    for start in range(0, len(halves), _SAMPLE):  # a slice at a time, or float32 of all rows would be held
        rows = halves[start : start + _SAMPLE].astype(np.float32)
        share = rows @ directions
        shares[start : start + len(rows)] = share
        rests[start : start + len(rows)] = np.sqrt(np.maximum(0, (rows**2).sum(axis=1) - (share**2).sum(axis=1)))
    return shares, rests


def _halves(stored: Sequence[bytes]) -> NDArray[np.float16]:
    blank = bytes(DIMENSIONS * 2)
    return np.frombuffer(b"".join(one or blank for one in stored), np.float16).reshape(len(stored), DIMENSIONS)


def _floats(halves: NDArray[np.float16]) -> Floats:
    """float16 as float32, exactly, in half the time of numpy's own conversion.

    Sign, exponent and fraction are moved to their places; a product then makes up for the exponents' other bias.
    """
    bits = halves.view(np.uint16).astype(np.uint32)
    signs = bits & 0x8000
    signs <<= 16
    bits &= 0x7FFF
    bits <<= 13
    bits |= signs
    floats = bits.view(np.float32)
    floats *= np.float32(2.0**112)
    return floats


def _grown(array: NDArray[Any], used: int, more: NDArray[Any]) -> NDArray[Any]:
    """`array` with `more` written behind its used rows, in place when there is room."""
    needed = used + len(more)
    if needed > len(array) or not array.flags.writeable:
        wider = np.empty((needed + needed // 8 + 64, *array.shape[1:]), array.dtype)
        wider[:used] = array[:used]
        array = wider
    array[used:needed] = more
    return array
