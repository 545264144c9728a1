"""Word lists, one TOML file a language under `words/`, read when first asked for and kept.

A file has sections of keys with lists of strings: plain words, or fragments of regular expressions where the key's
user says so. English is `en`; the others are listed in `LANGUAGES`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Final

import regex

LANGUAGES: Final = ("en", "es", "fr", "de", "it", "ru", "zh", "ja", "hi", "ar", "he")

Sections = Mapping[str, Mapping[str, tuple[str, ...]]]


@cache
def words(language: str) -> Sections:
    """Every section of one language's file."""
    text = resources.files("geniffy_server.learn").joinpath("words", f"{language}.toml").read_text("utf-8")
    raw = tomllib.loads(text)
    return {section: {key: tuple(listed) for key, listed in keys.items()} for section, keys in raw.items()}


@cache
def listed(section: str, key: str, language: str | None = None) -> tuple[str, ...]:
    """The list at a section's key, of one language or of all in turn without repeats; empty when there is none."""
    languages = LANGUAGES if language is None else (language,)
    return tuple(dict.fromkeys(word for one in languages for word in words(one).get(section, {}).get(key, ())))


@cache
def word_set(section: str, key: str, language: str | None = None) -> frozenset[str]:
    """Like `listed`, for asking whether a word is in it."""
    return frozenset(listed(section, key, language))


@cache
def keyed(section: str) -> Mapping[str, str]:
    """Word to key of a section such as the months, over all languages; the first language that has a word wins."""
    keys: dict[str, str] = {}
    for language in LANGUAGES:
        for key, many in words(language).get(section, {}).items():
            for word in many:
                keys.setdefault(word, key)
    return keys


@cache
def numbered(section: str) -> Mapping[str, int]:
    """Like `keyed`, of a section whose keys are whole numbers."""
    return {word: int(key) for word, key in keyed(section).items()}


def alternatives(many: Iterable[str]) -> str:
    """An expression that matches any of these words as they stand, the longest first."""
    return "|".join(sorted((regex.escape(word) for word in many), key=len, reverse=True))


@cache
def fragments(section: str, key: str, language: str | None = None, flags: int = regex.IGNORECASE) -> regex.Pattern[str]:
    """One pattern of the fragments listed at `key`, and of those at `key_words` between word boundaries.

    It matches nothing when there are none.
    """
    between = "|".join(listed(section, f"{key}_words", language))
    whole = [*listed(section, key, language), *([rf"\b(?:{between})\b"] if between else [])]
    return regex.compile("|".join(whole) or "(?!)", flags)
