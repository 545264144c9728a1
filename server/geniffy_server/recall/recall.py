"""Ranks the memories of one space for a question, from RAM, and fetches only those it hands back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import KINDS, OWNER, USABLE, Kind, Memory, MemoryId, joined_tokens
from geniffy_server.domain.space import Space, SpaceId
from geniffy_server.ports import Clock, Embedder, Found, Transaction
from geniffy_server.recall.aliases import Said, also_meant
from geniffy_server.recall.cache import ShardCache
from geniffy_server.recall.coverage import Topic, coverage, topic
from geniffy_server.recall.features import (
    Evidence,
    Question,
    evidence,
    exact_cosine,
    met,
    subjects_of,
)
from geniffy_server.recall.fuse import fused, likeliest, ranked, weighed
from geniffy_server.recall.happenings import Anchor, anchor_of, asks_what_happened, beside, without_anchor
from geniffy_server.recall.names import NONE, UNKNOWN, speaker_keys
from geniffy_server.recall.naming import NAMING, names_something
from geniffy_server.recall.preferences import gist, is_nearly_one_preference, is_one_preference
from geniffy_server.recall.question_vectors import QuestionEmbedder
from geniffy_server.recall.relatives import named_from_the_other_side
from geniffy_server.recall.shard import Shard
from geniffy_server.recall.tokens import key, keys
from geniffy_server.recall.wording import LEAST_ALIKE, says_the_same

_CANDIDATES: Final = 200  # how deep the session's share looks; the best of 96 % of questions were among 100
_AT_ONCE: Final = 16  # vectors compared in one product: 12 MB of cosines for 200,000 memories
_LOOKED_FURTHER: Final = 3  # lists read on to find something that does not repeat the first one
_MAX_QUESTION_CHARS: Final = 2_000
_ANCHORS: Final = 5  # memories among which an event is looked for that a question counts from
_TOLD: Final = 0.5  # the share of an event's words that its memory must have

_MONTHS: Final = "january february march april may june july august september october november december"


class ShardRecall:
    """A `Recall` over shards in RAM. Its methods may run in several threads at once."""

    def __init__(self, embedder: Embedder, *, budget_bytes: int, clock: Clock) -> None:
        self._questions = QuestionEmbedder(embedder)
        self._clock = clock
        self._cache = ShardCache(budget_bytes)

    def prepare(self, question: str) -> None:
        """Begin to embed a question that is searched for next; returns at once, and fails never."""
        self._questions.begin(question[:_MAX_QUESTION_CHARS])

    def search(
        self,
        tx: Transaction,
        space: Space,
        question: str,
        *,
        limit: int,
        kind: Kind | None = None,
        labels: LabelFilter | None = None,
        is_judged: bool = True,
    ) -> Sequence[Found]:
        """Best first, usable memories only, no threshold; empty when the space holds none.

        Of wordings of one preference the best alone is there, and those of another statement stand behind what else was
        found. Without its embedder
        it ranks by words and structure. Without `is_judged` the `features` are left empty: only an answer's judge
        asks for them.
        """
        asked = Question.read(question[:_MAX_QUESTION_CHARS], self._clock.now().date())
        as_asked = self._questions.begin(asked.text)
        if not asked.periods and (anchor := anchor_of(asked.text)) is not None:
            asked = self._beside(tx, space, asked, anchor)
        shard = self._cache.get(tx, space.id)
        wanted = tx.memories.matching(space.id, labels) if labels else None
        rows = _rows(shard, kind, wanted)
        if len(rows) == 0 if rows is not None else shard.size == 0:
            return []
        subjects = subjects_of(asked, shard, space)
        matches = list(shard.postings.matches(asked.keys, shard.dead if shard.dead.any() else None))
        found = evidence(shard, asked, subjects, as_asked, self._questions.begin, matches, is_judged=is_judged)
        if found.period is not None and asks_what_happened(asked.text, names=subjects.written):
            rows = _of_that_time(shard, found.period, rows)
        living = _mask(shard, rows)
        by_words = weighed(shard, found, living)
        found = met(shard, found, as_asked, rows, is_judged=is_judged)
        scores = fused(shard, by_words, found.cosine, living)
        likely = likeliest(scores, living, max(_CANDIDATES, 4 * limit))
        values = scores.values[likely]
        if found.vectors is not None and found.cosine is not None:
            exact = exact_cosine(shard, found.vectors, found.spoken, likely)
            values += np.float32(scores.per_cosine) * (exact - found.cosine[likely])
            found.cosine[likely] = exact
        order, values = ranked(shard, likely, values, scores, found.cosine)
        chosen = self._fetch(tx, space, shard, order, values, limit=limit, kind=kind)
        if not is_judged:
            return [Found(memory, score, {}) for memory, _, score in chosen]
        words = topic(asked, subjects.written, matches, shard.postings)
        also = also_meant(asked.text, subjects.written, [_said(found, row, memory) for memory, row, _ in chosen])
        related = named_from_the_other_side(asked.text, [memory for memory, _, _ in chosen])
        return [
            Found(memory, score, _features(found, row, memory, words, also.get(memory.id), memory.id in related))
            for memory, row, score in chosen
        ]

    def _beside(self, tx: Transaction, space: Space, asked: Question, anchor: Anchor) -> Question:
        """The question, of the time before or after the event that it names; as it is when nothing tells of one."""
        found = [one for one in self.search(tx, space, anchor.event, limit=_ANCHORS) if _tells_of(one)]
        dated = [one.memory for one in found if one.memory.spoken is not None]
        events = dated or [one.memory for one in found]
        if not events:
            return asked
        today = self._clock.now().date()
        alone = Question.read(without_anchor(asked.text), today)
        return replace(alone, text=f"{alone.text}?", periods=[beside(events[0], anchor.side, today)])

    def near(
        self,
        tx: Transaction,
        space: Space,
        vectors: NDArray[np.float32],
        abouts: Sequence[str | None],
        *,
        limit: int,
        least: float,
    ) -> Sequence[Sequence[MemoryId]]:
        """For each row of `vectors`, up to `limit` memories of cosine `least` or more, nearest first.

        Only memories whose subject is the one asked for, or where either subject is None.
        """
        shard = self._cache.get(tx, space.id)
        columns = shard.columns
        found: list[list[MemoryId]] = []
        for start in range(0, len(abouts), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            alike = shard.vectors.near(np.asarray(vectors[part], np.float32), least)
            for (rows, cosines), about in zip(alike, abouts[part], strict=True):
                fits = ~shard.dead[rows] & columns.embedded[rows]
                if about is not None:
                    own = np.isin(columns.abouts[rows], _codes(shard, about, space))
                    fits &= own | (columns.abouts[rows] == NONE)
                ids, nearness = columns.ids[rows[fits]], cosines[fits]
                order = np.lexsort((-ids, -nearness))[:limit]
                found.append([MemoryId(int(one)) for one in ids[order]])
        return found

    def tokens(
        self,
        text: str,
        about: str | None,
        said_at: datetime,
        *,
        said_by: str | None = None,
        asked: str | None = None,
    ) -> bytes:
        """A memory's words, subject, day and speaker, and whether it names something; behind them those of `asked`."""
        held = keys(text)
        if about is not None and about != OWNER:
            held += keys(about)
        day = said_at.date()
        held += [key(str(day.day)), *keys(_MONTHS.split()[day.month - 1]), key(str(day.year))]
        if said_by:
            held += speaker_keys(said_by)
            held += [NAMING] if names_something(text) else []
        questions = keys(asked) if asked else []
        return joined_tokens(np.array(held, "<u4").tobytes(), np.array(questions, "<u4").tobytes())

    def forget_space(self, space_id: SpaceId) -> None:
        """Drop what is cached of a space that was erased."""
        self._cache.drop(space_id)

    def _fetch(
        self,
        tx: Transaction,
        space: Space,
        shard: Shard,
        order: NDArray[np.intp],
        scores: NDArray[np.float32],
        *,
        limit: int,
        kind: Kind | None,
    ) -> list[tuple[Memory, int, float]]:
        """The first `limit` of `order` that the store still holds as usable, repeated wordings behind the others."""
        leading: list[tuple[Memory, int, float]] = []
        repeating: list[tuple[Memory, int, float]] = []
        earlier: list[tuple[Memory, int]] = []
        compared = shard.vectors.rows(order[:0])
        for at in range(0, len(order), limit):
            rows = order[at : at + limit]
            ids = [MemoryId(int(one)) for one in shard.columns.ids[rows]]
            held = tx.memories.find_many(space.id, ids)
            vectors = shard.vectors.rows(rows)
            compared = np.concatenate([compared, vectors])
            alike = vectors @ compared.T
            for place, (memory_id, row, score) in enumerate(zip(ids, rows, scores[at : at + limit], strict=True)):
                memory = held.get(memory_id)
                if memory is None or memory.status not in USABLE or kind not in (None, memory.kind):
                    continue
                if gist(memory.text) and any(is_one_preference(memory, other) for other, _ in earlier):
                    continue
                repeats = _repeats(memory, alike[place], earlier)
                (repeating if repeats else leading).append((memory, int(row), float(score)))
                earlier.append((memory, at + place))
            enough = len(leading) + len(repeating) >= limit and at >= _LOOKED_FURTHER * limit
            if len(leading) >= limit or enough:
                break
        return [*leading, *repeating][:limit]


