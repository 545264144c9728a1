"""Whether a statement tells when something is, or how long it was."""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.domain.text import folded
from geniffy_server.learn.lexicon import LANGUAGES, fragments, keyed, word_set
from geniffy_server.recall.asked import WORD, Asked, is_foreign
from geniffy_server.recall.lexicon import pattern

_NUMBER: Final = regex.compile(r"\p{N}")
_PARTS_OF_TIME: Final = frozenset(
    {"morning", "evening", "afternoon", "night", "noon", "midnight", "spring", "summer", "autumn", "winter", "fall"}
    | {"time", "weekend", "weekends", "moment", "least", "first", "last"}
)
_CLOCK: Final = regex.compile(r"\b\d{1,2}(?::\d\d|\s?(?:am|pm|h|uhr|heures|o['’]clock)\b)", regex.IGNORECASE)
_DAY_OR_YEAR: Final = regex.compile(r"\b(?:\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d)\b", regex.IGNORECASE)
# `How long have I been here?` is answered by since when, and `how long were they married` by two years.
_LASTING: Final = regex.compile(r"how long (?:have|has|had|were|was|did)\b", regex.IGNORECASE)
# `How long are we there?` is answered by from when to when, or by until when.
_STAYING: Final = regex.compile(r"how long (?:are|is|am|will|shall|do|does|can)\b", regex.IGNORECASE)
_FROM_TO: Final = regex.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)?(?: (?:of )?\p{Lu}\p{Ll}+)? ?(?:-|–|—|to|until|till) ?(?:the )?\d{1,2}(?:st|nd|rd|th)?\b"
    r"|\bfrom (?:the )?[\p{L}\d]+(?: \p{Lu}\p{Ll}+)? (?:to|until|till)\b|\b(?:until|till) (?:the )?(?:\d|\p{Lu})"
)
_SPAN: Final = regex.compile(r"\b(?:19|20)\d\d\b.*\b(?:19|20)\d\d\b")


@cache
def times() -> frozenset[str]:
    """Words behind a preposition that make it one of time: months, weekdays, parts of the day and of the year."""
    days = keyed("weekdays")
    return _PARTS_OF_TIME | {*keyed("months"), *days, *(f"{day}s" for day in days)}


def has_time(asked: Asked, memory: Memory) -> bool:
    """Whether a memory answers `when`: it speaks of a time, or tells what happened, which was when it was said."""
    if memory.spoken is not None or tells_a_time(asked, memory.text) or is_foreign(asked, memory.text):
        return True
    if asked.language not in LANGUAGES:  # no dates are read of it
        return _NUMBER.search(memory.text) is not None
    # What has happened without a date is dated by when it was said.
    has_happened = asked.is_past if asked.language == "en" else _is_past(asked.language, memory.text)
    return has_happened and memory.kind in ("people", "detail")


def _is_past(language: str, text: str) -> bool:
    return fragments("dates", "past", language).search(text) is not None


@cache
def _months_and_weekdays() -> frozenset[str]:
    return frozenset({*keyed("months"), *keyed("weekdays")})


@cache
def _words_too() -> frozenset[str]:
    return word_set("dates", "word_months") | word_set("dates", "word_weekdays")


def tells_a_time(asked: Asked, text: str) -> bool:
    """Whether a text names a time in words: `at 9:30`, `on Mondays`, or a month, a year or the 14th.

    A time of which no date could be read answers `when` as well.
    """
    if _CLOCK.search(text) is not None or pattern(asked.language, "holds", "habit").search(text) is not None:
        return True
    return _names_a_time(asked, text)


def _names_a_time(asked: Asked, text: str) -> bool:
    """Whether it has a month, a weekday, a year or the 14th, though no date could be read of it."""
    if _DAY_OR_YEAR.search(text):
        return True
    for word in WORD.findall(text):
        named = word.casefold()
        if named not in _months_and_weekdays() or folded(word) in asked.words:
            continue
        if not word.islower() or named not in _words_too():  # `May` and `Sun` are times, `may` and `sun` are none
            return True
    return False


def lasts(asked: Asked, memory: Memory) -> bool:
    """Whether it is asked how long a thing is or was so, and a statement tells since when, or from when to when."""
    if _STAYING.match(asked.text):
        return _FROM_TO.search(memory.quote) is not None
    return _LASTING.match(asked.text) is not None and (has_time(asked, memory) or _SPAN.search(memory.text) is not None)
