"""Events: dated happenings, past or to come, each with a short title.

What only holds at a time is none (`The budget for 2027 is 40,000`), nor what lasts or recurs, what was called off or
denied, what is a task, nor the day on which something was said. The words are listed in `words/`, one table
`episodes` a language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

from geniffy_server.domain.conversation import Event, Statement
from geniffy_server.domain.instants import said_on
from geniffy_server.domain.memory import Spoken
from geniffy_server.learn.conversation.clauses import (
    clause_at,
    coming,
    is_in_general,
    is_negated,
    without_dates,
    words_of,
)
from geniffy_server.learn.conversation.intentions import tasks
from geniffy_server.learn.conversation.shortened import shortened
from geniffy_server.learn.dates import spans
from geniffy_server.learn.dates.spoken import find
from geniffy_server.learn.language import language_of
from geniffy_server.learn.lexicon import fragments, listed
from geniffy_server.learn.quotes import normalised
from geniffy_server.learn.subjects.names import lead_of

_TITLE: Final = 60  # characters


def events(statements: Sequence[Statement]) -> list[Event]:
    """The dated happenings in the statements, the earliest first; empty when there are none.

    `when` is at most a year wide and never `since` or `yearly`: a birthday is the one of the year it was told in.
    """
    found: dict[tuple[Spoken, str], Event] = {}
    for statement in statements:
        when = _when(statement, statements)
        if when is None:
            continue
        title = _title(statement)
        if not title:
            continue
        event = Event(title, statement.text, when, statement.quote, statement.said_at)
        found.setdefault((when, normalised(title)), event)
    return sorted(found.values(), key=lambda event: (event.when.low, event.when.clock or 0, event.when.high))


def _when(statement: Statement, among: Sequence[Statement]) -> Spoken | None:
    """The time of the happening that a statement tells of, None when it tells of none."""
    spoken = statement.spoken
    if spoken is None or spoken.precision == "since":
        return None
    words = words_of(statement)
    language = language_of(words)
    clause = _dated_clause(words, language, statement)
    if spoken.precision == "yearly":
        return _this_year(spoken, clause, statement, language)
    if words.rstrip().endswith(("?", "？", "؟")) or fragments("episodes", "cancelled", language).search(words):
        return None
    if (
        is_negated(clause, language)
        or is_in_general(clause, language)
        or _is_time_of_telling(words, language, statement)
    ):
        return None
    if next(tasks(statement, among), None) is not None or _holds(clause, language):
        return None
    names = _names(clause, language)
    if not names and not _happens(clause, language, statement):
        return None
    if names and spoken.high < said_on(statement.said_at) and not _is_past(clause, language):
        return coming(spoken, clause, statement) or spoken
    return spoken


def _dated_clause(words: str, language: str, statement: Statement) -> str:
    """The clause in which the statement names its first date."""
    dates = find(words, said_on(statement.said_at))
    return clause_at(words, language, dates[0][0]) if dates else words


def _names(clause: str, language: str) -> bool:
    return fragments("episodes", "nouns", language).search(clause) is not None


def _holds(clause: str, language: str) -> bool:
    return fragments("episodes", "states", language).search(clause) is not None


def _this_year(spoken: Spoken, clause: str, statement: Statement, language: str) -> Spoken | None:
    if not _names(clause, language) or _holds(clause, language):
        return None
    year = said_on(statement.said_at).year
    try:
        return spans.day(spoken.low.replace(year=year))
    except ValueError:  # 29 February
        return spans.day(spoken.low.replace(year=year, day=28))


def _is_time_of_telling(words: str, language: str, statement: Statement) -> bool:
    """Whether the only date is when it was said: `Kim told me yesterday that she is vegan`."""
    reports = fragments("episodes", "reports", language)
    if language != "en":
        return reports.search(words) is not None and not _names(words, language)
    dates = find(words, said_on(statement.said_at))
    if len(dates) != 1:
        return False
    start, end, _ = dates[0]
    if fragments("episodes", "reported", "en").search(words[:start].rstrip()):
        return True
    return start <= _OPENS and reports.search(words, end, end + _NEAR) is not None


_OPENS: Final = 3  # characters before a date that opens its sentence: "On "
_NEAR: Final = 40
_WAS: Final = regex.compile(r"\b(?:was|were|had|went)\b", regex.IGNORECASE)


def _is_past(clause: str, language: str) -> bool:
    if language == "en":
        return bool(fragments("episodes", "happened", "en").search(clause) or _WAS.search(clause))
    return any(fragments(*key, language).search(clause) for key in (("episodes", "past"), ("intentions", "done")))


def _happens(clause: str, language: str, statement: Statement) -> bool:
    """Whether the verb is one of happening: in English one that is listed, elsewhere any but those of being."""
    spoken = statement.spoken
    if spoken is None:
        return False
    if language != "en":
        return spoken.precision != "year" and fragments("episodes", "feels", language).search(clause) is None
    if fragments("episodes", "happened", "en").search(clause):
        return True
    is_ahead = spoken.high >= said_on(statement.said_at)
    return is_ahead and fragments("episodes", "ahead", "en").search(clause) is not None


_CLOCK: Final = regex.compile(
    r"\s*(?:\b(?:at|um|à|a las|a la|alle|в)\s+)?(?<![\d.:,-])(?:[01]?\d|2[0-3])"
    r"(?:(?:[:.h][0-5]\d)?\s*(?:[ap]\.?m\b\.?|Uhr\b)|[:h][0-5]\d)"
    r"|\s*\bat (?:noon|midnight|midday)\b|\s*\bat \d{1,2}$",
    regex.IGNORECASE,
)
_ENDS: Final = regex.compile(r"[\s.,!;:。！।–—-]+$")
_STARTS: Final = regex.compile(r"^(?:[\s.,!;:。！।–—-]|(?:just|and|also|then|so|but)\b)+", regex.IGNORECASE)
_BEFORE_SIGN: Final = regex.compile(r"\s+(?=[,.;:!?])")


def _title(statement: Statement) -> str:
    """The clause of the happening without its dates, at most 60 characters; empty when it leaves open what happened.

    `I have a dentist appointment on Tuesday at 3 pm` becomes `Dentist appointment`.
    """
    words = words_of(statement)
    language = language_of(words)
    clause = _dated_clause(words, language, statement)
    clause = clause[lead_of(clause, said_on(statement.said_at), language) :]
    bare = _bare(without_dates(clause, statement))
    for pattern in listed("episodes", "between", language):
        bare = regex.sub(pattern, "", bare, flags=regex.IGNORECASE)
    for pattern in listed("episodes", "trailing", language):
        bare = _bare(regex.sub(pattern, "", bare, flags=regex.IGNORECASE))
    if fragments("episodes", "vague", language).search(bare) and not _names(bare, language):
        return ""
    for pattern in listed("episodes", "untitled", language):
        shorter = regex.sub(pattern, "", bare, flags=regex.IGNORECASE)
        if shorter != bare and _names(" ".join(shorter.split()[:_HEAD]), language):
            bare = shorter
    bare = _bare(bare) or words
    return shortened(bare[:1].upper() + bare[1:], _TITLE)


_HEAD: Final = 4  # words: "I have a dentist appointment" loses its beginning, "I had a blast there" keeps it


def _bare(words: str) -> str:
    cut = _BEFORE_SIGN.sub("", " ".join(_CLOCK.sub(" ", _ENDS.sub("", words)).split()))
    return _STARTS.sub("", _ENDS.sub("", cut))
