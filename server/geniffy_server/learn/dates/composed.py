"""Two dates that stand together and mean one: `Saturday, 14 November`, `March of last year`, `next week on Monday`."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import Spoken
from geniffy_server.learn.dates import spans
from geniffy_server.learn.lexicon import alternatives, keyed, listed

Dated = tuple[int, int, Spoken]

_DIGIT: Final = regex.compile(r"\d")


def composed(text: str, dated: list[Dated], said: date) -> list[Dated]:
    """The same dates in order; what names one day or month in two ways is one."""
    whole: list[Dated] = []
    for one in sorted(dated, key=lambda place: place[:2]):
        both = _one_of(text, whole[-1], one, said) if whole else None
        whole[-1:] = [*whole[-1:], one] if both is None else [both]
    return whole


def _one_of(text: str, first: Dated, last: Dated, said: date) -> Dated | None:
    """What both are together; None where they are two."""
    between = text[first[1] : last[0]]
    if len(between) > _BETWEEN or not _joins().fullmatch(between):
        return None
    for other, exact in ((first, last), (last, first)):
        if exact[2].precision == "day" and _is_weekday(text, other) and _names_day(text, exact):
            falling = _falling(text, exact, other[2].low.weekday())
            return (first[0], last[1], falling or exact[2]) if falling or other is first else None
        if other[2].precision == "week" and exact[2].precision == "day" and _is_weekday(text, exact):
            return first[0], last[1], spans.day(other[2].low + timedelta(exact[2].low.weekday()))
        if _is_other_year(text, other, said):
            moved = _in_year(exact[2], other[2].low.year, said)
            if moved is not None and not _told_year().search(text, exact[0], exact[1]):
                return first[0], last[1], moved
    return None


_BETWEEN: Final = 12  # characters


@cache
def _joins() -> regex.Pattern[str]:
    words = alternatives(
        [
            *(word for key in ("of", "article", "before_month", "before_weekday") for word in listed("dates", key)),
            "on", "dem", "den", "der", "dell'", "dell’", "nel", "の", "की", "के", "में", "من",
        ]
    )  # fmt: skip
    return regex.compile(rf"[\s,(]*(?:(?:{words})[\s,(]*){{0,2}}", regex.IGNORECASE)


def _falling(text: str, exact: Dated, weekday: int) -> Spoken | None:
    """That day of the year in which it is such a weekday, where no year was told; None when there is none nearby."""
    start, end, spoken = exact
    if spoken.low.weekday() == weekday or _told_year().search(text, start, end):
        return spoken if spoken.low.weekday() == weekday else None
    for year in (spoken.low.year + 1, spoken.low.year - 1):
        moved = _in_year(spoken, year, spoken.low)
        if moved is not None and moved.low.weekday() == weekday:
            return moved
    return None


@cache
def _weekday() -> regex.Pattern[str]:
    return regex.compile(rf"(?<!\p{{L}})(?:{alternatives(keyed('weekdays'))})(?!\p{{L}})", regex.IGNORECASE)


def _is_weekday(text: str, one: Dated) -> bool:
    start, end, spoken = one
    return (
        spoken.precision == "day"
        and _weekday().search(text, start, end) is not None
        and _DIGIT.search(text, start, end) is None
    )


def _names_day(text: str, one: Dated) -> bool:
    return _DIGIT.search(text, one[0], one[1]) is not None and _weekday().search(text, one[0], one[1]) is None


def _is_other_year(text: str, one: Dated, said: date) -> bool:
    """`next year`, `el año pasado`: a year by its distance, told without its number."""
    start, end, spoken = one
    return (
        spoken.precision == "year"
        and abs(spoken.low.year - said.year) <= _NEAR_YEARS
        and _DIGIT.search(text, start, end) is None
    )


_NEAR_YEARS: Final = 2


@cache
def _told_year() -> regex.Pattern[str]:
    return regex.compile(r"\d{4}")


def _in_year(spoken: Spoken, year: int, said: date) -> Spoken | None:
    """That month or day in another year; None for what is neither."""
    if spoken.precision == "month":
        return spans.month(year, spoken.low.month)
    if spoken.precision == "since" and spoken.low.day == 1 and year <= said.year:
        return spans.since(spans.month(year, spoken.low.month), said)
    if spoken.precision != "day":
        return None
    try:
        on = spoken.low.replace(year=year)
    except ValueError:
        return None
    return replace(spoken, low=on, high=on)
