"""Whether a statement tells what happened once, or what is to happen on a day: neither is the value of an attribute.

`I baked 12 cakes` and `I baked 15 cakes` both happened; `Dinner with Paul on 3 May` does not end with another dinner.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.learn.language import possible_languages
from geniffy_server.learn.lexicon import LANGUAGES, listed

_KEPT: Final = 4_000  # statements of which it is kept whether they tell what happened
_BE_BEFORE: Final = regex.compile(r"\b(?:is|are|am|be|been|being|was|were) $", regex.IGNORECASE)


@lru_cache(maxsize=_KEPT)
def is_happening(text: str) -> bool:
    """Whether a text says that something was done or took place: `baked 12 cakes`, not `is baked`."""
    possible = possible_languages(text)
    return any(
        not _BE_BEFORE.search(text, max(0, found.start() - 8), found.start())
        for language, pattern in _patterns("past")
        if language in possible
        for found in pattern.finditer(text)
    )


@lru_cache(maxsize=_KEPT)
def is_of_one_day(text: str) -> bool:
    """Whether a text speaks of the day on which it is said: `I'm tired today`."""
    return _is_in("that_day", text)


def is_dated(text: str) -> bool:
    """Whether a text says of a thing when it is, begins or ends, so that it may be set anew: `The fair is on 3 May`."""
    possible = possible_languages(text)
    return bool(possible & _WITHOUT_COPULA) or _is_in("dated", text)


def names_another(one: str, other: str) -> bool:
    """Whether both say with whom or of what a thing is, and not the same: with the dentist, with the physio."""
    mine, theirs = _with_whom(one), _with_whom(other)
    return mine is not None and theirs is not None and mine != theirs


_WITHOUT_COPULA: Final = frozenset({"ar", "he"})


def _is_in(key: str, text: str) -> bool:
    possible = possible_languages(text)
    return any(pattern.search(text) is not None for language, pattern in _patterns(key) if language in possible)


def _with_whom(text: str) -> str | None:
    found = _joined().match(text)
    return found["whom"].casefold() if found is not None else None


@cache
def _joined() -> regex.Pattern[str]:
    joins, verbs = "|".join(listed("happenings", "joins")), "|".join(listed("happenings", "verbs"))
    word = rf"(?!(?:{verbs})\b)[\p{{L}}\p{{N}}'’.-]+ "
    return regex.compile(
        rf"(?:{word}){{1,4}}?(?:{joins}) (?P<whom>(?:{word}){{1,4}}?)(?:now )?(?:{verbs})\b", regex.IGNORECASE
    )


@cache
def _patterns(key: str) -> Sequence[tuple[str, regex.Pattern[str]]]:
    """The language and the pattern of each that has words for this."""
    made = []
    for language in LANGUAGES:
        whole = list(listed("happenings", key, language))
        if between := listed("happenings", f"{key}_words", language):
            whole.append(rf"(?<![\p{{L}}\p{{M}}])(?:{'|'.join(between)})(?![\p{{L}}\p{{M}}])")
        if whole:
            made.append((language, regex.compile("|".join(whole), regex.IGNORECASE)))
    return made
