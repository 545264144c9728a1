"""Questions for whatever happened in a time: `What happened in May?`, `What did we do before the move?`

They hold nothing to look for but the time, so the time alone decides; and of what was said then, what happened is
told before what merely is so.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Final, Literal

import regex

from geniffy_server.domain.memory import Memory, Spoken
from geniffy_server.learn.change.happenings import is_happening
from geniffy_server.learn.lexicon import alternatives, keyed
from geniffy_server.recall.lexicon import LANGUAGES, words

Side = Literal["before", "after"]

_WHO: Final = r"(?:I|we|you|they|he|she|the user|\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}\p{M}'’-]*)?)"
_TIME_FIRST: Final = frozenset({"ja", "zh", "hi", "ar", "he"})
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Devanagari}\p{Arabic}\p{Hebrew}]")
_ANCHOR: Final = regex.compile(
    r"\s(?P<side>before|after|since|following|prior to)\s+"
    r"(?P<event>(?:the|my|our|his|her|their|I|we|\p{Lu}\p{Ll}+(?:['’]s)?)\b.{2,80}?)[?.! ]*$"
)
_ANCHOR_LEFT: Final = regex.compile(r"\s(?:before|after|since|following|prior to)\W*$")
_DIGIT: Final = regex.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Anchor:
    """An event that a question counts from: `the move`, and whether it asks for what was before or after it."""

    event: str
    side: Side


def asks_what_happened(question: str, *, names: Collection[str] = ()) -> bool:
    """Whether a question asks for whatever happened in the time that it names, and for nothing else of it.

    `names` are whom it asks of: `What did Kim do in May?`
    """
    found = _asks().match(question)
    if found is None:
        return False
    rest = question[found.end() :]
    if not found.end() or _UNSPACED.search(question):
        return True  # the pattern looked ahead: in these languages the time stands before what is asked
    if anchor_of(question) is not None:
        return True
    rest = _ANCHOR_LEFT.sub("", rest)
    for name in names:
        rest = rest.replace(name, " ")
    return _rest().fullmatch(_named_days().sub(" ", rest)) is not None


@cache
def _asks() -> regex.Pattern[str]:
    """How such a question begins in any of the languages; where the time stands first, it is looked for behind it."""
    begins: list[str] = []
    holds: list[str] = []
    for language in LANGUAGES:
        listed = words(language).get("happenings", {}).get("asks", ())
        (holds if language in _TIME_FIRST else begins).extend(one.replace("<who>", _WHO) for one in listed)
    return regex.compile(
        rf"^\W*(?:(?:and|so|ok|hey|tell me|remind me)[, ]+)*(?:{'|'.join(begins)}|(?=.*(?:{'|'.join(holds)})))",
        regex.IGNORECASE,
    )


@cache
def _rest() -> regex.Pattern[str]:
    """What may stand beside the time and asks for nothing else."""
    beside = [one for language in LANGUAGES for one in words(language).get("happenings", {}).get("beside", ())]
    return regex.compile(
        rf"(?:\b(?:{'|'.join(beside)}|\p{{N}}+\p{{L}}{{0,2}})\b|\p{{N}}+|[\p{{P}}\p{{S}}\s])*", regex.IGNORECASE
    )


@cache
def _named_days() -> regex.Pattern[str]:
    """Names of months, weekdays and holidays in any of the languages."""
    words = alternatives(word for section in ("months", "weekdays", "holidays", "seasons") for word in keyed(section))
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{words})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)


def anchor_of(question: str) -> Anchor | None:
    """The event that a question for whatever happened counts from; None for one that names a date or none."""
    asked = _asks().match(question)
    found = _ANCHOR.search(question, max(0, asked.end() - 1)) if asked else None
    if found is None or _DIGIT.search(found["event"]) or _named_days().search(found["event"]):
        return None
    return Anchor(found["event"], "before" if found["side"] in ("before", "prior to") else "after")


def without_anchor(question: str) -> str:
    """The question without the event that it counts from, which is nothing that an answer must speak of."""
    anchor = anchor_of(question)
    return question if anchor is None else question[: question.rfind(anchor.event)].rstrip()


def beside(anchor: Memory, side: Side, today: date) -> Spoken:
    """The time before or after an event that a memory tells of, by the day it speaks of, else the day it was said."""
    first = anchor.spoken.low if anchor.spoken else anchor.said_at.date()
    last = anchor.spoken.high if anchor.spoken else anchor.said_at.date()
    if side == "before":
        return Spoken(date.min, first - timedelta(days=1), "span")
    return Spoken(last + timedelta(days=1), max(today, last + timedelta(days=1)), "span")


def is_reply(memory: Memory) -> bool:
    """Whether a memory is an answer whose question is not told with it: `No, and I don't miss it.`"""
    return _REPLY.match(said(memory)) is not None


def said(memory: Memory) -> str:
    """A memory's text without the name of who said it."""
    return _SPEAKER.sub("", memory.text, count=1)


def telling(memory: Memory) -> int:
    """How much of a happening it tells: 3 when it speaks of its time, 2 when it happened, 0 for tastes and replies."""
    if memory.kind == "pref" or is_reply(memory) or len(said(memory).split()) < 3:
        return 0
    if memory.spoken is not None and memory.spoken.precision not in ("yearly", "since", "year"):
        return 3
    return 2 if is_happening(said(memory)) else 1


_SPEAKER: Final = regex.compile(r"[\p{Lu}\p{Lo}][\p{L}\p{M} .'’-]{0,60}: ")
_REPLY: Final = regex.compile(
    r"(?:no|nope|nah|yes|yeah|yep|yup|sure|exactly|well|oh|haha|lol|ok|okay|sí|oui|non|ja|nein|sì|да|нет|はい|いいえ)\b[,.!…]",
    regex.IGNORECASE,
)
