"""The days that a date, a week, a month or a stretch of them covers, as `Spoken` values."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import Literal

from geniffy_server.domain.memory import Spoken

Lean = Literal["past", "future", "none"]
"""Which way a sentence looks, by its verbs; a date without a year goes that way."""


def day(on: date) -> Spoken:
    return Spoken(on, on, "day")


def week(of: date, weeks: int = 0) -> Spoken:
    """Monday to Sunday of the week that holds `of`, so many weeks later."""
    monday = of - timedelta(of.weekday()) + timedelta(7 * weeks)
    return Spoken(monday, monday + timedelta(6), "week")


def weekend(of: date, weeks: int) -> Spoken:
    """Saturday and Sunday of that week."""
    saturday = of - timedelta(of.weekday()) + timedelta(5 + 7 * weeks)
    return Spoken(saturday, saturday + timedelta(1), "span")


def month(year: int, number: int) -> Spoken:
    return Spoken(date(year, number, 1), date(year, number, calendar.monthrange(year, number)[1]), "month")


def months(year: int, first: int, last: int) -> Spoken:
    """From the first to the last month; winter's February lies in the next year."""
    return Spoken(month(year, first).low, month(year + (last < first), last).high, "span")


def quarter(year: int, number: int) -> Spoken:
    return Spoken(date(year, 3 * number - 2, 1), month(year, 3 * number).high, "quarter")


def year(number: int) -> Spoken:
    return Spoken(date(number, 1, 1), date(number, 12, 31), "year")


def span(first: Spoken, last: Spoken) -> Spoken:
    """From the beginning of one to the end of the other. Raises ValueError when that is backwards."""
    if last.high < first.low:
        raise ValueError("a span ends before it begins")
    return Spoken(first.low, last.high, "span")


def since(start: Spoken, today: date) -> Spoken:
    return Spoken(start.low, max(start.low, today), "since")


def yearly(number: int, of_month: int, near: date) -> Spoken:
    """That day of every year, kept with the year it was said in; 29 February with the latest leap year."""
    for back in range(9):
        try:
            on = date(near.year - back, of_month, number)
        except ValueError:
            continue
        return Spoken(on, on, "yearly")
    raise ValueError("no such day")


def quarter_away(of: date, quarters: int) -> Spoken:
    """The quarter so many after the one that holds `of`."""
    years, index = divmod(of.year * 4 + (of.month - 1) // 3 + quarters, 4)
    return quarter(years, index + 1)


def nth_weekday(which: int, number: int, in_year: int, in_month: int) -> date:
    """The first to fourth (1 to 4) or last (-1) such day of a month. Raises ValueError for none."""
    if which < 0:
        last = date(in_year, in_month, calendar.monthrange(in_year, in_month)[1])
        return last - timedelta((last.weekday() - number) % 7)
    first = date(in_year, in_month, 1)
    return first + timedelta((number - first.weekday()) % 7 + 7 * (which - 1))


def month_later(on: date, count: int) -> date:
    """The same day so many months later, or the last of that month."""
    years, index = divmod(on.year * 12 + on.month - 1 + count, 12)
    return date(years, index + 1, min(on.day, calendar.monthrange(years, index + 1)[1]))


def nearest_day(number: int, of_month: int, said: date, lean: Lean) -> date:
    """That day of the year before, of or after `said`: the nearest that the sentence leans to. Raises ValueError."""
    found = []
    for at in (said.year - 1, said.year, said.year + 1):
        try:
            found.append(date(at, of_month, number))
        except ValueError:
            continue
    leaning = [on for on in found if lean == "none" or (on >= said if lean == "future" else on <= said)]
    return min(leaning or found, key=lambda on: abs((on - said).days))


def nearest_month(number: int, said: date, lean: Lean) -> Spoken:
    years = [
        at
        for at in (said.year - 1, said.year, said.year + 1)
        if lean == "none"
        or (lean == "future" and (at, number) >= (said.year, said.month))
        or (lean == "past" and (at, number) <= (said.year, said.month))
    ]
    return month(min(years, key=lambda at: abs((at - said.year) * 12 + number - said.month)), number)


def weekday(number: int, said: date, which: Literal["last", "this", "next", "past", "coming"]) -> date:
    """A day of the week: of the calendar week before, this or after, or the newest past or next one (0 is Monday).

    `last` is the newest before today; `past` and `coming` may be today.
    """
    if which == "last":
        return said - timedelta((said.weekday() - number) % 7 or 7)
    if which == "past":
        return said - timedelta((said.weekday() - number) % 7)
    if which == "coming":
        return said + timedelta((number - said.weekday()) % 7)
    return said - timedelta(said.weekday()) + timedelta(number + (7 if which == "next" else 0))
