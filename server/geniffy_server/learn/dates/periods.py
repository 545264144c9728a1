"""The periods that a question asks about."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import Spoken
from geniffy_server.learn.dates import spans
from geniffy_server.learn.dates.meanings import SEASONS, count_of
from geniffy_server.learn.dates.spoken import find
from geniffy_server.learn.lexicon import alternatives, keyed


def periods(question: str, today: date) -> list[Spoken]:
    """The periods that a question asks about, such as "in May", "last week" or "on 4 October"; none when it names none.

    A day without a year is the nearest one, leaning as the question's verbs do. In a question a month may be written
    small (`in may`) or stand bare (`五月`, `मई में`), and so may a season: the newest that has begun.
    """
    written = _SMALL_MONTH.sub(lambda found: found.group().title(), question)
    named = [spoken for _, _, spoken in find(written, today)]
    if named:
        return named
    if month := _BARE_MONTH.search(question) or _hindi_month().search(question):
        number = count_of(month["month"]) or int(keyed("months").get(month["month"], 0))
        return [spans.nearest_month(number, today, "past")] if 1 <= number <= 12 else []
    if season := _BARE_SEASON.search(question):
        first, last = SEASONS[keyed("seasons")[season["season"].lower()]]
        near = [spans.months(today.year + shift, first, last) for shift in (0, -1)]
        return [next(one for one in near if one.low <= today)]
    return []


_SMALL_MONTH: Final = regex.compile(
    r"(?<=\b(?:in|during|since|until|of|from|between|and|to|last|this|next) )(?:may|march)\b"
)
_BARE_MONTH: Final = regex.compile(
    r"(?<![\p{N}一二三四五六七八九十])(?P<month>1?\d|十?[一二三四五六七八九]|十)月(?![\p{N}一二三四五六七八九十])"
)
_BARE_SEASON: Final = regex.compile(
    r"\b(?:in|during|over)(?: the)? (?P<season>spring|summer|autumn|fall|winter)\b(?! of)", regex.IGNORECASE
)


@cache
def _hindi_month() -> regex.Pattern[str]:
    months = alternatives(word for word in keyed("months") if regex.match(r"\p{Devanagari}", word))
    return regex.compile(rf"(?P<month>{months or '(?!)'})(?= (?:में|के))")
