"""When what one person was in charge of passes to another: `Lina owns checkout`, `Ken owns checkout now`."""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

from geniffy_server.domain.text import folded
from geniffy_server.learn.lexicon import listed

LONGEST: Final = 160  # characters


def is_handed_over(held: str, new: str) -> bool:
    """Whether the newer statement gives the same charge to someone else and says that it is so now."""
    if len(held) > LONGEST or len(new) > LONGEST:
        return False
    had, has = _charge().fullmatch(held.strip()), _charge().fullmatch(new.strip())
    if had is None or has is None or folded(had["what"]) != folded(has["what"]) or had["who"] == has["who"]:
        return False
    if has["took"]:
        return True
    return had["verb"] == has["verb"] and bool(has["now"] or has["since"])


def hands_over(text: str) -> bool:
    """Whether a statement may take a charge from someone else: it says that it is so now, or was taken over."""
    found = _charge().fullmatch(text.strip()) if len(text) <= LONGEST else None
    return found is not None and bool(found["took"] or found["now"] or found["since"])


@cache
def _charge() -> regex.Pattern[str]:
    verbs, took = "|".join(listed("roles", "verbs")), "|".join(listed("roles", "took_over"))
    return regex.compile(
        r"(?P<who>(?-i:\p{Lu})[\p{L}'’-]+(?: (?-i:\p{Lu})[\p{L}'’-]+)?) (?P<now>now )?"
        rf"(?:(?P<verb>{verbs})|(?P<took>{took})) (?P<what>(?:the |our )?[^,.;]{{2,60}}?)"
        r"(?: from (?-i:\p{Lu})\S+| (?P<since>now|from now on|instead|these days))?[.!]?",
        regex.IGNORECASE,
    )
