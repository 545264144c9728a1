"""Whether a later statement says that a task was done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.conversation import Statement
from geniffy_server.learn.change.statements import statement, stem
from geniffy_server.learn.conversation.clauses import is_in_general, is_negated, without_dates, words_of
from geniffy_server.learn.language import language_of
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
    read = statement(words)
    content = read.content - _stems(owner or "") - word_set("change", "stop_words") - {"new"}
    first = next((token for token in read.tokens if token in content), "")
    return Doing(first, frozenset(one for one in content if one.strip("-'")))


@dataclass(frozen=True, slots=True)
class Report:
    """A statement that says that something was done, by whom if it is named, and its content words."""

    by: str | None
    language: str
    content: frozenset[str]


def report_in(statement: Statement) -> Report | None:
    """What a statement says was done; None when it says nothing of the kind."""
    words = words_of(statement)
    language = language_of(words)
    if fragments("intentions", "done", language).search(words) is None:
        return None
    if is_negated(words, language) or is_in_general(words, language):
        return None
    by = statement.about if statement.first_person or _names(statement) else None
    return Report(by, language, doing_of(without_dates(words, statement), by).content)


def completes(report: Report, doing: Doing, owner: str | None) -> bool:
    """Whether what was done is the task: by the same one or by nobody named, with the same verb, to the same things."""
    if owner is not None and report.by is not None and report.by != owner:
        return False
    things, others, same_verb = doing.content, report.content - _done_alone(), True
    if report.language == "en":  # elsewhere it is not known which word is the verb
        same_verb = any(_is_same_verb(doing.first, word) for word in report.content)
        things = things - {doing.first}
        others = frozenset(word for word in others if not _is_same_verb(doing.first, word))
    if not same_verb and not report.content & _done_alone():
        return False
    if not things:
        return same_verb and not others
    if _numbers(things) and _numbers(others) and _numbers(things) != _numbers(others):
        return False
    things, others = things - _numbers(things) or things, others - _numbers(others)
    shared = sum(any(_is_same_word(thing, other) for other in others) for thing in things)
    return shared >= 1 and shared >= _SHARED * min(len(things), len(others))


def _numbers(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word[:1].isdigit())


def _names(statement: Statement) -> bool:
    return statement.about is not None and statement.about[:1].isupper() and " " not in statement.about


def _stems(name: str) -> frozenset[str]:
    return frozenset(stem(word) for word in name.lower().split())


@cache
def _done_alone() -> frozenset[str]:
    return frozenset(
        stem(word) for word in ("done", "finished", "completed", "sorted", "handled", "already", "just", "now")
    )


@cache
def _forms() -> frozenset[tuple[str, str]]:
    pairs = (pair.split(" ", 1) for pair in listed("intentions", "done_forms"))
    return frozenset((stem(one), stem(other)) for one, other in pairs)


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
