"""A title and an overview of a conversation, in its own words: nothing is written that was not said.

The statements that hold most of what the conversation keeps coming back to stand for it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.conversation import Statement
from geniffy_server.domain.source import Turn
from geniffy_server.learn import wording
from geniffy_server.learn.change.statements import statement, stem
from geniffy_server.learn.conversation.clauses import clauses
from geniffy_server.learn.conversation.shortened import shortened
from geniffy_server.learn.language import language_of
from geniffy_server.learn.lexicon import fragments, listed, word_set
from geniffy_server.learn.split import not_fact, sentences
from geniffy_server.learn.subjects.names import lead_of

TITLE_CHARS: Final = 60
OVERVIEW_CHARS: Final = 400
_MOST: Final = 4  # statements of an overview
_FEWEST: Final = 2
_LONGEST: Final = 190  # characters of one of them, so that at least two fit
_MOST_TURNS: Final = 400
_COUNTED: Final = 4  # turns: a word that comes up oftener says no more
_EARLY: Final = 2  # statements at least that count as the beginning
_FIRST: Final = 1.6
_EARLIER: Final = 1.2
_LEANS: Final = 0.6  # a sentence that leans on the one before it is hard to read alone
_SIZE: Final = 4  # words added to a statement's own, so that the shortest do not win by their shortness


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement as it is weighed: `words` as they were said, `text` as they are told without the conversation.

    `leans`: it begins as an answer, or with a word that stands for something said before.
    """

    words: str
    text: str
    content: frozenset[str]
    is_dated: bool
    leans: bool


def title(turns: Sequence[Turn], statements: Sequence[Statement]) -> str:
    """The statement that says most of the conversation, cut to 60 characters.

    Without statements it is the first sentence that says anything, else the first words; empty when there are none.
    """
    said = _said(turns, statements)
    if not said:
        first = next((turn.text for turn in turns if turn.text.strip()), "")
        return shortened(_headline(first), TITLE_CHARS)
    weights = _weights(turns, said)
    early = max(_EARLY, len(said) // 3)
    best = max(
        enumerate(said),
        key=lambda one: _score(one[1], weights) * _place(one[0], early) * _fit(_headline(one[1].words)),
    )[1]
    return shortened(_headline(best.words), TITLE_CHARS)


def _place(at: int, early: int) -> float:
    """What a conversation begins with is more often what it is about."""
    return _FIRST if at == 0 else _EARLIER if at < early else 1.0


def _fit(headline: str) -> float:
    """What must be cut to fit makes a worse title."""
    return 1.0 if len(headline) <= TITLE_CHARS else TITLE_CHARS / len(headline)


def overview(turns: Sequence[Turn], statements: Sequence[Statement]) -> str:
    """Two to four statements of the conversation in the order in which they were said, at most 400 characters.

    One when there is but one, and empty when nothing was stated. None repeats what another one says.
    """
    said = _said(turns, statements)
    weights = _weights(turns, said)
    left, chosen = list(range(len(said))), list[int]()
    covered: frozenset[str] = frozenset()
    room = OVERVIEW_CHARS
    while left and len(chosen) < _MOST:
        best = max(left, key=lambda at: _score(said[at], weights, covered))
        left.remove(best)
        sentence = _sentence(said[best].text)
        is_new = bool(said[best].content - covered) or not chosen
        if is_new and len(sentence) + 1 <= room + (not chosen):
            chosen.append(best)
            covered |= said[best].content
            room -= len(sentence) + 1
        if len(chosen) >= _FEWEST and room < _LONGEST // 2:
            break
    return " ".join(_sentence(said[at].text) for at in sorted(chosen))


def _said(turns: Sequence[Turn], statements: Sequence[Statement]) -> list[_Said]:
    """What was stated; where nothing was learned, what reads as a statement in the turns."""
    if statements:
        ordered = sorted(statements, key=lambda one: one.said_at)
        return [
            _weighed(wording.plain(one.quote), wording.plain(one.text), is_dated=one.spoken is not None)
            for one in ordered
        ]
    return [_weighed(words, words, is_dated=False) for turn in turns[:_MOST_TURNS] for words in _sentences(turn)]


def _weighed(words: str, text: str, *, is_dated: bool) -> _Said:
    leans = fragments("summary", "leaning", language_of(words)).match(words) is not None
    return _Said(words, text, _content(words), is_dated, leans)


def _sentences(turn: Turn) -> Iterator[str]:
    if turn.role == "tool":
        return
    for start, end in sentences(turn.text[:2_000]):
        words = wording.plain(turn.text[start:end])
        if not_fact(words) is None:
            yield words


def _content(words: str) -> frozenset[str]:
    return statement(words).content - _common()


@cache
def _common() -> frozenset[str]:
    """Words that every conversation has."""
    lists = [
        *listed("language", "common"),
        *listed("subject", "openers"),
        *listed("subject", "lead"),
        *listed("not_fact", "praising_words", "en"),
        *listed("change", "stop_words"),
    ]
    return frozenset(lists) | frozenset(stem(word) for word in lists) | word_set("subject", "exclamations")


def _weights(turns: Sequence[Turn], said: Sequence[_Said]) -> Mapping[str, float]:
    """How often each word comes up: in so many turns, or statements where there are no turns."""
    counts: Counter[str] = Counter()
    for words in [_content(turn.text) for turn in turns[:_MOST_TURNS]] or [one.content for one in said]:
        counts.update(words)
    return {word: float(min(count, _COUNTED)) for word, count in counts.items()}


def _score(one: _Said, weights: Mapping[str, float], covered: frozenset[str] = frozenset()) -> float:
    """How much of what comes up a statement holds that is not covered yet, for its length."""
    total = sum(weights.get(word, 1.0) for word in one.content - covered)
    names = sum(1 for _ in zip(range(2), _NAME.finditer(one.words), strict=False))
    weight: float = (total + names + one.is_dated) / math.sqrt(len(one.content) + _SIZE)
    return weight * (_LEANS if one.leans else 1)


_NAME: Final = regex.compile(r"(?<=\p{Ll}[\p{P}]?\s)\p{Lu}\p{Ll}+|\d{2,}")
_END: Final = regex.compile(r"[\s.,;:!?。！？।…–—-]+$")
_ENDED: Final = regex.compile(r"[.!?。！？।؟…][\"”’」』)]?$")


def _headline(words: str) -> str:
    """The words without a greeting or a date in front; their first clause where they are too long for a title."""
    words = " ".join(words.split())
    language = language_of(words)
    lead = lead_of(words, _ANY_DAY, language)
    if language != "de" or not words[lead : lead + 1].islower():  # `Gestern waren wir …`: its verb stands second
        words = words[lead:]
    if len(words) > TITLE_CHARS:
        words = next(clauses(words, language))
    bare = _END.sub("", words) or words
    return bare[:1].upper() + bare[1:]


_ANY_DAY: Final = date(2000, 1, 1)  # a date that opens the sentence is left out, whichever day it means


def _sentence(text: str) -> str:
    line = shortened(text, _LONGEST)
    return line if _ENDED.search(line) else f"{line}."
