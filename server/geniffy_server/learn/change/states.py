"""What a statement says of the attributes that have one value at a time: where someone lives, works, reports to.

A state is read only where the sentence is little more than that: its subject, the words that give the attribute, the
value, and when. `I met a man who lives in Faro` and `I want to move to Cork` give nobody a home.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.domain.text import folded
from geniffy_server.learn.dates.spoken import find
from geniffy_server.learn.language import possible_languages
from geniffy_server.learn.lexicon import LANGUAGES, listed, word_set, words

LONGEST: Final = 160  # characters; what is longer says more than a state
_KEPT: Final = 20_000  # statements whose states are kept, as those of `changes.statement` are


@dataclass(frozen=True, slots=True)
class State:
    """One attribute and its value, as folded words.

    `changes`: the words say that it came to be so ("moved to"). `loose`: they may give another attribute as well, as
    `trabaja en` does a city or a firm. `is_whole`: the sentence says nothing else that would be lost with it.
    `language` is that of the words which give the attribute.
    """

    attribute: str
    value: frozenset[str]
    changes: bool
    loose: bool
    is_whole: bool
    language: str


@lru_cache(maxsize=_KEPT)
def states(text: str, about: str | None) -> tuple[State, ...]:
    """The states that a statement gives its subject; empty for most sentences."""
    if len(text) > LONGEST:
        return ()
    return tuple(_states(text, about))


def differ(held: State, new: State) -> bool:
    """Whether both give one attribute another value, neither of them a part or a closer name of the other's."""
    if held.attribute != new.attribute or held.value <= new.value or new.value <= held.value:
        return False
    if _is_address(new) and not _is_address(held):
        return False  # 9 Church Street may well be in Dublin
    return new.changes or not is_wider(held, new)


def is_wider(held: State, new: State) -> bool:
    """Whether just one of two values is the name of a region: who lives in Portugal may live in Lisbon."""
    wide = word_set("states", "wide")
    return (" ".join(sorted(held.value)) in wide) != (" ".join(sorted(new.value)) in wide)


def _is_address(state: State) -> bool:
    return any(word[0].isdigit() for word in state.value)


_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")


def _states(text: str, about: str | None) -> Iterator[State]:
    possible = possible_languages(text)
    for attribute, changes, loose, alone, language, pattern in _patterns():
        found = pattern.search(text) if language in possible else None
        if found is None or not is_head(text[: found.start()], about):
            continue
        tail = tail_of(text, found.end())
        if tail is None or (tail and alone) or (attribute == "age" and about is None):
            continue
        if (who := found.groupdict().get("who")) is not None and folded(who) != folded(about or ""):
            continue
        value = _value(found["value"])
        if value and not (attribute in _PLACES and value & word_set("states", "not_places")):
            yield State(attribute, value, changes, loose, not tail or _is_company(attribute, tail), language)


def _value(words_of_it: str) -> frozenset[str]:
    """The words that tell one value from another; a town that has two names has one of them here."""
    named = _exonyms()
    found = _WORD.findall(folded(words_of_it))
    return frozenset(named.get(word, word) for word in found) - word_set("states", "articles") - _heads()


@cache
def _exonyms() -> Mapping[str, str]:
    return dict(pair.split(" ", 1) for pair in listed("states", "exonyms"))


def _is_company(attribute: str, tail: str) -> bool:
    """Whether what is left says with whom someone lives, which is over when they move."""
    return attribute == "residence" and _with_own().fullmatch(tail) is not None


@cache
def _with_own() -> regex.Pattern[str]:
    many = "|".join(listed("states", "with_own"))
    return regex.compile(rf"(?:{many}) (?:\p{{L}}+ ){{0,2}}\p{{L}}+", regex.IGNORECASE)


def tail_of(text: str, start: int) -> str | None:
    """What a statement goes on to say beside when; None where that may limit it to a season, a place or a condition."""
    tail = text[start:]
    if not tail.strip(_MARKS):
        return ""
    if _limits().search(tail):
        return None
    return _adverbs().sub(" ", _undated(tail)).strip(_MARKS)


_MARKS: Final = " \t\n.!,;:。、，！।"
_ANY_DAY: Final = date(2026, 1, 1)


def is_head(head: str, about: str | None) -> bool:
    """Whether what stands before the attribute is its subject and no more."""
    known = _heads() | set(_WORD.findall(folded(about or "")))
    if not _words(head) - known:
        return True
    # Next month is not yet.
    return _limits().search(head) is None and _words(_undated(head)) <= known | word_set("states", "since")


def _words(head: str) -> set[str]:
    return set(_WORD.findall(folded(_heads_of_cjk().sub(" ", head))))


