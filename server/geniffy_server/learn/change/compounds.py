"""Sentences of two statements, where one of them may change alone: `I live in Berlin and I love hiking`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import regex

from geniffy_server.learn.change.named_values import names_a_role
from geniffy_server.learn.change.states import states
from geniffy_server.learn.lexicon import listed

LONGEST: Final = 200  # characters
_LEAST_WORDS: Final = 3  # of a clause


def clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of a sentence's clauses where each stands alone and one gives an attribute its value; else its own.

    Only such sentences are parted: what belongs together is found and read better together.
    """
    if end - start > LONGEST:
        yield start, end
        return
    for found in _joint().finditer(text, start, end):
        first, second = text[start : found.start()], text[found.end() : end]
        is_parted = ";" in found.group()  # Helen left; Raj is my boss
        if len(first.split()) < _LEAST_WORDS - is_parted or len(second.split()) < _LEAST_WORDS:
            continue
        if _gives_state(first) or _gives_state(second) or (is_parted and names_a_role(second.strip())):
            yield start, found.start()
            yield found.end(), end
            return
    yield start, end


def _gives_state(clause: str) -> bool:
    name = _NAME.match(clause)
    return bool(states(clause.strip(), name.group() if name else None))


_NAME: Final = regex.compile(r"\s*(?:my \p{L}+|\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’-]+)?)")


@cache
def _joint() -> regex.Pattern[str]:
    joints, subjects = "|".join(listed("compounds", "joints")), "|".join(listed("compounds", "subjects"))
    return regex.compile(
        rf"(?:\s*;\s*(?:(?:{joints})\s+)?|,?\s+(?:{joints})\s+)(?=(?:{subjects})(?![\p{{L}}\p{{M}}]))",
        regex.IGNORECASE,
    )
