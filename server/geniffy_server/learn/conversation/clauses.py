"""What action items and events both ask of a statement: its clauses, who speaks, negation, the day that is meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.conversation import Statement
from geniffy_server.domain.instants import said_on
from geniffy_server.domain.memory import OWNER, Spoken
from geniffy_server.learn import wording
from geniffy_server.learn.dates import spans
from geniffy_server.learn.dates.spoken import find, pick
from geniffy_server.learn.lexicon import alternatives, fragments, keyed

_LONGEST: Final = 600  # characters of a statement that are looked at


def words_of(statement: Statement) -> str:
    """The statement in its speaker's words, on one line, without marks and without `Remember that`."""
    return wording.told(wording.plain(statement.quote))[:_LONGEST]


def own_name(statements: Sequence[Statement], said_by: str | None) -> str:
    """Who `I` is in the mouth of `said_by`: a participant, or the memory's owner by name, else OWNER."""
    if said_by is not None:
        return said_by
    names = (one.about for one in statements if one.first_person and one.said_by is None and one.about)
    return next(names, OWNER)


_BREAK: Final = regex.compile(
    r"\s*;\s+|,?\s+(?:and then|and|but|because|so|while|since|then|though|as)\s+"
    r"(?=(?-i:I|\p{Lu}\p{L}+ (?:will|needs?|has|is|must|should))\b|(?:we|you|he|she|they|it|i'm|i'll|there)\b)"
    r"|\.\s+(?=\p{Lu})",
    regex.IGNORECASE,
)
_FEWEST: Final = 3  # words: "Kim and Omar will" is one clause


def clauses(words: str, language: str) -> Iterator[str]:
    """The clauses of an English sentence, each with a subject of its own; the whole of one in another language."""
    start = 0
    if language == "en":
        for found in _BREAK.finditer(words):
            if len(words[start : found.start()].split()) >= _FEWEST:
                yield words[start : found.start()]
                start = found.end()
    yield words[start:]


_WIDER_BREAK: Final = regex.compile(
    r"\s[–—-]+\s|;\s|\.{2,}\s*|…\s*|:\s|,\s(?=(?:and|but|so|because|which|it|that|then|i|we|you|he|she|they|my|our|his|her|the)\b)|\s(?=but\b)",
    regex.IGNORECASE,
)


def clause_at(words: str, language: str, at: int) -> str:
    """The clause of an English sentence that holds the character at `at`; the whole of one in another language.

    It is narrower than those of `clauses`: a dash, a semicolon or an aside parts it too.
    """
    if language != "en":
        return words
    start, end = 0, len(words)
    for pattern in (_BREAK, _WIDER_BREAK):
        for found in pattern.finditer(words):
            if found.end() <= at:
                start = max(start, found.end())
            elif found.start() >= at:
                end = min(end, found.start())
                break
    return words[start:end] if len(words[start:end].split()) >= _FEWEST else words


def is_negated(clause: str, language: str, start: int = 0, end: int = 0) -> bool:
    """Whether `clause` says that something is not so, outside the words from `start` to `end`.

    In English a negation counts before those words and right after them: `You needn't`, `must not`.
    """
    bare = fragments("change", "not_negations", language).sub(lambda found: " " * len(found.group()), clause)
    if language == "en":
        reach = _after(bare, end) if end else len(bare)
        return fragments("intentions", "negated", "en").search(bare, 0, reach) is not None
    found = fragments("change", "negations", language).finditer(bare)
    return any(not (start <= one.start() and one.end() <= end) for one in found)


def _after(clause: str, end: int) -> int:
    """Where the first word after `end` ends."""
    found = regex.match(r"\s*\S+", clause[end:])
    return end + (found.end() if found else 0)


def is_in_general(clause: str, language: str) -> bool:
    """Whether the clause tells of what recurs or only might be: a habit, a wish, a condition."""
    return any(fragments("intentions", key, language).search(clause) for key in ("habitual", "wished"))


def dated(clause: str, statement: Statement) -> Spoken | None:
    """The time that a clause of the statement speaks of: the statement's own when the clause is all of it."""
    whole = len(clause) >= len(words_of(statement)) - 1
    return statement.spoken if whole else pick(clause, said_on(statement.said_at))


def coming(spoken: Spoken | None, clause: str, statement: Statement) -> Spoken | None:
    """The same time read as one that is still to come; None when it can't be, or when it lasts or recurs.

    `I promised to bring it on Wednesday` and `I have an appointment on Tuesday` mean the next one, whatever the verb.
    """
    said = said_on(statement.said_at)
    if spoken is None or spoken.precision in ("since", "yearly"):
        return None
    if spoken.high >= said:
        return spoken
    if spoken.precision in ("day", "minute") and (said - spoken.low).days <= 7 and _names_weekday(clause):
        week = timedelta(7)
        return replace(spoken, low=spoken.low + week, high=spoken.high + week)
    if spoken.precision == "month" and not regex.search(r"\d{4}", clause) and spoken.low.year >= said.year - 1:
        return spans.month(spoken.low.year + 1, spoken.low.month)
    return None


@cache
def _weekdays() -> regex.Pattern[str]:
    last = r"(?<!\b(?:last|past|previous|letzte[nrs]?|dernier|passato) )"
    return regex.compile(
        rf"{last}(?:{alternatives(keyed('weekdays'))}|[周週星][一二三四五六日期]|[月火水木金土日]曜)", regex.IGNORECASE
    )


def _names_weekday(clause: str) -> bool:
    return _weekdays().search(clause) is not None


def without_dates(clause: str, statement: Statement) -> str:
    """The clause with its dates cut out, a blank in the place of each."""
    kept, at = [], 0
    for start, end, _ in find(clause, said_on(statement.said_at)):
        if start < at:
            continue
        kept.append(clause[at:start])
        at = end
    return " ".join([*kept, clause[at:]])
