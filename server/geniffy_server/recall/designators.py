"""Letters that tell one thing from its like: `plan A`, `vitamin D`, `team B`. No search key holds them.

Numbers are search keys of their own, and another one is not meant (`coverage`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

_DESIGNATED: Final = regex.compile(
    r"(?<![\p{L}\p{N}])(?P<noun>\p{L}{3,}) (?P<letter>(?!I\b)\p{Lu})(?![\p{L}\p{N}'’.-])"
)


def designated(text: str) -> Sequence[tuple[str, str]]:
    """The nouns of a text that a letter follows, in lower case, each with its letter, in order."""
    return [(found["noun"].casefold(), found["letter"]) for found in _DESIGNATED.finditer(text)]


def is_of_another(question: str, text: str) -> bool:
    """Whether a question names things by letters and a text has none of those: `plan B`, where plan A is asked for."""
    wanted = designated(question)
    if not wanted:
        return False
    held = set(designated(text))
    return all(
        one not in held and not regex.search(rf"(?i:{one[0]}s?) (?:\p{{Lu}}(?:, | and | or | & ))+{one[1]}\b", text)
        for one in wanted
    )
