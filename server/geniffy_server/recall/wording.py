"""Whether two memories are wordings of one statement: for showing them as one, never for merging or retiring them."""

from __future__ import annotations

from typing import Final

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.domain.text import folded
from geniffy_server.recall.preferences import gist, is_one_preference
from geniffy_server.recall.tokens import keys

# Alike by cosine: at .75, 25 of 37 groups of preferences were right; other facts differ by a word more often.
LEAST_ALIKE: Final = 0.75
_FACT: Final = 0.88
_SHARED_WORDS: Final = 0.6

_NEGATION: Final = regex.compile(
    r"n['’]t\b|\b(?:not|never|no|without|hates?|dislikes?|stopped|nicht|kein\p{L}*|nunca|pas|non)\b|不|没|ない|ません",
    regex.IGNORECASE,
)
_VALUE: Final = regex.compile(r"(?<=[^.!?\s]\s+)\p{Lu}[\p{L}\p{M}]+|\p{N}+")
_COMPARES: Final = regex.compile(r"\b(?:over|than|to|before|after|instead)\b", regex.IGNORECASE)


def says_the_same(one: Memory, other: Memory, cosine: float | None = None) -> bool:
    """Whether both say one thing of one subject; `cosine` is that of their vectors, None when it is not known.

    Vectors alone can't tell: `I prefer tea over coffee` lies at .99 from its reverse, Monday from Tuesday as well. So
    other numbers, names, days, polarity or order make two statements, and so does one word in another's place.
    """
    if is_one_preference(one, other):
        return True
    if one.about != other.about or "clash" in (one.status, other.status) or one.spoken != other.spoken:
        return False
    if len(_NEGATION.findall(one.text)) % 2 != len(_NEGATION.findall(other.text)) % 2:
        return False
    if _values(one) != _values(other):
        return False
    if gist(one.text) is not None or gist(other.text) is not None:
        return False  # a preference and something else
    words, other_words = keys(one.text), keys(other.text)
    left, right = set(words), set(other_words)
    if left == right:
        return words == other_words or not (_COMPARES.search(one.text) or _COMPARES.search(other.text))
    if len(left - right) == len(right - left) == 1:
        return False
    is_of_liking = one.kind == other.kind == "pref"
    if is_of_liking and (left < right or right < left):
        return False  # green tea is not tea
    if cosine is None:
        return len(left & right) >= _SHARED_WORDS * len(left | right)
    return cosine >= (LEAST_ALIKE if is_of_liking else _FACT)


def _values(memory: Memory) -> set[str]:
    return {folded(value) for value in _VALUE.findall(memory.text)} - set(folded(memory.about or "").split())
