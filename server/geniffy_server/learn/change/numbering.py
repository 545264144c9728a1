"""Whether a number tells which of many things is spoken of, rather than how much of something or where it stands.

`We sell product 11` and `We sell product 12` are of two products; `The rent is 1200`, `The rent is 1400` of one rent,
and `Kim sits in room 4`, `Kim sits in room 9` of one Kim.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.learn.change.statements import Statement, stem
from geniffy_server.learn.change.tastes import taste
from geniffy_server.learn.language import possible_languages
from geniffy_server.learn.lexicon import fragments, word_set

_NUMBERED: Final = regex.compile(r"\p{L}[\p{L}-]+\d[\p{L}\d]*|\p{L}\d+\p{L}[\p{L}\d]*")  # Friend11, R2D2; not A12
_HOLDS_DIGIT: Final = regex.compile(r"\d")
_SHORT_BEING: Final = regex.compile(r"(?:i|we|you|they|he|she|it)['’](?:m|re|s)\b", regex.IGNORECASE)
_WORD: Final = regex.compile(r"\p{L}[\p{L}\p{M}'’-]*")


def tells_which(one: Statement, about: str | None, start: int, end: int, subject_words: int) -> bool:
    """Whether the number at `tokens[start:end]` is of the name of a thing, of which its subject may have others.

    `subject_words`: how many tokens the subject has. Only English is looked at, and tastes in every language.
    """
    run, before, after = one.tokens[start:end], one.tokens[:start], one.tokens[end:]
    if len(run) != 1 or not before or not _HOLDS_DIGIT.search(run[0]):
        return False
    if any(word in _values() for word in before[-1:]) or (after and after[0] not in _joints()):
        return False  # so much, or how many of something
    liked = taste(one.text, about)
    if liked is not None and (before[-1] not in _joints() or run[0][0].isalpha()):
        return True  # who likes track 7 may like track 9
    if "en" not in possible_languages(one.text):
        return False
    if before[0] in _pointing() and before[-1] not in _being():
        return True  # this is note 11, and this is note 12
    if _being() & set(before[subject_words:]) or before[-1] in _joints() or _SHORT_BEING.match(one.text):
        return False
    if fragments("change", "copula").search(one.text):
        return False
    return _is_of_a_thing(one, run[0], before, subject_words)


def _is_of_a_thing(one: Statement, number: str, before: Sequence[str], subject_words: int) -> bool:
    """Whether the number stands behind what is done and to what: `sell product 11`, `know R2D2`."""
    if _NUMBERED.fullmatch(number):
        return len(before) > subject_words
    noun = before[-1]
    if noun in _things() or (noun == "number" and set(before[-3:-1]) & _things()):
        return True
    if not _WORD.fullmatch(noun) or noun in {stem(name) for name in one.names}:
        return False  # Postgres 14, which became Postgres 16
    placed = [word for word in before[:-1] if word not in _ARTICLES][-1:]
    return len(before) - subject_words >= 2 and not {"in", "at"} & set(placed)


_ARTICLES: Final = frozenset({"the", "a", "an", "my", "our", "your", "his", "her", "their", "its"})


@cache
def _joints() -> frozenset[str]:
    return word_set("change", "prepositions") | word_set("change", "stop_words") | {"but", "than", "up", "until"}


@cache
def _being() -> frozenset[str]:
    return _stems(
        frozenset({"is", "are", "am", "was", "were", "be", "becomes", "became", "equals", "stays", "remains"})
    )


@cache
def _pointing() -> frozenset[str]:
    return _stems(frozenset({"this", "that", "these", "those", "here"}))


@cache
def _values() -> frozenset[str]:
    return _stems(word_set("numbering", "values"))


@cache
def _things() -> frozenset[str]:
    return _stems(word_set("numbering", "things"))


def _stems(many: frozenset[str]) -> frozenset[str]:
    return many | {stem(word) for word in many}
