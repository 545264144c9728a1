"""What a thing is called or set to: `My doctor is Lee`, `The release branch is main`, `Next meeting: Lotte's house`."""

from __future__ import annotations

from functools import cache

import regex

from geniffy_server.learn.change.rewording import LEFT_FIRST, is_of_mine, renewed, reworded, says_who_has_a_role
from geniffy_server.learn.change.statements import (
    LONGEST,
    tokens_of,
)
from geniffy_server.learn.lexicon import alternatives, fragments, listed, word_set


def names_a_role(text: str) -> bool:
    """Whether a statement says who has a role, as `Dana is my manager` does."""
    if len(text) > LONGEST:
        return False
    bare = LEFT_FIRST.sub("", text)
    if says_who_has_a_role(bare) or (bare != text and _name_given().match(bare)):
        return True
    is_of_some_language = renewed().match(bare) is not None or is_of_mine(bare)
    return is_of_some_language and _name_given().match(reworded(bare)) is not None


@cache
def _name_given() -> regex.Pattern[str]:
    mine = "|".join(listed("subject", "mine"))
    called = "|".join(["is", "are", "es", "est", "ist", "è", "is called", "is now", "—", *listed("subject", "called")])
    articles = alternatives(word.lower() for word in listed("subject", "articles"))
    return regex.compile(
        rf"(?:(?P<subject>(?:(?i:the|my|our|{mine}|{articles})|\p{{Lu}}\p{{L}}+['’]s)\s+[\p{{L}}\s-]{{2,30}}?)"
        rf"\s+(?:{called})"
        r"|(?P<subject>(?i:(?:please )?call me)))\s+"
        r"(?P<value>(?:now |the |a |an )?(?:\p{Lu}[\p{L}\p{N}.'-]*\s*){1,3}\d*)[.!]?$"
    )


@cache
def _value_given() -> regex.Pattern[str]:
    nouns = "|".join(listed("attributes", "value_of"))
    return regex.compile(
        rf"(?P<subject>(?:(?i:the|my|our)|\p{{Lu}}\p{{L}}+['’]s)\s+(?:\p{{L}}+\s)?(?i:{nouns}))\s*(?:is|are|was|:)\s+"
        r"(?P<value>(?!(?:not|in|on|at|no|being|about|over|required|wrong|missing|due|unknown|too|very|so|the same)\b)"
        r"\S+(?:\s\S+){0,5})[.!]?$"
    )


@cache
def _one_given() -> regex.Pattern[str]:
    nouns = "|".join(listed("attributes", "one_of"))
    return regex.compile(rf"(?P<subject>(?:the|my|our) (?:\p{{L}}+ )?(?:{nouns})) is (?P<value>\S+?)[.!]?", regex.I)


def is_one_of_two(old: str, new: str) -> bool:
    """Whether both give a thing that has one value another: `The release branch is main`, `… is next`."""
    one, other = _one_given().fullmatch(old), _one_given().fullmatch(new)
    if one is None or other is None or tokens_of(one["subject"]) != tokens_of(other["subject"]):
        return False
    values = {one["value"].casefold(), other["value"].casefold()}
    return len(values) == 2 and not values & word_set("attributes", "not_values")


@cache
def _labelled() -> regex.Pattern[str]:
    nouns = "|".join(listed("attributes", "value_of"))
    return regex.compile(
        rf"(?P<subject>(?i:(?:next|current|latest|new) \p{{L}}+(?: \p{{L}}+)?|(?:\p{{L}}+ )?(?:{nouns}))):\s*"
        r"(?P<value>.+)"
    )


def named_value(old: str, new: str) -> float:
    """1 when both give another name or value to one thing: `My doctor is Lee`, `Wong is my new doctor`."""
    old, new = reworded(old), reworded(new)
    for pattern in (_name_given(), _value_given(), _labelled()):
        one, other = pattern.match(old), pattern.match(new)
        if one is None or other is None or one["value"].strip(" .") == other["value"].strip(" ."):
            continue
        if tokens_of(one["subject"]) == tokens_of(other["subject"]):
            return 0.0 if fragments("change", "many_valued").search(one["subject"]) else 1.0
    return 0.0
