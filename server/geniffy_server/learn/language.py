"""Which language a text is in, well enough to choose word lists: by script, then by common words and letters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.learn.lexicon import LANGUAGES, word_set

_SCRIPTS: Final = tuple(
    (language, regex.compile(pattern))
    for language, pattern in (
        ("ja", r"[\p{Hiragana}\p{Katakana}]"),
        ("zh", r"\p{Han}"),
        ("hi", r"\p{Devanagari}"),
        ("ar", r"\p{Arabic}"),
        ("he", r"\p{Hebrew}"),
        ("ru", r"\p{Cyrillic}"),
    )
)
_LETTER: Final = regex.compile(r"\p{L}")
_WORD: Final = regex.compile(r"\p{L}+")
_LATIN: Final = tuple(language for language in LANGUAGES if language in ("en", "es", "fr", "de", "it"))
_LOOKED_AT: Final = 2_000  # characters from the beginning are enough


def language_of(text: str) -> str:
    """One of `lexicon.LANGUAGES`; English when nothing in `text` says otherwise."""
    return evidence_of(text)[0]


def evidence_of(text: str) -> tuple[str, float]:
    """The language and how many signs of it there are; 0 when the choice of English is only the default."""
    text = text[:_LOOKED_AT]
    letters = len(_LETTER.findall(text))
    for language, script in _SCRIPTS:
        share = 6 if language == "ja" else 3  # Japanese of many Chinese characters: 祖父の誕生日は十一月三日です
        if letters and (count := len(script.findall(text))) * share >= letters:
            return language, count
    found = _WORD.findall(text.lower())
    signs: dict[str, float] = dict.fromkeys(_LATIN, 0.0)
    common = _common()
    for word in found:
        for language in common.get(word, ()):
            signs[language] += 1
    if not text.isascii():
        for language in _LATIN:
            signs[language] += 0.5 * sum(letter in text for letter in _letters(language))
    best = max(signs, key=lambda language: (signs[language], language == "en"))
    return best, signs[best]


@lru_cache(maxsize=20_000)
def possible_languages(text: str) -> frozenset[str]:
    """The languages whose script stands in a text: what reads sentences of the others can be left out."""
    return frozenset(language for language, script in _SCRIPTS if script.search(text)) | (
        frozenset(_LATIN) if _LATIN_LETTER.search(text) else frozenset()
    )


_LATIN_LETTER: Final = regex.compile(r"\p{Latin}")


@cache
def _common() -> Mapping[str, tuple[str, ...]]:
    """A common word, and the languages that it is common in."""
    languages: dict[str, tuple[str, ...]] = {}
    for language in _LATIN:
        for word in word_set("language", "common", language):
            languages[word] = (*languages.get(word, ()), language)
    return languages


@cache
def _letters(language: str) -> frozenset[str]:
    return word_set("language", "letters", language)
