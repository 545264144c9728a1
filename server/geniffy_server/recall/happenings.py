"""Questions for whatever happened in a time: `What happened in May?`, `What did we do before the move?`

They hold nothing to look for but the time, so the time alone decides; and of what was said then, what happened is
told before what merely is so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Final, Literal

import regex

from geniffy_server.domain.memory import Memory, Spoken
from geniffy_server.learn.lexicon import alternatives, keyed
from geniffy_server.recall.irregular import base

Side = Literal["before", "after"]

_WHO: Final = r"(?:I|we|you|they|he|she|the user|\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}\p{M}'’-]*)?)"
_ASKS: Final = regex.compile(
    r"^\W*(?:(?:and|so|ok|hey|tell me|remind me)[, ]+)*(?:"
    # English, then Spanish, French, German, Italian, Russian
    rf"what(?: all| else)? (?:happened|occurred|went on|took place)(?-i: (?:to|with) {_WHO})?"
    rf"|what(?:['’]s| has| have)(?: all)? (?:happened|been going on)|what was (?:going on|happening|new)"
    rf"|what(?: all| else)? did (?-i:{_WHO}) (?:do|get up to)"
    rf"|what (?:have|has|had) (?-i:{_WHO}) (?:done|been up to|been doing)"
    rf"|what (?:was|were) (?-i:{_WHO}) (?:doing|up to)|(?:did|has) anything (?:\p{{Ll}}+ )?happen(?:ed)?"
    r"|qué (?:pasó|ocurrió|sucedió|ha pasado|hicimos|hice|hizo \p{Lu}\p{L}+|hemos hecho)"
    r"|(?:que s['’]est-il passé|qu['’]est-ce qui s['’]est passé|qu['’]est-ce qu['’]on a fait|qu['’]avons-nous fait"
    r"|qu['’]ai-je fait|qu['’]est-ce que (?:j['’]ai|nous avons) fait)"
    r"|was (?:ist|war)(?: \p{L}+){0,4} (?:passiert|geschehen|los)|was (?:haben wir|habe ich|hat \p{Lu}\p{L}+)"
    r"|was (?:ist|war)(?= (?:im|am|letzt))"
    r"|(?:che )?cosa (?:è successo|abbiamo fatto|ho fatto|è accaduto)(?: a(?= \p{L}+[?]?$))?"
    r"|что (?:случилось|произошло|мы делали|было)"
    r"|(?=.*(?:何をし|何があ|何が起き|做了什么|做了什麼|发生了什么|干了什么))|(?=.*(?:क्या हुआ|क्या किया))"
    r"|(?=.*(?:ماذا (?:حدث|حصل|فعل)))|(?=.*(?:מה (?:קרה|עשינו|עשיתי))))",
    regex.IGNORECASE,
)
# What may stand beside the time and asks for nothing else.
_REST: Final = regex.compile(
    r"(?:\b(?:in|on|at|during|over|around|between|and|from|to|of|the|this|that|last|past|next|previous|early|mid|late|end"
    r"|beginning|start|until|since|week(?:end)?s?|days?|months?|years?|quarter|q[1-4]|spring|summer|autumn|fall|winter"
    r"|morning|evening|night|today|yesterday|ago|few|couple|first|second|half|with|us|me|so|far|en|el|la|del|de|entre|y"
    r"|al|este|pasado|pasada|le|les|du|au|mois|dernier|dernière|et|im|am|vom|bis|zum|und|letzten?|letzte[sr]?|monat|woche"
    r"|jahr|gemacht|passiert|geschehen|los|nel|nella|scors[oa]|mese|settimana|anno|tra|в|прошл\p{L}+|\p{N}+\p{L}{0,2})\b"
    r"|\p{N}+|[\p{P}\p{S}\s])*",
    regex.IGNORECASE,
)
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


def asks_what_happened(question: str, *, names: frozenset[str] | tuple[str, ...] = ()) -> bool:
    """Whether a question asks for whatever happened in the time that it names, and for nothing else of it.

    `names` are whom it asks of: `What did Kim do in May?`
    """
    found = _ASKS.match(question)
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
    return _REST.fullmatch(_named_days().sub(" ", rest)) is not None


@cache
def _named_days() -> regex.Pattern[str]:
    """Names of months, weekdays and holidays in any of the languages."""
    words = alternatives(word for section in ("months", "weekdays", "holidays", "seasons") for word in keyed(section))
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{words})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)


def anchor_of(question: str) -> Anchor | None:
    """The event that a question for whatever happened counts from; None for one that names a date or none."""
    asked = _ASKS.match(question)
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


def happened(memory: Memory) -> bool:
    """Whether an English statement tells of what was done or happened rather than of what is so."""
    found = _HAPPENED.match(said(memory))
    return found is not None and (found[1].endswith("ed") or base(found[1]) != found[1] or found[1] in _WAS)


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
    return 2 if happened(memory) else 1


_SPEAKER: Final = regex.compile(r"[\p{Lu}\p{Lo}][\p{L}\p{M} .'’-]{0,60}: ")
_REPLY: Final = regex.compile(
    r"(?:no|nope|nah|yes|yeah|yep|yup|sure|exactly|well|oh|haha|lol|ok|okay|sí|oui|non|ja|nein|sì|да|нет|はい|いいえ)\b[,.!…]",
    regex.IGNORECASE,
)
# An English statement's verb right behind whom it is about; the forms of irregular verbs are told apart by `base`.
_HAPPENED: Final = regex.compile(
    r"(?:I|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|(?:[Mm]y|[Oo]ur) \p{Ll}+|\p{Lu}\p{Ll}+(?: and (?:I|\p{Lu}\p{Ll}+))?)"
    r" (?:(?:just|also|\p{Ll}+ly) )?(\p{Ll}+)\b"
)
_WAS: Final = frozenset({"was", "were", "had", "did", "got", "quit", "put", "cut", "hit", "let", "set", "read"})
