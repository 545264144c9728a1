"""What somebody is to others by their work: whether a question asks for it, and whether a statement tells it.

The trades that people have are no closed list, so a statement tells one by its form: `Kim is our auditor`, `Camille est
dentiste`. The forms are in `words/`, by language; kinship, habits and beliefs, which look alike, are left out there.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

from geniffy_server.recall.lexicon import LANGUAGES, pattern
from geniffy_server.recall.tokens import keys

JOB: Final = keys("job")
"""The search keys that stand for an occupation where a question names none: `What does Kim do?`"""

_POSITION: Final = frozenset(keys("job role position occupation profession career title trade"))
_END: Final = r"\s*[?.!？。؟]*\s*$"


def asks_for_one(text: str, language: str) -> bool:
    """Whether a question asks what somebody does, without a word for it: `What does Kim do?`, `Que fait Camille ?`"""
    return any(_to_the_end(one).match(text.strip()) for one in {language, "en"})


def is_word_for_one(word: int) -> bool:
    """Whether a question's word, given as its search key, asks for somebody's occupation."""
    return word in _POSITION


@cache
def _to_the_end(language: str) -> regex.Pattern[str]:
    asked = pattern(language, "asks", "occupation")
    return regex.compile(asked.pattern + _END, asked.flags)


def tells_one(text: str) -> bool:
    """Whether a statement of any of the languages says what somebody is by their work."""
    return any(_tells(language).search(text) is not None for language in LANGUAGES)


def tells_workplace(text: str) -> bool:
    """Whether a statement of any of the languages says where somebody works without a word for it."""
    return any(pattern(language, "holds", "workplace").search(text) is not None for language in LANGUAGES)


@cache
def _tells(language: str) -> regex.Pattern[str]:
    return pattern(language, "holds", "occupation")
