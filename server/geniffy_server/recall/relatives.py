"""Relatives named from the other side: who has a son Ollie is Ollie's mother, where she is a sister of somebody.

A mother is asked for, and what was told names a son: neither the word nor its kind stands there. So a statement that
gives the one who is asked about as the relative of another answers, when that other can be what is asked for: whoever
is nowhere called by a word for a woman is nobody's mother here. The words are in the section `relatives` of `words/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import regex

from geniffy_server.domain.memory import Memory, MemoryId
from geniffy_server.recall.lexicon import generic, language_of_question, pattern, wanted_by, words
from geniffy_server.recall.tokens import STOP_WORDS, keys

Sex = Literal["female", "male", "any"]

_CAPITALS: Final = frozenset({"en", "es", "fr", "de", "it", "ru"})
_UNSPACED: Final = frozenset({"zh", "ja", "ko"})
_LETTER: Final = regex.compile(r"\p{L}")
_HIRAGANA: Final = regex.compile(r"\p{Hiragana}")
_SPOKEN: Final = regex.compile(r"\p{L}[\p{L}\p{M} .'’-]{0,40}: ")
_PRONOUNS: Final = STOP_WORDS | {"er", "sie", "wir", "il", "elle", "él", "ella", "lui", "lei", "on"}
_SENTENCE: Final = regex.compile(r"(?<=[.!?。！？।])\s*")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """`whose` relative is asked for; one who has `whose` as one of `told` is it, by the sex that the word needs."""

    whose: str
    told: Mapping[str, Sex]


def named_from_the_other_side(question: str, memories: Sequence[Memory]) -> frozenset[MemoryId]:
    """The memories that tell whose relative the named one is, where a question asks who is that one's relative.

    `Ana has a son, Ollie` for `Who is Ollie's mother?`, if any of `memories` calls Ana by a word for a woman. Empty for
    every other question.
    """
    language = language_of_question(question)
    wanted = _wanted(question, language)
    if wanted is None:
        return frozenset()
    found = set()
    for memory in memories:
        for owner, needed in _owners(wanted, memory.text, language):
            if needed == "any" or _sexes(owner, memories, language) == {needed}:
                found.add(memory.id)
    return frozenset(found)


def _wanted(question: str, language: str) -> _Wanted | None:
    """Whose relative a question asks for, and nothing else; None where it asks for anything more."""
    if wanted_by(question, language) not in ("who", "name") and "called" not in question:
        return None
    for asking in _questions(language):
        match = asking.search(question)
        if match is None or not _only_asks(f"{question[: match.start()]} {question[match.end() :]}", language):
            continue
        told: dict[str, Sex] = {}
        for sex, asked, telling in _rows(language):
            if match["kin"].casefold() in asked:
                told |= dict.fromkeys(telling, sex)
        if told:
            return _Wanted(match["name"], told)
    return None


def _only_asks(rest: str, language: str) -> bool:
    """Whether what is left of a question only asks who that is."""
    if language == "ja":
        rest = _HIRAGANA.sub("", rest)
    rest = pattern(language, "relatives", "asking").sub(" ", rest)
    if language in _UNSPACED:
        return _LETTER.search(rest) is None
    return set(keys(rest)) <= generic(language)


def _owners(wanted: _Wanted, text: str, language: str) -> Iterable[tuple[str, Sex]]:
    """Who has the one that is asked about as a relative, and the sex they need to be what is asked for."""
    if wanted.whose not in text:
        return
    speaker = text.partition(": ")[0] if _SPOKEN.match(text) else ""  # of a talk; nobody's name in a note
    for sentence in _SENTENCE.split(text):
        for telling in _statements(language, wanted.whose):
            for match in telling.finditer(sentence):
                needed = wanted.told.get(match["kin"].casefold())
                owner = match.groupdict().get("owner") or speaker
                if needed is not None and owner != wanted.whose and owner.casefold() not in _PRONOUNS:
                    yield owner, needed


def _sexes(name: str, memories: Iterable[Memory], language: str) -> set[Sex]:
    """What the words right before or behind a name call it in any of the memories."""
    called: set[Sex] = set()
    if not name:
        return called
    for telling in _callings(language, name):
        for memory in memories:
            for match in telling.finditer(memory.text):
                called.add(_sex_of(language).get(match["kin"].casefold(), "any"))
    return called - {"any"}


@cache
def _rows(language: str) -> Sequence[tuple[Sex, frozenset[str], frozenset[str]]]:
    found: list[tuple[Sex, frozenset[str], frozenset[str]]] = []
    for line in words(language)["relatives"]["rows"]:
        sex, _, rest = line.partition(":")
        asked, _, telling = rest.partition("|")
        assert sex in ("female", "male", "any")
        found.append((sex, frozenset(_listed(asked)), frozenset(_listed(telling))))
    return found


@cache
def _sex_of(language: str) -> Mapping[str, Sex]:
    """The words for a relative that say whether it is a woman or a man."""
    relatives = words(language)["relatives"]
    sexes: Sequence[Sex] = ("female", "male")
    return {word: sex for sex in sexes for word in _listed(" ".join(relatives[sex]))}


def _listed(line: str) -> list[str]:
    return [word.replace("_", " ") for word in line.split()]


def _any_of(listed: Iterable[str]) -> str:
    return "(?P<kin>" + "|".join(map(regex.escape, sorted(listed, key=len, reverse=True))) + ")"


def _compiled(language: str, expression: str) -> regex.Pattern[str]:
    if language in _UNSPACED:
        return regex.compile(expression, regex.IGNORECASE)
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{expression})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)


def _some_name(language: str, group: str) -> str:
    if language in _CAPITALS:
        return rf"(?P<{group}>(?-i:\p{{Lu}})[\p{{L}}\p{{M}}-]+?)"
    return rf"(?P<{group}>[\p{{L}}\p{{M}}]+?)"


@cache
def _questions(language: str) -> Sequence[regex.Pattern[str]]:
    kin = _any_of({word for _, asked, _ in _rows(language) for word in asked})
    listed = words(language)["relatives"]["owned"]
    name = _some_name(language, "name")
    return [_compiled(language, one.replace("NAME", name).replace("KIN", kin)) for one in listed]


def _statements(language: str, whose: str) -> Sequence[regex.Pattern[str]]:
    kin = _any_of({word for _, _, telling in _rows(language) for word in telling})
    listed = words(language)["relatives"]["told"]
    owner = _some_name(language, "owner")
    return [
        _compiled(language, one.replace("OWNER", owner).replace("NAME", regex.escape(whose)).replace("KIN", kin))
        for one in listed
    ]


def _callings(language: str, name: str) -> Sequence[regex.Pattern[str]]:
    kin = _any_of(_sex_of(language))
    listed = words(language)["relatives"]["called"]
    return [_compiled(language, one.replace("NAME", regex.escape(name)).replace("KIN", kin)) for one in listed]
