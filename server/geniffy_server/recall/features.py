"""What speaks for each memory of a space when a question is asked: arrays over its rows, one number each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

import numpy as np
import regex
from numpy.typing import NDArray

from geniffy_server.domain.memory import OWNER, Spoken
from geniffy_server.domain.space import Space
from geniffy_server.learn.dates.periods import periods
from geniffy_server.recall.bm25 import Match
from geniffy_server.recall.names import (
    NONE,
    UNKNOWN,
    are_named_together,
    as_speaker,
    asks_of_owner,
    names_in,
    speaker_keys,
)
from geniffy_server.recall.question_vectors import Embedding, QuestionVectors
from geniffy_server.recall.rivals import margin
from geniffy_server.recall.shard import Shard
from geniffy_server.recall.thesaurus import further_words
from geniffy_server.recall.tokens import keys
from geniffy_server.recall.vectors import cosines_of

_WHEN: Final = regex.compile(
    r"\b(?:when|since when|how long ago|what (?:date|day|month|year|time)|which (?:date|day|month|year)"
    r"|cuándo|quand|wann|quando|когда)\b|いつ|何時|何日|什么时候|何时|几点|哪天|कब|متى|언제",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is read once, before any memory is looked at. `names` are as written in it.

    `other_years`: the times of its `periods` in the years beside, where it names a day or month and no year.
    """

    text: str
    keys: Sequence[int]
    names: Sequence[str]
    of_owner: bool
    asks_when: bool
    periods: Sequence[Spoken]
    other_years: Sequence[Spoken] = ()

    @classmethod
    def read(cls, text: str, today: date) -> Question:
        return cls(
            text=text,
            keys=keys(text),
            names=names_in(text),
            of_owner=asks_of_owner(text),
            asks_when=asks_when(text),
            periods=(named := periods(text, today)),
            other_years=_in_other_years(named, text, today) if named else (),
        )


