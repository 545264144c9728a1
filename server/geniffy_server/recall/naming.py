"""Whether a statement names something: a mark among its search keys, which is set when it is learned.

In a talk much is said that answers nothing. What is asked for seldom lies in a turn without a name or a number.
"""

from __future__ import annotations

from typing import Final

import regex

from geniffy_server.recall.tokens import key

NAMING: Final = key("\x1f")
"""The search key that marks a statement of a talk with a name or a number inside; no text has it."""

_NAMED: Final = regex.compile(
    r"\p{N}|(?<!^)(?<![.!?:…\"“„«¿¡(] )(?<![\p{L}\p{M}\p{N}'’.!?:…\"“„«¿¡(])\p{Lu}[\p{Ll}\p{M}]"
)


def names_something(text: str) -> bool:
    """Whether a name or a number stands in a statement: a word with a capital that begins no sentence, or a digit."""
    return _NAMED.search(text) is not None
