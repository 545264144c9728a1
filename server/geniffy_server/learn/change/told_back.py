"""Lines in which an app gives back what a memory told it: `You told me that …`, a list with dates, a JSON of results.

Such a line is evidence of nothing: it says again what is held, in words that turn `I` into `you`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Final

import regex

from geniffy_server.learn.change.statements import statement
from geniffy_server.learn.lexicon import listed, word_set

_LONGEST: Final = 400  # characters


def told_back(line: str) -> tuple[str, ...] | None:
    """The words of a statement that a line gives back, to compare with `words_of`; None for an ordinary line.

    A line gives something back when it opens with words such as "you told me that", carries a citation, or speaks to or
    of the user.
    """
    if len(line) > _LONGEST:
        return None
    lead = _lead().match(line)
    said = line[lead.end() :] if lead else line
    if lead is None and not _of_user().search(said) and not _SAID_ON.search(said):
        return None
    return words_of(said)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a statement without those that say who is speaking to whom; empty for a text without any."""
    one = statement(_SAID_ON.sub("", text))
    people = word_set("told_back", "people")
    kept = [word for word in one.tokens if word not in people and word not in word_set("change", "empty_words")]
    return (*kept, "not") if one.is_negated and kept else tuple(kept)


def says_again(sentence: str, words: tuple[str, ...]) -> bool:
    """Whether a sentence holds all the words of a statement, whoever speaks to whom; of two words, those alone."""
    held = words_of(sentence)
    if len(words) > 2:
        return set(words) <= set(held)
    back = told_back(sentence)
    return bool(words) and words in (held, back)


def is_citation(line: str) -> bool:
    """Whether a line is no more than where or when something was said: `(said 2026-01-05)`, `[memory:12]`."""
    return _CITATION.fullmatch(line) is not None and regex.search(r"\d|memory:|source:", line) is not None


def printed_values(text: str) -> Sequence[str]:
    """The statements in a result that a program printed as JSON, in order; empty for any other text."""
    if not _JSON.search(text):
        return []
    found = []
    for one in _TEXT_OF.finditer(text):
        try:
            value = json.loads(f'"{one["value"]}"')
        except ValueError:
            continue
        if isinstance(value, str) and value.strip():
            found.append(value.strip())
    return found


_JSON: Final = regex.compile(r'^\s*(?:```(?:json)?\s*)?[\[{}\],]|"(?:id|text|title|memory)"\s*:')
_TEXT_OF: Final = regex.compile(
    r'"(?:text|title|quote|content|memory|answer|statement)"\s*:\s*"(?P<value>(?:[^"\\]|\\.){1,2000})"'
)
_SAID_ON: Final = regex.compile(
    r"\s*[(\[](?:said |on |from |source:? ?|learned )*(?:\d{4}-\d\d-\d\d[^)\]]{0,20}|(?:memory|source):\w+)[)\]]\.?\s*$"
    r"|^\s*(?:[-*•]|\d{1,3}[.)])?\s*[(\[]?(?:memory|source):\w+[)\]]?[:.,]?\s*",
    regex.IGNORECASE,
)
_CITATION: Final = regex.compile(
    r"[\s()\[\]{}\",;:.—–-]*(?:(?:said|on|from|source|learned|memory|id|at|date|dated)\b[\s:=]*|memory:\w+|source:\w+|"
    r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]+)?|[\s()\[\]{}\",;:.—–-])+",
    regex.IGNORECASE,
)


@cache
def _lead() -> regex.Pattern[str]:
    many = "|".join(listed("told_back", "leads"))
    return regex.compile(
        rf"\s*(?:(?:{many})(?![\p{{L}}\p{{M}}])[\s,:—–-]*)+(?:(?:that|dass|que|che|что)\b\s*)?", regex.IGNORECASE
    )


@cache
def _of_user() -> regex.Pattern[str]:
    many = "|".join(listed("told_back", "of_user"))
    return regex.compile(rf"^\W*(?:{many})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)