@dataclass(frozen=True, slots=True)
class Subjects:
    """Whom a question means in one space: codes of `Shard.names`, and the names as the question writes them."""

    codes: NDArray[np.int32]
    written: Sequence[str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """For each row of a shard. `subject`: 1 of one that was asked about, -1 of another, 0 of none or none asked.

    `said`: a participant who was asked about said it; `said_first`: the one did who is named first, `Kim` where `What
    did Kim give to Ana?` is asked. `spoken`: it is in the words of one who was asked about, and `in_words` the question
    in those words, on its way.
    `answered`: BM25 of the words that answer those of the question (`thesaurus`); `asked`: of the question's own words
    but for names, over what was asked right before each; `nameless`: of the question's words without names, for a judge
    where a subject is asked about.
    `margin` is not of a row: how much better the subject's memories fit than others' (`rivals`), 0 without a subject or
    a judge.
    `period`: 1 when it speaks of a time that the question names, .5 when it was only said then. `dated`: it speaks of
    a time and the question asks for one. `vectors` are the question's. None where nothing is asked for, and `vectors`
    and `cosine` without an embedder or before `met`.
    """

    bm25: NDArray[np.float32]
    answered: NDArray[np.float32] | None
    asked: NDArray[np.float32] | None
    subject: NDArray[np.int8]
    said: NDArray[np.bool_] | None
    said_first: NDArray[np.bool_] | None
    spoken: NDArray[np.bool_] | None
    in_words: Embedding
    period: NDArray[np.float32] | None
    dated: NDArray[np.bool_] | None
    nameless: NDArray[np.float32] | None
    vectors: QuestionVectors | None = None
    cosine: NDArray[np.float32] | None = None
    margin: float = 0.0

    @property
    def of_subject(self) -> NDArray[np.bool_]:
        """The rows about one who was asked about, and those they said."""
        return self.subject > 0 if self.said is None else (self.subject > 0) | self.said


def asks_when(question: str) -> bool:
    """Whether a question asks for a time."""
    return _WHEN.search(question) is not None


def subjects_of(question: Question, shard: Shard, space: Space) -> Subjects:
    """The subjects of the space that the question means; the owner goes by their name and by OWNER alike."""
    codes = set(shard.names.named_in(question.text))
    owner = {shard.names.known(OWNER), shard.names.known(space.owner_name)} - {NONE, UNKNOWN}
    written = list(question.names)
    if space.owner_name and space.owner_name.split()[0] in question.text:
        codes |= owner
    if question.of_owner or codes & owner:
        codes |= owner
    words = [word for code in codes for word in (shard.names.name(code), *shard.names.name(code).split())]
    written += [word for word in words if word in question.text and _is_written_as_name(word) and word != OWNER]
    return Subjects(np.array(sorted(codes), np.int32), tuple(dict.fromkeys(written)))


def _is_written_as_name(word: str) -> bool:
    """Whether a word begins with a capital, or is of a script that has none."""
    return word[:1].isalpha() and not word[:1].islower()


def in_own_words(question: Question, subjects: Subjects) -> str:
    """What is embedded to meet memories in the words of the one who is named; the question itself when none is.

    A question of the owner (`When did I meet Kim?`) is in their words as it stands.
    """
    cased = [name for name in subjects.written if name[:1].isupper()]
    return as_speaker(question.text, cased) if not question.of_owner else question.text


def evidence(
    shard: Shard,
    question: Question,
    subjects: Subjects,
    as_asked: Embedding,
    begin: Callable[[str], Embedding],
    matches: Sequence[Match],
    *,
    is_judged: bool,
) -> Evidence:
    """Look at the words and the subjects of every row; the question is embedded meanwhile.

    In its subject's words it is embedded only where those meet a row in the same words, or for a judge.
    """
    subject = _subject(shard, subjects)
    said, said_first = _said(shard, subjects, question.text)
    spoken = _spoken(shard, subject, said) if subjects.written else None
    own_words = in_own_words(question, subjects)
    in_words = begin(own_words) if own_words != question.text and (spoken is not None or is_judged) else as_asked
    dead = shard.dead if shard.dead.any() else None
    bm25 = shard.postings.scores(matches, dead)
    named = {one for name in subjects.written for one in keys(name)}
    nameless_keys = [one for one in question.keys if one not in named]
    further = list(shard.postings.matches(further_words(nameless_keys), dead))
    asked_before = list(shard.questions.matches(nameless_keys, dead))
    found = Evidence(
        bm25=bm25,
        answered=shard.postings.scores(further, dead) if further else None,
        asked=shard.questions.scores(asked_before, dead) if asked_before else None,
        subject=subject,
        said=said,
        said_first=said_first,
        spoken=spoken,
        in_words=in_words,
        period=_period(shard, question) if question.periods else None,
        dated=shard.columns.spoken_low > 0 if question.asks_when else None,
        nameless=None,
    )
    if not is_judged or not found.of_subject.any():
        return found
    unnamed = [match for match in matches if match.term not in named]
    return replace(found, nameless=shard.postings.scores(unnamed, dead))


def met(
    shard: Shard, found: Evidence, as_asked: Embedding, rows: NDArray[np.intp] | None, *, is_judged: bool
) -> Evidence:
    """The evidence with what the vectors of every row say, or of `rows` alone; waits for those of the question."""
    asked, in_words = as_asked(), found.in_words()
    vectors = None if asked is None or in_words is None else (asked, in_words)
    cosine = own_cosine = None
    spoken = found.spoken
    if vectors is not None:
        cosine = cosines_of(shard.vectors, vectors[0], rows)
        if vectors[1] is vectors[0]:
            own_cosine = cosine
        elif spoken is not None and rows is None and not is_judged:  # no other row is met in those words
            met = np.flatnonzero(spoken)
            cosine[met] = shard.vectors.cosines(vectors[1], met)
        else:
            own_cosine = cosines_of(shard.vectors, vectors[1], rows)
    apart = 0.0
    if found.nameless is not None:
        looked_at = ~shard.dead if rows is None else _only(rows, shard.size)
        of_subject = found.of_subject
        of_others = ~of_subject & (found.subject < 0) if found.said is None else ~of_subject
        apart = margin(of_subject & looked_at, of_others & looked_at, own_cosine, found.nameless)
    if cosine is not None and own_cosine is not None and spoken is not None and own_cosine is not cosine:
        np.copyto(cosine, own_cosine, where=spoken)
    return replace(found, vectors=vectors, cosine=cosine, margin=apart)


def _only(rows: NDArray[np.intp], size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, np.bool_)
    mask[rows] = True
    return mask


def _said(shard: Shard, subjects: Subjects, question: str) -> tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None]:
    """The rows that any named participant said, and those of the one who is named first; None when none did.

    A part of a name serves where all of it is nobody's. `Ana and Ben` are first alike.
    """
    found = first = None
    last = ""
    for name in sorted(subjects.written, key=question.find):
        words = [match.rows for match in shard.postings.matches(speaker_keys(name))]
        if not words:
            continue
        whole = words[0]
        for rows in words[1:]:
            whole = np.intersect1d(whole, rows, assume_unique=True)
        if not len(whole) and shard.names.known(name) >= 0:
            continue  # `Mira Okafor` is told of here, so it is not `Tomas Okafor` who is meant
        rows = whole if len(whole) else np.concatenate(words)
        if found is None:
            found = np.zeros(shard.size, np.bool_)
            found[rows] = True
            first, last = found, name
            continue
        if found is first and are_named_together(question, last, name):
            last = name
        else:
            found = found.copy() if found is first else found
        found[rows] = True
    return found, first


