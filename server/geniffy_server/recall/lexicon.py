"""Word lists for judging what answers a question, one TOML file a language under `words/`, read when first needed.

`en.toml` says what each list holds. They are set by hand and reviewed like code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

import regex

from geniffy_server.recall.tokens import STOP_WORDS, key, keys

Wanted = Literal["who", "where", "when", "amount", "name", "polar", "why", "what"]

LANGUAGES: Final = ("en", "es", "fr", "de", "it", "ru", "zh", "ja", "ko", "hi", "ar", "he")
_LATIN: Final = LANGUAGES[:5]
_SCRIPTS: Final = (
    ("ja", regex.compile(r"[\p{Hiragana}\p{Katakana}]")),
    ("ko", regex.compile(r"\p{Hangul}")),
    ("zh", regex.compile(r"\p{Han}")),
    ("hi", regex.compile(r"\p{Devanagari}")),
    ("ar", regex.compile(r"\p{Arabic}")),
    ("he", regex.compile(r"\p{Hebrew}")),
    ("ru", regex.compile(r"\p{Cyrillic}")),
)
_WANTED: Final[Sequence[Wanted]] = ("name", "when", "where", "amount", "who", "why", "polar")
_WORD: Final = regex.compile(r"[\p{L}\p{M}]+")
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]+")
_OWN_SIGNS: Final = {"es": regex.compile("¿"), "de": regex.compile(r"(?<![\p{L}\p{M}])\p{Ll}*[äöüß]")}  # of no name
_ASKS: Final = 2  # how many common words the beginning of a question counts for


@cache
def words(language: str) -> Mapping[str, Any]:
    """Every section of one language's file."""
    text = resources.files("geniffy_server.recall").joinpath("words", f"{language}.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def pattern(language: str, section: str, name: str) -> regex.Pattern[str]:
    """The expressions of one list as one, between the ends of words; one that matches nothing when there are none."""
    listed: Sequence[str] = words(language).get(section, {}).get(name, ())
    if not listed:
        return regex.compile("(?!)")
    within = "|".join(listed)
    spaced = language not in ("zh", "ja", "ko")
    if not spaced:
        return regex.compile(f"(?:{within})", regex.IGNORECASE)
    if section == "asks":
        return regex.compile(rf"(?:{within})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{within})(?![\p{{L}}\p{{M}}\p{{N}}])", regex.IGNORECASE)


@cache
def generic(language: str) -> frozenset[int]:
    """The search keys of the words with which a question of this language asks, and which say nothing of what for."""
    return frozenset(
        one for line in words(language).get("generic", ()) for word in line.split() for one in keys_of(word)
    )


def keys_of(word: str) -> Sequence[int]:
    """The search keys of a listed word: one, or none for a stop word. A pair of unspaced signs is one key."""
    return [key(word)] if len(word) <= 2 and _UNSPACED.fullmatch(word) else keys(word)


def language_of_question(question: str) -> str:
    """One of LANGUAGES: by script, then by how the question begins and its common words; English when nothing tells."""
    for language, script in _SCRIPTS:
        if script.search(question):
            return language
    found = [word.casefold() for word in _WORD.findall(question)]
    signs = {language: sum(word in _common(language) for word in found) for language in _LATIN}
    for language in _LATIN:
        signs[language] += _ASKS * (wanted_by(question, language) != "what" or _asks_otherwise(question, language))
    return max(_LATIN, key=lambda language: (signs[language], language == "en"))


def _asks_otherwise(question: str, language: str) -> bool:
    """Whether a question begins as one for an occupation does, or holds signs of that language alone."""
    own = _OWN_SIGNS.get(language)
    return bool(pattern(language, "asks", "occupation").match(question) or (own and own.search(question)))


def wanted_by(question: str, language: str) -> Wanted:
    """What kind of answer the beginning of a question asks for; `what` where no list of `asks` says otherwise."""
    return next((wanted for wanted in _WANTED if pattern(language, "asks", wanted).match(question)), "what")


@cache
def _common(language: str) -> frozenset[str]:
    listed = {word for line in words(language).get("generic", ()) for word in line.split()}
    return frozenset(listed | STOP_WORDS if language == "en" else listed)
