"""What someone had or was part of, and gave up: `drives a Golf`, `sold the Golf and bought a Tesla`.

Only what was had can be sold, and only a firm, a school or a club that one belongs to is left for good: who plays the
piano may sell one, and who works at the library leaves it every evening.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.change.states import is_head, tail_of
from geniffy_server.learn.language import possible_languages
from geniffy_server.learn.lexicon import LANGUAGES, listed, word_set

LONGEST: Final = 90  # characters; what is longer says more
_KEPT: Final = 20_000  # statements of which it is kept what they give up
_MORE: Final = 4  # words that a held statement may say of the thing beside its name


@dataclass(frozen=True, slots=True)
class Had:
    """A `thing` that is had or a `place` that one belongs to: its words in order, as they are written but for case."""

    sort: str
    words: tuple[str, ...]
    language: str


def is_given_up(held: str, held_about: str | None, new: str, new_about: str | None) -> bool:
    """Whether the newer statement says that what the held one tells of was given up."""
    lost = given_up(new, new_about)
    return bool(lost) and any(_is_one(had, gone) for had in had_in(held, held_about) for gone in lost)


@lru_cache(maxsize=_KEPT)
def had_in(text: str, about: str | None) -> tuple[Had, ...]:
    """What a statement says that its subject has or belongs to; empty for most."""
    return tuple(_read(text, about, "has"))


@lru_cache(maxsize=_KEPT)
def given_up(text: str, about: str | None) -> tuple[Had, ...]:
    """What a statement says that its subject gave up; empty for most."""
    return tuple(_read(text, about, "gave"))


def is_gone(held: str, held_about: str | None, new: str) -> bool:
    """Whether what the held statement tells of died or was lost by the newer one: `a dog called Rex`, `Rex died`.

    It has that thing's name, or says whose it was.
    """
    lost = gone(new)
    if lost is None:
        return False
    whose, named = lost
    for had in had_in(held, held_about):
        if had.sort != "thing" or word_set("given_up", "joins", had.language) & set(had.words):
            continue
        is_named = (
            not whose and had.words[-len(named) :] == named and bool(set(had.words) & word_set("given_up", "called"))
        )
        is_theirs = whose == (OWNER.casefold() if held_about == OWNER else (held_about or "").casefold())
        if is_named or (whose and is_theirs and had.words[-len(named) :] == named):
            return True
    return False


def has_named(text: str, about: str | None) -> bool:
    """Whether a statement names what its subject has, which may be gone already: `a dog called Rex`."""
    return any(set(had.words) & word_set("given_up", "called") for had in had_in(text, about))


@lru_cache(maxsize=_KEPT)
def gone(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Whose it was, the owner's or a name's or nobody's, and the words of what died or was lost; None for most."""
    for pattern in _gone() if len(text) <= LONGEST else ():
        found = pattern.fullmatch(text)
        if found is None or tail_of(found["rest"] or "", 0) != "":
            continue
        whose = OWNER if found["mine"] else (found["whose"] or "")
        named = tuple(_WORD.findall(found["what"].casefold()))
        if whose or found["what"][:1].isupper():
            return whose.casefold(), named
    return None


@cache
def _gone() -> list[regex.Pattern[str]]:
    mine = "|".join(listed("change", "whose"))
    whose = rf"(?P<mine>{mine}) |(?P<whose>(?-i:\p{{Lu}})\p{{L}}+)['’]s "
    return [
        regex.compile(rf"(?:{whose})?(?P<what>\p{{L}}+) (?:{one})(?P<rest>(?: .*)?)[\s.!]*", regex.IGNORECASE)
        for one in listed("given_up", "gone")
    ]


def _is_one(had: Had, gone: Had) -> bool:
    """Whether what went is all of what was had: `the Panda` of `an old Fiat Panda`, not `the car` of two cars."""
    if had.sort != gone.sort or had.language != gone.language:
        return False
    if len(had.words) - len(gone.words) > _MORE or not _holds(had, gone):
        return False
    if had.words[0] in word_set("given_up", "several", had.language) or had.words[0].isdigit():
        return had.words[-1] == gone.words[-1] and gone.words[-1].endswith("s")
    return not word_set("given_up", "joins", had.language) & set(had.words)


def _holds(had: Had, gone: Had) -> bool:
    if _SPACELESS.search(had.words[0]):
        return "".join(had.words).endswith("".join(gone.words))
    if had.language in _INFLECTED:
        return all(any(_share_a_stem(one, word) for one in had.words) for word in gone.words)
    return set(gone.words) <= set(had.words)


def _share_a_stem(one: str, other: str) -> bool:
    least = max(3, min(len(one), len(other)) - 2)
    return one[:least] == other[:least]


def _read(text: str, about: str | None, side: str) -> Iterator[Had]:
    if len(text) > LONGEST:
        return
    possible = possible_languages(text)
    for sort, language, pattern in _patterns(side):
        found = pattern.fullmatch(text) if language in possible else None
        if found is None or not is_head(found["head"], about) or _CLOCK.search(found["what"]):
            continue
        named = tuple(_WORD.findall(_OWN.sub("", tail_of(_SEASON.sub("", found["what"]), 0) or "").casefold()))
        if named and named[0] not in word_set("given_up", "pronouns", language):
            yield Had(sort, named, language)


_INFLECTED: Final = frozenset({"ru"})  # languages whose nouns end otherwise where they are sold
_SEASON: Final = regex.compile(r" in (?:the )?(?:spring|summer|autumn|fall|winter)$", regex.IGNORECASE)
_OWN: Final = regex.compile(r"(?<=\p{Ll})['’]s\b(?=$)")
_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_SPACELESS: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_CLOCK: Final = regex.compile(r"\d[:.]\d|\b(?:at|um|à|a las|alle|around|early|late)\b", regex.IGNORECASE)


@cache
def _patterns(side: str) -> list[tuple[str, str, regex.Pattern[str]]]:
    """The sort, language and pattern of each sentence that has or gives up something."""
    made = []
    for language in LANGUAGES:
        definite = "|".join(listed("given_up", "definite", language))
        indefinite = "|".join(listed("given_up", "indefinite", language))
        then = "|".join(listed("given_up", "then", language)) or "(?!)"
        for sort in ("thing", "place"):
            for raw in listed("given_up", f"{side}_{sort}", language):
                one = raw.replace("{a}", rf"(?:(?:{indefinite}|{definite}) )?").replace("{what}", r"(?P<what>.{1,60}?)")
                one = one.replace("{the}", rf"(?:(?:{definite}) ?|(?=(?-i:\p{{Lu}})))")
                one = one.replace("{name}", r"(?=(?-i:\p{Lu}))(?P<what>.{1,60}?)")
                more = rf"(?:,? (?:{then})(?: .+)?)?" if side == "gave" else ""
                if "(?=" in raw:
                    more = ".{0,60}"  # what it looks ahead to
                front = "" if _SPACELESS.search(raw) else r"(?<![\p{L}\p{M}])"
                whole = rf"(?P<head>.{{0,60}}?){front}(?:{one}){more}[\s.!。！]*"
                made.append((sort, language, regex.compile(whole, regex.IGNORECASE)))
    return made
