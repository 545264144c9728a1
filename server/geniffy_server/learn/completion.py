"""Whether a later statement says that a task was done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.conversation import Statement
from geniffy_server.learn import changes
from geniffy_server.learn.clauses import is_in_general, is_negated, language_in, without_dates, words_of
from geniffy_server.learn.lexicon import fragments, listed, word_set

_ALIKE: Final = 0.6  # of the shorter word that two forms of one verb begin with alike
_FEWEST: Final = 3  # letters
_SHARED: Final = 2 / 3  # of what the shorter of two statements names beside the verb


@dataclass(frozen=True, slots=True)
class Doing:
    """What is to be done: the word it begins with, and its content words, dates and doer left out."""

    first: str
    content: frozenset[str]


def doing_of(words: str, owner: str | None) -> Doing:
    """The words of a task as they are compared. `words` holds no dates."""
    read = changes.statement(words)
    content = read.content - _stems(owner or "") - word_set("change", "stop_words")
    first = next((token for token in read.tokens if token in content), "")
    return Doing(first, frozenset(one for one in content if one.strip("-'")))


def does(doing: Doing, owner: str | None, later: Statement) -> bool:
    """Whether `later` says that it was done: by the same one or by nobody named, in the past, of the same things."""
    words = words_of(later)
    language = language_in(words)
    if not fragments("intentions", "done", language).search(words):
        return False
    if is_negated(words, language) or is_in_general(words, language):
        return False
    if owner is not None and later.about is not None and later.about != owner and (later.first_person or _names(later)):
        return False
    said = doing_of(without_dates(words, later), later.about if later.first_person or _names(later) else None).content
    same_verb = any(_is_same_verb(doing.first, word) for word in said) if language == "en" else True
    if not same_verb and not said & _done_alone():
        return False
    things = doing.content - {doing.first} if language == "en" else doing.content
    others = frozenset(
        word for word in said - _done_alone() if language != "en" or not _is_same_verb(doing.first, word)
    )
    if not things:
        return same_verb and not others
    shared = sum(any(_is_same_word(thing, other) for other in others) for thing in things)
    return shared >= 1 and shared >= _SHARED * min(len(things), len(others))


def _names(statement: Statement) -> bool:
    return statement.about is not None and statement.about[:1].isupper() and " " not in statement.about


def _stems(name: str) -> frozenset[str]:
    return frozenset(changes.stem(word) for word in name.lower().split())


@cache
def _done_alone() -> frozenset[str]:
    return frozenset(
        changes.stem(word) for word in ("done", "finished", "completed", "sorted", "handled", "already", "just", "now")
    )


@cache
def _forms() -> frozenset[tuple[str, str]]:
    pairs = (pair.split(" ", 1) for pair in listed("intentions", "done_forms"))
    return frozenset((changes.stem(one), changes.stem(other)) for one, other in pairs)


def _is_same_verb(verb: str, word: str) -> bool:
    return verb == word or (verb, word) in _forms() or _begin_alike(verb, word)


def _is_same_word(one: str, other: str) -> bool:
    return one == other or _begin_alike(one, other)


def _begin_alike(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    if shorter < _FEWEST or regex.match(r"[\p{Han}\p{Hiragana}\p{Katakana}]", one):
        return False
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), shorter)
    return shared >= max(_FEWEST, _ALIKE * max(len(one), len(other)))
