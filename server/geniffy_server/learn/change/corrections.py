"""Statements that put an earlier one right: `Correction: …`, `Actually, …`, `I meant …`, `X, not Y`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from geniffy_server.learn.lexicon import listed

LONGEST: Final = 200  # characters


@dataclass(frozen=True, slots=True)
class Correction:
    """`text` is what is right, without the words that only say that it is put right; `denied` is what was not.

    `is_led`: it opens with such words. `value` is set where the sentence is no more than that value (`it's 14, not
    15`): it says nothing without the statement that it puts right.
    """

    text: str
    is_led: bool
    denied: str | None = None
    value: str | None = None


def correction(text: str) -> Correction | None:
    """How a statement puts another one right; None when it does not say that it does."""
    if len(text) > LONGEST:
        return None
    lead = _lead().match(text)
    said = text[lead.end() :] if lead else text
    right, denied = _denied(said)
    if lead is None and denied is None:
        return None
    if not regex.search(r"[\p{L}\p{N}]", right):
        return None
    value = _bare(right, denied, is_led=lead is not None and _is_meant(lead.group(), right))
    return Correction(right[:1].upper() + right[1:], lead is not None, denied, value)


def _is_meant(lead: str, right: str) -> bool:
    """Whether the words before a value say that it is meant; "sorry" and "no, wait" do so before a number."""
    return _meant().search(lead) is not None or regex.search(r"\d", right) is not None


def _bare(right: str, denied: str | None, *, is_led: bool) -> str | None:
    """The value that is all of what is right, of the shape of the denied one; None where there is more to it."""
    found = None if _CJK.search(right) else _bare_value().fullmatch(right)
    if found is None or (denied is None and not is_led):
        return None
    value = found["value"].strip(" .!")
    if not (is_led or found["it"]) and " " in value:
        return None  # Please use WhatsApp, not email
    return value if denied is None or _are_alike(value, denied) else None


def _are_alike(value: str, denied: str) -> bool:
    has_digits = bool(regex.search(r"\d", value)), bool(regex.search(r"\d", denied))
    return has_digits[0] == has_digits[1] and abs(value.count(" ") - denied.count(" ")) <= 1


def _denied(said: str) -> tuple[str, str | None]:
    """What is left of `X, not Y` and of `not Y but X`, and Y."""
    for pattern in _denials():
        found = pattern.fullmatch(said)
        if found:
            parts = found.groupdict()
            right = parts.get("right") or f"{parts['before']} {parts['after']}"
            return right.strip(" ,;"), found["no"].strip(" ,;.!'\"")
    return said, None


# A value after `but`: a name, a number, a noun with its article, and no new clause such as `but it works`.
_VALUE: Final = (
    r"(?:the |an? |my |our |on |in |at |to )?(?:(?-i:\p{Lu})[\p{L}\p{N}'’.-]+|\d\S*|(?<=(?:the|an?|my|our) )\p{L}+)"
)
_NO: Final = r"(?P<no>[^,;.!?]{1,40}|\S+\.\S+)"


@cache
def _denials() -> tuple[regex.Pattern[str], ...]:
    negations = "|".join(listed("corrections", "not"))
    buts = "|".join(listed("corrections", "but"))
    it_is = "|".join(listed("corrections", "it_is"))
    return tuple(
        regex.compile(one, regex.IGNORECASE)
        for one in (
            # it's not May, it's July; is not the Rex but the Odeon; X, not Y
            rf"(?:{it_is}) (?:{negations}) {_NO}[,;.—-]+ ?(?:(?:{buts}) )?(?P<right>.{{3,}})",
            rf"(?P<before>.{{2,}}?) (?:{negations}) {_NO},? (?:{buts}) (?P<after>(?:{_VALUE}) ?\S*[.!]*)",
            # is not on Main Street; it's on Elm Street
            rf"(?P<before>.{{2,}}?) (?:{negations}) {_NO}[,;.—-]+ ?(?:{it_is}) (?P<after>.{{2,40}})",
            rf"(?P<right>.{{2,}}?)\s*[,;—–]\s*(?:(?:and|und|y|et|e|и) )?(?:{negations}) {_NO}[.!]*",
            rf"(?P<right>[^，]+)[，,](?:{'|'.join(listed('corrections', 'not_cjk'))})(?P<no>[^，。]{{1,20}})。?",
        )
    )


@cache
def _lead() -> regex.Pattern[str]:
    many = "|".join(listed("corrections", "leads"))
    return regex.compile(rf"(?:(?:{many})(?![\p{{L}}\p{{M}}])[\s,:;.!…—–-]*)+", regex.IGNORECASE)


@cache
def _meant() -> regex.Pattern[str]:
    return regex.compile("|".join(listed("corrections", "meant")), regex.IGNORECASE)


@cache
def _bare_value() -> regex.Pattern[str]:
    it_is = "|".join(listed("corrections", "it_is"))
    return regex.compile(
        rf"(?P<it>(?:{it_is}) )?(?:(?:at|on|in|for|um|le|el|il) )?(?P<value>\S+(?: \S+){{0,2}}?)[.!]*", regex.IGNORECASE
    )


_CJK: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")  # without spaces a value is not told from a sentence


def put_right(held: str, found: Correction) -> str | None:
    """A held statement with the right value in the place of the denied one; None where that is not seen in it once."""
    if found.value is None:
        return None
    if found.denied is None:
        return _with_value(held, found.value)
    places = _places(held, found.denied)
    if len(places) != 1:
        return None
    start, end = places[0]
    return held[:start] + found.value + held[end:]


def _with_value(held: str, value: str) -> str | None:
    """The one value of the same sort replaced: a time for a time, a number for a number, a day for a day."""
    for sort in _SORTS:
        if sort.fullmatch(value) is None:
            continue
        places = [one.span() for one in sort.finditer(held)]
        if len(places) != 1 or held[places[0][0] : places[0][1]].casefold() == value.casefold():
            return None
        start, end = places[0]
        return held[:start] + value + held[end:]
    return None


_DAYS: Final = "mon|tues|wednes|thurs|fri|satur|sun"
_MONTHS: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_SORTS: Final = tuple(
    regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?:{one})(?![\p{{L}}\p{{N}}])", regex.IGNORECASE)
    for one in (
        r"\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\.?|\d{1,2}:\d\d(?: ?[ap]m)?|noon|midnight",
        rf"(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{_MONTHS})(?: \d{{1,2}}(?:st|nd|rd|th)?)?",
        rf"(?:{_DAYS})day",
        r"[$€£]?\d[\d.,]*(?:%| ?(?:euros?|dollars?|pounds?|kg|km|m|cm))?",
    )
)


def _places(text: str, words: str) -> list[tuple[int, int]]:
    front = r"(?<![\p{L}\p{N}])" if regex.match(r"[\p{Latin}\p{N}]", words) else ""
    back = r"(?![\p{L}\p{N}])" if regex.search(r"[\p{Latin}\p{N}]$", words) else ""
    return [one.span() for one in regex.finditer(front + regex.escape(words) + back, text, regex.IGNORECASE)]
