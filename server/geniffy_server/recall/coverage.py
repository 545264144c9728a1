"""How much of what a question asks for a memory holds, word by word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.recall.bm25 import Match, Postings, idf
from geniffy_server.recall.features import Question
from geniffy_server.recall.thesaurus import answers
from geniffy_server.recall.tokens import keys

_ANSWERED: Final = 0.7  # of a word that is answered by another, `job` by `works`
# What a question says of itself, not of the thing it asks for.
_ASKING: Final = frozenset(
    keys(
        "kind type sort thing way best name use want like go happen know think say tell long many much old new time"
        " day date year month currently recently usually ever user far big look come make take need try"
        " que qué quién dónde cuándo cómo cuál où quand qui quoi comment wo wer wann was wie dove chi quando cosa"
        " где кто когда что как 哪里 哪 里 什么 什 么 谁 吗 呢 何 いつ どこ だれ 誰 です ます か は を の に が 是 的"
    )
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """`share` of the asked words' weight that is held, 0 to 1; `missing` counts asked words without an answer."""

    share: float
    missing: int
    asked: int


# `How old`, `how many`: any number answers these words.
_OF_NUMBER: Final = frozenset(keys("old many much long tall far often"))
_NUMBER: Final = regex.compile(r"\p{N}")


@dataclass(frozen=True, slots=True)
class Topic:
    """The words that say what is asked for, with their weights; `unheard` are those that no memory holds or answers."""

    weights: Mapping[int, float]
    unheard: frozenset[int]


def topic(question: Question, matches: Sequence[Match], postings: Postings) -> Topic:
    """What a question asks for: names and the words of asking are left out.

    Where nothing else is left the words of asking count (`How old is Will?`). No words when only names were given.
    """
    named = {one for name in question.names for one in keys(name)}
    found = {match.term: match.idf for match in matches}
    weights = {term: found.get(term, idf(0, postings.size)) for term in question.keys if term not in named}
    weights = {term: weight for term, weight in weights.items() if term not in _ASKING} or weights
    unheard = (term for term in weights if term not in found and not any(map(postings.has, answers(term))))
    return Topic(weights, frozenset(unheard))


def coverage(topic: Topic, memory: Memory) -> Coverage:
    """What of the topic a memory's text and quote hold, in the same words or in words that answer them."""
    held = set(keys(memory.text)) | set(keys(memory.quote))
    total = sum(topic.weights.values())
    share = 0.0
    missing = 0
    for term, weight in topic.weights.items():
        if term in held:
            share += weight
        elif not held.isdisjoint(answers(term)) or (term in _OF_NUMBER and _NUMBER.search(memory.text)):
            share += _ANSWERED * weight
        else:
            missing += 1
    return Coverage(share / total if total else 1.0, missing, len(topic.weights))
