"""How much of what a question asks for a memory holds, word by word."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.recall.bm25 import Match, Postings, idf
from geniffy_server.recall.features import Question
from geniffy_server.recall.lexicon import generic, language_of_question
from geniffy_server.recall.thesaurus import answers, is_contradicted
from geniffy_server.recall.tokens import key, keys

_ANSWERED: Final = 0.7  # of a word that is answered by another, `job` by `works`
# `What does Kim do?` asks for a job, and `how old` is answered by any number.
_DOES: Final = regex.compile(
    r"\bwhat (?:do|does|did) (?:[^?]+ )?do(?: for (?:a living|work)| at work)?\s*[?.!]*$", regex.IGNORECASE
)
_OF_NUMBER: Final = frozenset(keys("old many much long tall far often"))
_NUMBER: Final = regex.compile(r"\p{N}")
_CODE: Final = regex.compile(r"(?=[\p{L}\p{N}/_-]*\p{N})[\p{L}\p{N}][\p{L}\p{N}/_-]*")
_HIRAGANA: Final = regex.compile(r"\p{Hiragana}")
_UNSPACED: Final = r"\p{Han}\p{Katakana}ー々"


@dataclass(frozen=True, slots=True)
class Coverage:
    """`share` of the asked words' weight that is held, 0 to 1; `missing` counts asked words without an answer.

    `contradicted` counts those of the missing for which the memory holds something else of their kind, or their
    opposite.
    """

    share: float
    missing: int
    asked: int
    contradicted: int


@dataclass(frozen=True, slots=True)
class Topic:
    """The words that say what is asked for, with their weights; `unheard` are those that no memory holds or answers.

    `codes` are its numbers and codes as search keys: another one is not meant.
    """

    weights: Mapping[int, float]
    unheard: frozenset[int]
    codes: frozenset[int]


def topic(question: Question, named: Collection[str], matches: Sequence[Match], postings: Postings) -> Topic:
    """What a question asks for: the names in it and the words of asking are left out.

    Where nothing else is left the words of asking count (`How old is Will?`). No words when only names were given.
    """
    language = language_of_question(question.text)
    names = {one for name in named for one in keys(name)}
    found = {match.term: match.idf for match in matches}
    terms = _terms(question, named, language)
    weights = {term: found.get(term, idf(0, postings.size)) for term in terms if term not in names}
    weights = {term: weight for term, weight in weights.items() if term not in generic(language)} or weights
    unheard = (term for term in weights if term not in found and not any(map(postings.has, answers(term))))
    codes = frozenset() if question.periods else frozenset(map(key, _CODE.findall(question.text.casefold())))
    return Topic(weights, frozenset(unheard), codes)


def coverage(topic: Topic, memory: Memory) -> Coverage:
    """What of the topic a memory's text, quote and subject hold, in the same words or in words that answer them."""
    held = {*keys(memory.text), *keys(memory.quote)}
    total = sum(topic.weights.values())
    share = 0.0
    missing = contradicted = 0
    for term, weight in topic.weights.items():
        if term in held:
            share += weight
        elif not held.isdisjoint(answers(term)) or (term in _OF_NUMBER and _NUMBER.search(memory.text)):
            share += _ANSWERED * weight
        else:
            missing += 1
            contradicted += is_contradicted(term, held)
    contradicted += len(topic.codes - held)
    return Coverage(share / total if total else 1.0, missing, len(topic.weights), contradicted)


def _terms(question: Question, named: Collection[str], language: str) -> Sequence[int]:
    if language in ("zh", "ja"):
        return _unspaced_terms(question.text, named, language)
    return [*question.keys, *keys("job")] if _DOES.search(question.text) and not question.periods else question.keys


def _unspaced_terms(text: str, named: Collection[str], language: str) -> Sequence[int]:
    """Of Chinese what stands between names and words of asking; of Japanese what is not written in hiragana."""
    for name in named:
        text = text.replace(name, " ")
    if language == "ja":
        text = _HIRAGANA.sub(" ", text)
    for word in sorted(_asking(language), key=len, reverse=True):
        text = text.replace(word, " ")
    return [
        one
        for run in regex.findall(rf"[{_UNSPACED}]+|[\p{{L}}\p{{N}}]+", text)
        for one in ([key(run)] if len(run) <= 2 and regex.fullmatch(rf"[{_UNSPACED}]+", run) else keys(run))
    ]


def _asking(language: str) -> list[str]:
    from geniffy_server.recall.lexicon import words

    return [word for line in words(language)["generic"] for word in line.split()]
