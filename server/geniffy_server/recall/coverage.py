"""How much of what a question asks for a memory holds, word by word."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.learn.lexicon import keyed
from geniffy_server.recall.asked import Asked, asks_for_all_of, asks_own_name, asks_who_is, tells_own_name
from geniffy_server.recall.bm25 import Match, Postings, idf
from geniffy_server.recall.features import Question
from geniffy_server.recall.happenings import asks_what_happened
from geniffy_server.recall.lexicon import generic, keys_of, pattern, words
from geniffy_server.recall.occupations import JOB, asks_for_one, is_word_for_one, tells_one, tells_workplace
from geniffy_server.recall.small_verbs import small_verb
from geniffy_server.recall.thesaurus import answers, asking, is_contradicted, is_listed, kinds_of, members
from geniffy_server.recall.tokens import key, keys

_ANSWERED: Final = 0.7  # of a word that is answered by another, `job` by `works`
_KIND_ANSWERED: Final = 0.25  # of a word for what a name may be: `club`, by `Kim supports Brann`
_NAMED: Final = regex.compile(r"(?<=\p{Ll}\S* )\p{Lu}\p{L}+")
# `How old` is answered by any number.
_LOOKS_AFTER: Final = regex.compile(r"\blook(?:s|ing|ed)? after\b|\btak(?:es?|ing) care of\b", regex.IGNORECASE)
_TITLES: Final = frozenset(keys("dr"))
_ALONE: Final = {"車": "(?<![転電列汽馬])車", "父": "(?<![祖叔伯義])父", "母": "(?<![祖叔伯義])母"}
# Who runs a team leads it; who runs on Sundays does not.
_LEADS: Final = frozenset(keys("manager boss supervisor lead head chief charge responsible report"))
_RUN_KEY: Final = frozenset(keys("run"))
_ON_FOOT: Final = regex.compile(
    r"\brun(?:s|ning)? (?:every|with|on|in|at|for|after|before|around|along|once|twice|late|low|out|\p{N}"
    r"|an? (?:half|marathon|race))\b",
    regex.IGNORECASE,
)
_CARED: Final = frozenset(keys("pet child relative"))
_HAPPENING: Final = frozenset(keys("plan schedule happen event upcoming gemacht hicimos"))
_LIVE: Final = frozenset(keys("live"))
_LIKE: Final = frozenset(keys("like happen"))
_WITH_WHOM: Final = regex.compile(
    r"who(?:m| else)? (?:do|does|did|am|is|are)\b[^?]* liv(?:e|es|ing) with[?.! ]*$", regex.I
)
_OF_NUMBER: Final = frozenset(keys("old many much long tall far often"))
_NUMBER: Final = regex.compile(r"\p{N}")
_CODE: Final = regex.compile(r"(?=[\p{L}\p{N}/_-]*\p{N})[\p{L}\p{N}][\p{L}\p{N}/_-]*")
_UNSPACED: Final = frozenset({"zh", "ja", "ko"})
_WITHOUT_CAPITALS: Final = _UNSPACED | {"hi", "ar", "he"}
_HIRAGANA: Final = regex.compile(r"\p{Hiragana}")
_WORD: Final = regex.compile(r"\p{L}+")
_RUN: Final = regex.compile(r"[\p{Han}\p{Katakana}\p{Hangul}ー々]+|[\p{Latin}\p{N}]+")
_ENDING: Final = regex.compile(
    r"(?:은|는|이|가|을|를|에|에서|의|도|와|과|로|으로|아요|어요|예요|이에요|해요|습니다|입니다|나요|까요)+(?!\p{Hangul})"
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """`share` of the asked words' weight that is held, 0 to 1; `missing` counts asked words without an answer.

    `contradicted` counts those of the missing for which the memory holds something else of their kind, or their
    opposite; `strange` those that no list has, where names have no capitals: they may be somebody's.
    """

    share: float
    missing: int
    asked: int
    contradicted: int
    strange: int = 0


@dataclass(frozen=True, slots=True)
class Topic:
    """The words that say what is asked for, with their weights; `unheard` are those that no memory holds or answers.

    `codes` are its numbers and codes as search keys: another one is not meant. `unknown` counts the names in it that
    no memory holds in full. `kind` are the words for what is to be named, `club` of `Which club does Kim support?`,
    where no list has what is of that kind. `is_polar`: a yes or no is asked for, which what is said of a kind gives.
    `heads`: by the first words of a thing its last one: of `phone number`, which does not answer `phone` there.
    `signs`: by their keys those words of Japanese that are another thing behind another sign: `車` is no `自転車`.
    """

    weights: Mapping[int, float]
    unheard: frozenset[int]
    codes: frozenset[int]
    unknown: int
    kind: frozenset[int]
    is_polar: bool
    is_of_own_name: bool
    language: str
    heads: Mapping[int, frozenset[int]]
    signs: Mapping[int, str]


def topic(question: Question, named: Collection[str], matches: Sequence[Match], postings: Postings) -> Topic:
    """What a question asks for: the names in it and the words of asking are left out.

    Where nothing else is left the words of asking count (`How old is Will?`). No words when only names were given.
    """
    asked = Asked.read(question.text)
    language = asked.language
    kin = {one for found in pattern(language, "holds", "kin").finditer(question.text) for one in keys(found.group())}
    owners: list[str] = []
    if language == "de":  # where things have capitals, and owners an s
        owners = [f"{name}s" for name in named]
        named = [name for name in named if any(name in other for other in question.names)]
    names = {one for name in (*named, *owners) for word in name.split() if not word[:1].islower() for one in keys(word)}
    names -= kin
    if language in _WITHOUT_CAPITALS:
        names = {one for one in names if not is_listed(one)}  # `the phone` is a subject too
    unknown = sum(not all(map(postings.has, keys(name))) for name in question.names)
    found = {match.term: match.idf for match in matches}
    left_out = names | _dates() if question.periods else names
    terms = [term for term in _terms(question, named, language) if term not in left_out]
    if question.periods and asks_what_happened(question.text, names=named):
        terms = []
    elif question.periods:  # `What is planned for May?` asks for whatever is
        terms = [term for term in terms if term not in _HAPPENING]
    weights = {term: found.get(term, idf(0, postings.size)) for term in terms}
    telling = {term: weight for term, weight in weights.items() if term not in generic(language)}
    if small_verb(asked.text) is not None:
        weights = {term: weight for term, weight in telling.items() if term not in _LIKE}
    elif (of := asks_for_all_of(question.text)) is not None:
        weights = {term: weight for term, weight in telling.items() if term in keys(of)}
    else:
        says_it_all = question.periods or asks_who_is(question.text)  # `What happened on 4 October?`
        if not telling and language in _WITHOUT_CAPITALS and asked.wanted in ("where", "when"):
            # What is looked for may be a subject of its own: `أين المفتاح؟`
            weights = telling = {term: idf(0, postings.size) for term in names if term not in generic(language)}
        weights = telling if says_it_all else telling or weights
    unheard = (term for term in weights if term not in found and not any(map(postings.has, answers(term))))
    codes = frozenset() if question.periods else frozenset(map(key, _CODE.findall(question.text.casefold())))
    return Topic(
        weights,
        frozenset(unheard),
        codes,
        unknown,
        _unlisted(asked),
        asked.wanted == "polar",
        asks_own_name(asked),
        language,
        _heads(asked),
        {key(sign): sign for sign in _ALONE if sign in _runs(question.text, named, language)}
        if language == "ja"
        else {},
    )


def _heads(asked: Asked) -> Mapping[int, frozenset[int]]:
    found: dict[int, frozenset[int]] = {}
    for *sorts, head in asked.objects:
        for word in sorts:
            found |= dict.fromkeys(keys(word), frozenset(keys(head)))
    return found


def _unlisted(asked: Asked) -> frozenset[int]:
    kind = keys(asked.kind or "")
    return frozenset(kind) if kind and not members(kind[-1]) else frozenset()


@cache
def _dates() -> frozenset[int]:
    """Months, days of a month and years as search keys: a period is compared as one (`features`), not by its words."""
    years = range(1900, 2100)
    numbers = [str(number) for number in (*range(1, 32), *years)]
    return frozenset(one for word in (*keyed("months"), *numbers) for one in keys(word))


def coverage(topic: Topic, memory: Memory, meant: Collection[int] = ()) -> Coverage:
    """What of the topic a memory's text, quote and subject hold, in the same words or in words that answer them.

    `meant` are words that it holds without saying them (`aliases`).
    """
    if topic.is_of_own_name and tells_own_name(memory.quote):
        return Coverage(1.0, 0, 1, 0)
    if topic.is_of_own_name and not topic.weights:  # every word of it only asks
        return Coverage(0.0, 1, 1, 0)
    held = {*keys(memory.text), *keys(memory.quote), *meant}
    held -= {one for one, sign in topic.signs.items() if not regex.search(_ALONE[sign], memory.text)}
    tells_occupation = any(map(is_word_for_one, topic.weights)) and tells_one(memory.text)
    tells_work = not asking("job").isdisjoint(topic.weights) and (
        tells_workplace(memory.text) or tells_one(memory.text)
    )
    dislikes = pattern("en", "tells", "dislike").search(memory.quote) is not None
    runs = not _LEADS.isdisjoint(topic.weights) and _ON_FOOT.search(memory.quote) is not None
    total = sum(topic.weights.values())
    share = 0.0
    missing = contradicted = strange = 0
    for term, weight in topic.weights.items():
        answering = answers(term) if topic.is_polar else answers(term) - kinds_of(term)
        answering -= topic.heads.get(term, frozenset())
        if runs:
            answering -= _RUN_KEY
        is_answered = not held.isdisjoint(answering) or (tells_work and term in asking("job"))
        if is_answered and held & answering <= _TITLES:  # `My GP is Dr. Wu` names no dentist
            is_answered = not is_contradicted(term, held)
        is_answered |= dislikes and term in asking("distaste")
        if term in held or (tells_occupation and is_word_for_one(term)):
            share += weight
        elif is_answered or (term in _OF_NUMBER and _NUMBER.search(memory.text)):
            share += _ANSWERED * weight
        else:
            missing += 1
            contradicted += is_contradicted(term, held)
            strange += topic.language in _WITHOUT_CAPITALS and not is_listed(term)
    if topic.language in _UNSPACED and any(term in held and not is_listed(term) for term in topic.weights):
        strange = 0  # a pair of signs may lie across two words
    contradicted += len(topic.codes - held)
    lacking = (topic.kind & topic.weights.keys()) - held
    others = topic.weights.keys() - topic.kind
    if lacking and others and others <= held and _NAMED.search(memory.quote):
        share += _KIND_ANSWERED * sum(topic.weights[term] for term in lacking)
    return Coverage(share / total if total else 1.0, missing, len(topic.weights), contradicted, strange)


def _terms(question: Question, named: Collection[str], language: str) -> Sequence[int]:
    if _WITH_WHOM.match(question.text):
        return [one for one in question.keys if one not in _LIVE] + keys("flatmate")
    found = _unspaced_terms(question.text, named, language) if language in _UNSPACED else question.keys
    if (
        language == "en"
        and _LOOKS_AFTER.search(question.text)
        and any(not _CARED.isdisjoint(kinds_of(one)) for one in found)
    ):
        return [*found, *keys("mind")]  # the words themselves are in every sentence
    if question.periods or not asks_for_one(question.text, language):
        return found
    if language == "en":
        return [*found, *JOB]
    if language not in _WITHOUT_CAPITALS:
        return JOB
    # Who is asked about may be named by any of the other words.
    return [*(one for one in found if one not in asking("job") and one not in generic(language)), *JOB]


def _unspaced_terms(text: str, named: Collection[str], language: str) -> Sequence[int]:
    return [one for word in _runs(text, named, language) for part in _parts(word) for one in keys_of(part)]


def _runs(text: str, named: Collection[str], language: str) -> Sequence[str]:
    """The words between names and words of asking: in Japanese without hiragana, in Korean without their endings."""
    for name in named:
        text = text.replace(name, " ")
    if language == "ja":
        text = _HIRAGANA.sub(" ", text)
    for word in _asking(language):
        text = text.replace(word, " ")
    if language == "ko":
        text = _ENDING.sub("", text)
    listed = _listed(language)
    return [word for run in _RUN.findall(text) for word in listed.split(run) if word]


def _parts(run: str) -> Sequence[str]:
    """A run of more than two unspaced signs as its pairs."""
    is_longer = len(run) > 2 and not run.isascii()
    return [run[at : at + 2] for at in range(len(run) - 1)] if is_longer else [run]


@cache
def _listed(language: str) -> regex.Pattern[str]:
    """The words of two signs that a language's lists have: where one stands, a run is parted."""
    lines = (line for section in ("answers", "kinds") for line in words(language).get(section, ()))
    found = {word for line in lines for word in _WORD.findall(line) if len(word) == 2}
    return regex.compile("(" + "|".join(sorted(found)) + ")") if found else regex.compile("(?!)")


@cache
def _asking(language: str) -> Sequence[str]:
    listed = (word for line in words(language)["generic"] for word in line.split())
    return sorted(listed, key=len, reverse=True)
