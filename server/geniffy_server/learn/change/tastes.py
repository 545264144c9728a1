"""What someone likes or can't stand, read from a sentence that says no more than that.

The whole of what is liked counts: who can't stand opera glasses may well enjoy opera.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.learn.change.states import is_head
from geniffy_server.learn.language import possible_languages
from geniffy_server.learn.lexicon import LANGUAGES, listed

LONGEST: Final = 90  # characters; what is longer says more
_KEPT: Final = 20_000  # statements of which it is kept what they like


@dataclass(frozen=True, slots=True)
class Taste:
    """`of` is what is liked, or where `likes` is False disliked, as it is written but for words such as "any more".

    `strongly`: loved, or hated.
    """

    likes: bool
    of: str
    strongly: bool


@lru_cache(maxsize=_KEPT)
def taste(text: str, about: str | None) -> Taste | None:
    """The one taste that a statement is about; None for most statements."""
    if len(text) > LONGEST:
        return None
    possible = possible_languages(text)
    for likes, language, pattern in _patterns():
        found = pattern.search(text) if language in possible else None
        if found is not None and is_head(text[: found.start()], about):
            of = _tails().sub("", found["of"]).strip(" .!,。！")
            verb = text[found.start() : found.start("of")] + text[found.end("of") :]
            return Taste(likes, of, _strong().search(verb) is not None) if of else None
    return None


@cache
def _patterns() -> Sequence[tuple[bool, str, regex.Pattern[str]]]:
    """Whether it likes, its language and its pattern; what dislikes comes first, as `do not like` holds a `like`."""
    made = []
    for language in LANGUAGES:
        for key in ("dislikes", "likes"):
            for raw in listed("tastes", key, language):
                front = "" if _SPACELESS.search(raw) else r"(?<![\p{L}\p{M}])"
                one = raw.replace("{of}", r"(?P<of>.+?)")
                made.append(
                    (key == "likes", language, regex.compile(rf"{front}(?:{one})[\s.!。！]*$", regex.IGNORECASE))
                )
    return made


_SPACELESS: Final = regex.compile(r"[\p{Han}\p{Hiragana}]|^\{of\}")


@cache
def _strong() -> regex.Pattern[str]:
    return regex.compile("|".join(listed("tastes", "strong")), regex.IGNORECASE)


@cache
def _tails() -> regex.Pattern[str]:
    spaced = "|".join(listed("tastes", "tails"))
    return regex.compile(rf"(?:[\s,]+(?:{spaced})[\s.!]*)+$|^(?:(?:{spaced})\s+)+|了[。！]*$", regex.IGNORECASE)