def _undated(text: str) -> str:
    for first, last, _ in reversed(find(text, _ANY_DAY)):
        text = text[:first] + " " + text[last:]
    return text


@cache
def _heads() -> frozenset[str]:
    return frozenset(folded(word) for word in listed("states", "heads"))


@cache
def _heads_of_cjk() -> regex.Pattern[str]:
    return regex.compile("|".join(sorted(listed("states", "heads_cjk"), key=len, reverse=True)) or "(?!)")


@cache
def _limits() -> regex.Pattern[str]:
    plain = "|".join(listed("states", "limits"))
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{plain})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)


@cache
def _adverbs() -> regex.Pattern[str]:
    spaced = "|".join(word for word in listed("states", "adverbs") if not _SPACELESS.match(word))
    cjk = "|".join(word for word in listed("states", "adverbs") if _SPACELESS.match(word))
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{spaced})(?![\p{{L}}\p{{M}}])|{cjk}", regex.IGNORECASE)


_SPACELESS: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")

# A name in a script with capitals: `Porto`, `Rio de Janeiro`, `Porto, Portugal`, `14 Mill Lane`, `a flat in Turin`.
_CAPITAL: Final = r"(?-i:(?!I\b)\p{Lu}[\p{L}\p{M}\p{N}'’.&-]*(?<!\.))"
_NAME: Final = rf"{_CAPITAL}(?:,? (?:(?:de|del|della|do|da|la|le|of|am|an der|sur|upon|the) )?{_CAPITAL})*"
_PLACE: Final = (
    rf"(?:(?:an?|the|une?|ein\p{{L}}*|una?) (?:\p{{Ll}}+ ){{1,3}}?(?:in|near|outside|à|en|a) )?(?:\d+\p{{L}}? )?{_NAME}"
)
_VALUES: Final[Mapping[str, str]] = {
    "{name}": rf"(?P<value>(?:the )?{_NAME})",
    "{place}": rf"(?P<value>{_PLACE})",
    "{cjk}": r"(?P<value>[\p{Han}\p{Katakana}\p{Latin}ー]{1,12}?)",
    "{word}": r"(?P<value>[\p{L}\p{M}]+(?: [\p{L}\p{M}]+)?)",  # scripts without capitals; the tail tells its end
    "{team}": r"(?P<value>[\p{L}\p{N}][\p{L}\p{N}&-]*(?: [\p{L}\p{N}&-]+){0,2}?)",
    "{others}": r"[\p{L}\p{N}& -]{1,30}?",
    "{one}": r"(?P<value>[\p{L}\p{M}]+)",
    "{school}": rf"(?P<value>(?:the )?(?:{_CAPITAL} ){{1,3}}{{schools}})",
    "{age}": r"(?P<value>\p{N}{1,3})(?![\p{N}.,:%€$£-]*\p{N}| ?[%€$£])",
}
# Words of lists, where a value is one of them.
_OF_LISTS: Final[Mapping[str, tuple[str, str]]] = {
    "{department}": ("states", "departments"),
    "{occupation}": ("endings", "occupations"),
    "{rank}": ("states", "ranks"),
    "{schools}": ("states", "schools"),
}


@cache
def _patterns() -> Sequence[tuple[str, bool, bool, bool, str, regex.Pattern[str]]]:
    """(attribute, whether it changes, is loose, must stand alone, language, pattern) of every language."""
    made = []
    for language in LANGUAGES:
        for key, many in words(language).get("states", {}).items():
            if key in _LISTS:
                continue
            name = key.removesuffix("_alone")
            attribute = name.removesuffix("_changed").removesuffix("_loose")
            alone = name != key or attribute in _ALONE
            for raw in many:
                one = raw
                for sign, value in _VALUES.items():
                    one = one.replace(sign, value)
                for sign, (section, kept) in _OF_LISTS.items():
                    if sign in one:
                        one = one.replace(sign, rf"(?:{'|'.join(listed(section, kept, language))})(?![\p{{L}}\p{{M}}])")
                front = "" if _SPACELESS.search(raw) else r"(?<![\p{L}\p{M}])"
                pattern = regex.compile(rf"{front}(?:{one})", regex.IGNORECASE)
                made.append((attribute, name.endswith("_changed"), name.endswith("_loose"), alone, language, pattern))
    return made


_ALONE: Final = frozenset({"department", "occupation", "age", "school"})  # whose words often mean something else
_PLACES: Final = frozenset({"residence", "place", "birthplace"})
_LISTS: Final = frozenset(
    {
        "not_places", "heads", "heads_cjk", "limits", "adverbs", "articles", "wide", "since", "exonyms", "with_own",
        "departments", "ranks", "schools",
    }
)  # fmt: skip
