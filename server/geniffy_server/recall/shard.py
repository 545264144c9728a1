"""The memories of one space as arrays in RAM. A shard never changes: an update makes the next one.

So searches of several threads read the one they took without a lock. What only grows is shared with the next one: the
subjects' numbers, the sources' numbers, and vectors behind the end of an earlier shard, which it does not count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.memory import KINDS, MemoryId, parted_tokens
from geniffy_server.domain.source import SourceId
from geniffy_server.ports import ShardRow
from geniffy_server.recall.bm25 import Postings
from geniffy_server.recall.names import Names
from geniffy_server.recall.naming import NAMING
from geniffy_server.recall.vectors import Vectors, vectors_of

NONE: Final = -1
_LINKS_BYTES: Final = 18  # of a row: neighbours, length, common, naming, dead
_LEAST_MIDDLE: Final = 50  # of fewer rows the middle lies where chance puts it
_MIDDLE_OF: Final = 1_024  # rows that it is taken of
_S = TypeVar("_S", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Columns:
    """What is known of each row beside its words and vector, all of one length."""

    ids: NDArray[np.int64]
    kinds: NDArray[np.int8]
    abouts: NDArray[np.int32]
    first_person: NDArray[np.bool_]
    said_on: NDArray[np.int32]
    spoken_low: NDArray[np.int32]
    spoken_high: NDArray[np.int32]
    embedded: NDArray[np.bool_]
    sources: NDArray[np.int32]
    positions: NDArray[np.int32]

    @classmethod
    def of(cls, rows: Sequence[ShardRow], names: Names, source_codes: dict[SourceId, int]) -> Columns:
        def column(values: Iterable[Any], kind: type[_S]) -> NDArray[_S]:
            return np.fromiter(values, kind, len(rows))

        return cls(
            ids=column((row.id for row in rows), np.int64),
            kinds=column((KINDS.index(row.kind) for row in rows), np.int8),
            abouts=column((names.code(row.about) for row in rows), np.int32),
            first_person=column((row.first_person for row in rows), np.bool_),
            said_on=column((row.said_on for row in rows), np.int32),
            spoken_low=column((row.spoken_low for row in rows), np.int32),
            spoken_high=column((row.spoken_high for row in rows), np.int32),
            embedded=column((bool(row.vector) for row in rows), np.bool_),
            sources=column((source_codes.setdefault(row.source_id, len(source_codes)) for row in rows), np.int32),
            positions=column((row.position for row in rows), np.int32),
        )

    def joined(self, more: Columns) -> Columns:
        return Columns(*(np.concatenate([getattr(self, name), getattr(more, name)]) for name in self.__slots__))

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class Shard:
    """One space at one version.

    `dead` marks rows that were removed or replaced by a newer row of the same memory. `previous` and `next` are the
    living neighbours of a row in its source, NONE for none; one more at their end stands for no row, so that NONE leads
    to NONE. `length` is the z-score of the logarithm of a row's words,
    `common` that of how near it lies to the middle of the space, where what resembles everything lies; 0 for a row
    without a vector. `naming`: it was said in a talk, and names something. `names` are its subjects, by the codes in
    `columns.abouts`. `questions` are the search keys of what was asked right before each row.
    """

    version: int
    vectors: Vectors
    columns: Columns
    postings: Postings
    questions: Postings
    dead: NDArray[np.bool_]
    previous: NDArray[np.int32]
    next: NDArray[np.int32]
    length: NDArray[np.float32]
    common: NDArray[np.float32]
    naming: NDArray[np.bool_]
    names: Names
    _source_codes: dict[SourceId, int] = field(repr=False)

    @classmethod
    def of(cls, rows: Iterable[ShardRow], version: int) -> Shard:
        """A shard of all the rows of a space."""
        held = list(rows)
        names, source_codes = Names(), dict[SourceId, int]()
        columns = Columns.of(held, names, source_codes)
        unlinked = np.full(len(held) + 1, NONE, np.int32)
        previous, following = _linked(unlinked, unlinked, columns, np.arange(len(held)))
        tokens = [parted_tokens(row.tokens) for row in held]
        postings = Postings.empty().added([own for own, _ in tokens])
        questions = Postings.empty().added([asked for _, asked in tokens])
        vectors, dead = vectors_of([row.vector for row in held]), np.zeros(len(held), np.bool_)
        # What is kept is made anew when the rows are gone: a small object from among them would hold the memory of
        # those that lay around it.
        del held, tokens
        return cls(
            version=version,
            vectors=vectors,
            columns=columns,
            postings=postings,
            questions=questions,
            dead=dead,
            previous=previous,
            next=following,
            length=_length(postings),
            common=_common(vectors, columns.embedded, dead),
            naming=_naming(postings),
            names=names,
            _source_codes={SourceId(source.encode().decode()): code for source, code in source_codes.items()},
        )

    def updated(self, rows: Iterable[ShardRow], gone: Collection[MemoryId], version: int) -> Shard:
        """The shard with rows that are new or were written anew, and without those that are gone."""
        more = list(rows)
        dead = np.concatenate([self.dead, np.zeros(len(more), np.bool_)])
        # Looked for in all rows, as a few at a time change: where each one stands would take 160 bytes a row to keep.
        changed = np.array([*gone, *(row.id for row in more)], np.int64)
        dead[: self.size] |= np.isin(self.columns.ids, changed)
        columns = self.columns.joined(Columns.of(more, self.names, self._source_codes))
        previous, following = self._relinked(columns, dead)
        tokens = [parted_tokens(row.tokens) for row in more]
        postings = self.postings.added([own for own, _ in tokens])
        vectors = self.vectors.added([row.vector for row in more])
        return Shard(
            version=version,
            vectors=vectors,
            columns=columns,
            postings=postings,
            questions=self.questions.added([asked for _, asked in tokens]),
            dead=dead,
            previous=previous,
            next=following,
            length=_length(postings),
            common=_common(vectors, columns.embedded, dead),
            naming=_naming(postings),
            names=self.names,
            _source_codes=self._source_codes,
        )

    @property
    def size(self) -> int:
        """Rows held, dead ones counted."""
        return len(self.dead)

    @property
    def is_sparse(self) -> bool:
        """Whether so many rows are dead that loading anew is worth it."""
        return int(self.dead.sum()) > max(1_000, self.size // 4)

    @property
    def nbytes(self) -> int:
        """Bytes of RAM it takes, near enough to keep a budget."""
        arrays = self.vectors.nbytes + self.columns.nbytes + self.postings.nbytes + self.questions.nbytes
        return arrays + self.size * _LINKS_BYTES

    def _relinked(self, columns: Columns, dead: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Neighbours after an update: only the sources it touched are ordered again."""
        added = len(dead) - self.size
        touched = np.unique(
            np.concatenate([columns.sources[self.size :], columns.sources[: self.size][dead[: self.size] & ~self.dead]])
        )
        fresh = np.full(added + 1, NONE, np.int32)
        previous, following = np.append(self.previous[:-1], fresh), np.append(self.next[:-1], fresh)
        return _linked(previous, following, columns, np.flatnonzero(np.isin(columns.sources, touched) & ~dead))