def _rows(shard: Shard, kind: Kind | None, wanted: Collection[MemoryId] | None) -> NDArray[np.intp] | None:
    """The living rows that pass the filters; None when there is no filter."""
    if kind is None and wanted is None:
        return None
    passing = ~shard.dead
    if kind is not None:
        passing &= shard.columns.kinds == KINDS.index(kind)
    if wanted is not None:
        passing &= np.isin(shard.columns.ids, np.fromiter(wanted, np.int64, len(wanted)))
    return np.flatnonzero(passing)


def _of_that_time(shard: Shard, period: NDArray[np.float32], rows: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
    """Of `rows`, or of all, those of the time that is asked for: not what was only said then of another time."""
    then = (period == 1) | ((period > 0) & (shard.columns.spoken_low == 0)) & ~shard.dead
    if rows is not None:
        then &= _mask(shard, rows)
    return np.flatnonzero(then) if then.any() else rows


def _tells_of(event: Found) -> bool:
    """Whether a memory tells of the event that was looked for, by the words it has of it."""
    return event.features.get("coverage", 0.0) >= _TOLD and not event.features.get("contradicted", 0.0)


def _mask(shard: Shard, rows: NDArray[np.intp] | None) -> NDArray[np.bool_] | None:
    if rows is None:
        return ~shard.dead if shard.dead.any() else None
    mask = np.zeros(shard.size, np.bool_)
    mask[rows] = True
    return mask


def _codes(shard: Shard, about: str, space: Space) -> list[int]:
    codes = {shard.names.known(about)}
    if about in (OWNER, space.owner_name):
        codes |= {shard.names.known(OWNER), shard.names.known(space.owner_name)}
    return list(codes - {NONE, UNKNOWN})


def _repeats(memory: Memory, alike: NDArray[np.float32], earlier: Sequence[tuple[Memory, int]]) -> bool:
    """Whether a memory only says again what an earlier one of the list says; `alike` holds its cosines by place."""
    cosines = alike.tolist()
    return any(
        (cosines[place] >= LEAST_ALIKE and says_the_same(memory, other, cosines[place]))
        or is_nearly_one_preference(memory, other, cosines[place])
        for other, place in earlier
    )


def _said(found: Evidence, row: int, memory: Memory) -> Said:
    is_said = found.said is not None and bool(found.said[row])
    return Said(memory, is_said or bool(found.subject[row] > 0), is_said)


def _features(
    found: Evidence, row: int, memory: Memory, asked: Topic, meant: frozenset[int] | None, is_related: bool
) -> dict[str, float]:
    """What the judge weighs, each as `judge` says; `meant` are the question's words for whom the memory is about."""
    covered = coverage(asked, memory, meant or frozenset())
    return {
        "cosine": float(found.cosine[row]) if found.cosine is not None else 0.0,
        "bm25": float(found.bm25[row]),
        "coverage": covered.share,
        "missing": float(covered.missing),
        "asked": float(covered.asked),
        "unheard": float(len(asked.unheard)),
        "unknown": float(asked.unknown),
        "contradicted": float(covered.contradicted),
        "strange": float(covered.strange),
        "subject": 1.0 if meant else float(found.subject[row]),
        "meant": float(meant is not None),
        "replies": float(found.asked[row]) if found.asked is not None else 0.0,
        "speaker": float(found.said[row]) if found.said is not None else 0.0,
        "margin": found.margin,
        "related": float(is_related),
    } | ({"period": float(found.period[row])} if found.period is not None else {})