def _spoken(shard: Shard, subject: NDArray[np.int8], said: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """The rows in the words of one who was asked about: their vectors are met by the question in those words."""
    spoken = (subject > 0) & shard.columns.first_person
    if said is not None:
        spoken |= said
    return spoken if spoken.any() else None


def exact_cosine(
    shard: Shard,
    vectors: QuestionVectors,
    spoken: NDArray[np.bool_] | None,
    rows: NDArray[np.intp],
) -> NDArray[np.float32]:
    """The cosines of a few rows, each with the question in the words that meet it."""
    held = shard.vectors.rows(rows)
    asked, in_words = vectors
    if spoken is None:
        return np.asarray(held @ asked, np.float32)
    return np.asarray(np.where(spoken[rows], held @ in_words, held @ asked), np.float32)


def _subject(shard: Shard, subjects: Subjects) -> NDArray[np.int8]:
    abouts = shard.columns.abouts
    if not len(subjects.codes):
        return np.zeros(len(abouts), np.int8)
    meant = abouts == subjects.codes[0]
    for code in subjects.codes[1:]:
        meant |= abouts == code
    other = (abouts != NONE) & ~meant
    return np.asarray(meant.astype(np.int8) - other.astype(np.int8), np.int8)


def _period(shard: Shard, question: Question) -> NDArray[np.float32]:
    columns = shard.columns
    found = np.zeros(shard.size, np.float32)
    for period in question.periods:
        low, high = period.low.toordinal(), period.high.toordinal()
        spoken = (columns.spoken_low > 0) & (columns.spoken_low <= high) & (columns.spoken_high >= low)
        said = (columns.said_on >= low) & (columns.said_on <= high)
        found = np.maximum(found, np.where(spoken, np.float32(1), np.where(said, np.float32(0.5), np.float32(0))))
    for period in question.other_years:
        low, high = period.low.toordinal(), period.high.toordinal()
        spoken = (columns.spoken_low >= low) & (columns.spoken_high <= high)
        found = np.maximum(found, np.where(spoken, np.float32(0.5), np.float32(0)))
    return found


_RELATIVE_DAYS: Final = 40  # a time that is reckoned from today is another one so long before


def _in_other_years(named: Sequence[Spoken], text: str, today: date) -> list[Spoken]:
    """Days and months that a question names with no year, in the two years before and the one after."""
    if _YEAR.search(text):
        return []
    steady = {(each.low, each.high) for each in periods(text, today - timedelta(days=_RELATIVE_DAYS))}
    bare = [each for each in named if each.precision in ("day", "month") and (each.low, each.high) in steady]
    return [
        replace(each, low=low, high=high)
        for each in bare
        for years in (-2, -1, 1)
        if (low := _shifted(each.low, years)) and (high := _shifted(each.high, years))
    ]


_YEAR: Final = regex.compile(r"(?<!\d)\d{4}(?!\d)")


def _shifted(day: date, years: int) -> date:
    """The day so many years on; 28 February for a 29th that is none."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return day.replace(year=day.year + years, day=28)