def _length(postings: Postings) -> NDArray[np.float32]:
    logarithms = np.log1p(postings.lengths)
    spread = float(logarithms.std()) if len(logarithms) else 0.0
    return np.asarray((logarithms - logarithms.mean()) / spread if spread > 0.1 else 0 * logarithms, np.float32)


def _naming(postings: Postings) -> NDArray[np.bool_]:
    naming = np.zeros(postings.size, np.bool_)
    for match in postings.matches([NAMING]):
        naming[match.rows] = True
    return naming


def _common(vectors: Vectors, embedded: NDArray[np.bool_], dead: NDArray[np.bool_]) -> NDArray[np.float32]:
    rows = np.flatnonzero(embedded & ~dead)
    if len(rows) < _LEAST_MIDDLE:
        return np.zeros(len(dead), np.float32)
    middle = vectors.rows(rows[:: -(-len(rows) // _MIDDLE_OF)]).mean(axis=0)
    nearness = vectors.cosines(middle)
    living = nearness[rows]
    scores = (nearness - living.mean()) / max(float(living.std()), 1e-6)
    scores[~embedded] = 0
    return np.asarray(scores, np.float32)


def _linked(
    previous: NDArray[np.int32], following: NDArray[np.int32], columns: Columns, rows: NDArray[np.intp]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The neighbours of every row, of which those of `rows` are worked out: all living rows of their sources."""
    ordered = rows[np.lexsort((columns.ids[rows], columns.positions[rows], columns.sources[rows]))]
    one, other = ordered[:-1], ordered[1:]
    same = columns.sources[one] == columns.sources[other]
    previous, following = previous.copy(), following.copy()
    previous[rows] = following[rows] = NONE
    previous[other] = np.where(same, one, NONE)
    following[one] = np.where(same, other, NONE)
    return previous, following
