"""What the words of a date mean, counted from the day they were said and by the tense around them.

Each function is given a match of a rule (`date_rules`) and what stands around it. It returns None when the words are no
date after all, and raises ValueError for a day that no calendar has.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Final, Literal

import regex

from geniffy_server.domain.memory import Spoken
from geniffy_server.learn.dates import spans
from geniffy_server.learn.lexicon import alternatives, fragments, keyed, listed, numbered, word_set


@dataclass(frozen=True, slots=True)
class Context:
    """What a rule may look at beside its own words: the whole text, the day it was said, where its verbs lean.

    `is_yearly`: the text names what comes back every year, such as a birthday.
    """

    text: str
    said: date
    lean: spans.Lean
    is_yearly: bool = False


Found = regex.Match[str]
Meaning = Callable[[Found, Context], "Spoken | Literal['habit'] | None"]
"""The days meant; `habit` for words that recur, whose words no other rule may take; None for no date after all."""


HAN_UNITS: Final = {
    "天": "day",
    "日": "day",
    "周": "week",
    "週": "week",
    "週間": "week",
    "星期": "week",
    "月": "month",
    "年": "year",
}
SEASONS: Final = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "winter": (12, 2)}


def count_of(word: str) -> int | None:
    """The number that digits or a number word stand for; None for any other word."""
    word = word.lower()
    return int(word) if word.isdecimal() else numbered("numbers").get(word)


def direction(which: str) -> int:
    """-1 for last, 0 for this, 1 for next, in any language."""
    which = which.lower()
    if which in word_set("dates", "last") or which in word_set("dates", "last_after"):
        return -1
    return 0 if which in word_set("dates", "this") else 1


def year_of(found: Found) -> int | None:
    return int(found["year"]) if found["year"] else None


def numbers(found: Found, context: Context) -> Spoken | None:
    month, day = int(found["month"]), int(found["day"])
    if month > 12 >= day:
        month, day = day, month
    year = year_of(found)
    return spans.day(date(year, month, day) if year else spans.nearest_day(day, month, context.said, "none"))


def year_month(found: Found, context: Context) -> Spoken | None:
    return spans.month(int(found["year"]), int(found["month"])) if found["month"] else spans.year(int(found["year"]))


def years(found: Found, context: Context) -> Spoken | None:
    return spans.span(spans.year(int(found["year"])), spans.year(int(found["last"])))


def days(found: Found, context: Context) -> Spoken | None:
    month, year = month_of(found), year_of(found)
    if month is None:
        return None
    begins = int(found["day"])
    first = date(year, month, begins) if year else _day_by_tense(begins, month, _ahead_if_untold(context))
    last = first.replace(day=int(found["last"]))
    return spans.span(spans.day(first), spans.day(last))


def _ahead_if_untold(context: Context) -> Context:
    """A stretch of days with no verb that tells is one to come: `My parents visit from 12 to 30 December`."""
    return replace(context, lean="future") if _lean(context) == "none" else context


def named_day(found: Found, context: Context) -> Spoken | None:
    month, year, day = month_of(found), year_of(found), int(found["day"])
    if month is None:
        return None
    if year:
        return spans.day(date(year, month, day))
    if context.is_yearly:
        return spans.yearly(day, month, context.said)
    return spans.day(_day_by_tense(day, month, context))


_NEAR: Final = (
    31  # days; a day as near as that is meant, whatever the verb ("We meet at 3 on 4 October", said on the 5th)
)


def _day_by_tense(day: int, month: int, context: Context) -> date:
    """The nearest such day; the one before or after it where it is further off and the verbs look the other way."""
    nearest = spans.nearest_day(day, month, context.said, "none")
    return (
        nearest
        if abs((nearest - context.said).days) <= _NEAR
        else spans.nearest_day(day, month, context.said, _lean(context))
    )


def month_of(found: Found, *, is_bare: bool = False) -> int | None:
    """The month's number; None for a lower-case word that is more often not a month ("may 3", "in march")."""
    raw = found["month"]
    if (
        raw[0].islower()
        and raw in word_set("dates", "word_months")
        and (is_bare or found.start("month") == found.start())
    ):
        return None
    return numbered("months").get(raw.lower())


def holiday(found: Found, context: Context) -> Spoken | None:
    month, day = (int(part) for part in keyed("holidays")[found["holiday"].lower()].split("-"))
    year = year_of(found)
    return spans.day(date(year, month, day) if year else spans.nearest_day(day, month, context.said, context.lean))


def short_day(found: Found, context: Context) -> Spoken | None:
    """`am 20.10.`, `le 3/11`: the day, then the month."""
    day, month = int(found["day"]), int(found["month"])
    if context.is_yearly:
        return spans.yearly(day, month, context.said)
    return spans.day(_day_by_tense(day, month, context))


def season(found: Found, context: Context) -> Spoken | None:
    return spans.months(int(found["year"]), *_months_of(found))


def _months_of(found: Found) -> tuple[int, int]:
    return SEASONS[keyed("seasons")[found["season"].lower()]]


def which_season(found: Found, context: Context) -> Spoken | None:
    """`last summer` is the newest that is over, `next summer` the first that has not begun."""
    first, last = _months_of(found)
    which = direction(found["which"])
    near = [spans.months(context.said.year + shift, first, last) for shift in (-2, -1, 0, 1, 2)]
    over = [season for season in near if season.high < context.said]
    ahead = [season for season in near if season.low > context.said]
    if which:
        return over[-1] if which < 0 else ahead[0]
    return next((season for season in near if season.low <= context.said <= season.high), near[2])


def months(found: Found, context: Context) -> Spoken | None:
    first, last = month_of(found), numbered("months").get(found["last"].lower())
    if first is None or last is None:
        return None
    if fragments("dates", "moves").search(context.text, max(0, found.start() - _MOVED_BEFORE), found.start()):
        # It was moved from the first month to the last one.
        year = year_of(found)
        return spans.month(year, last) if year else spans.nearest_month(last, context.said, "future")
    year = year_of(found) or spans.nearest_month(first, context.said, context.lean).low.year
    return spans.months(year - (1 if found["year"] and last < first else 0), first, last)


def month_year(found: Found, context: Context) -> Spoken | None:
    return spans.month(int(found["year"]), numbered("months")[found["month"].lower()])


def quarter(found: Found, context: Context) -> Spoken | None:
    return spans.quarter(year_of(found) or context.said.year, int(found["quarter"]))


def day_of_month(found: Found, context: Context) -> Spoken | None:
    """`on the 14th`: of this month or the next one, or by a past verb of this or the last."""
    on = context.said
    for _ in range(3):
        try:
            day = on.replace(day=int(found["day"]))
        except ValueError:
            day = None
        if day and (day <= context.said if context.lean == "past" else day >= context.said):
            return spans.day(day)
        on = spans.month_later(on.replace(day=1), -1 if context.lean == "past" else 1)
    return None


def days_of_month(found: Found, context: Context) -> Spoken | None:
    """`from the 12th to the 20th`: the first as `day_of_month`, the last the next such day behind it."""
    first = day_of_month(found, context)
    if first is None:
        return None
    last = int(found["last"])
    on = first.low if last > first.low.day else spans.month_later(first.low.replace(day=1), 1)
    return spans.span(first, spans.day(on.replace(day=last)))


def half_year(found: Found, context: Context) -> Spoken | None:
    return spans.months(int(found["year"]), *((1, 6) if found["half"] == "1" else (7, 12)))


def fiscal_year(found: Found, context: Context) -> Spoken | None:
    year = int(found["year"])
    return spans.year(year if year > 99 else 2000 + year)


def decade(found: Found, context: Context) -> Spoken | None:
    year = int(found["year"])
    return spans.span(spans.year(year), spans.year(year + 9))


def ago(found: Found, context: Context) -> Spoken | None:
    return _shifted(found, context.said, -1)


def ahead(found: Found, context: Context) -> Spoken | None:
    return _shifted(found, context.said, 1)


def ahead_untold(found: Found, context: Context) -> Spoken | None:
    """`दो हफ़्ते बाद`: later than now, unless the verbs say that it was later than something over."""
    return None if context.lean == "past" else _shifted(found, context.said, 1)


def _shifted(found: Found, said: date, sign: int) -> Spoken | None:
    count = count_of(found["count"])
    unit = _unit(found["unit"])
    if count is None:
        return None
    return _away(unit, sign * count, said)


def _away(unit: str | None, count: int, said: date) -> Spoken | None:
    if unit == "day":
        return spans.day(said + timedelta(count))
    if unit == "week":
        return spans.day(said + timedelta(7 * count))
    if unit == "month":
        later = spans.month_later(said, count)
        return spans.month(later.year, later.month)
    if unit == "fortnight":
        return spans.day(said + timedelta(14 * count))
    if unit == "quarter":
        return spans.quarter_away(said, count)
    return spans.year(said.year + count) if unit == "year" else None


def half_year_ago(found: Found, context: Context) -> Spoken | None:
    later = spans.month_later(context.said, -6)
    return spans.month(later.year, later.month)


def pair_ago(found: Found, context: Context) -> Spoken | None:
    return _away(keyed("pairs")[found["pair"]], -2, context.said)


def pair_ahead(found: Found, context: Context) -> Spoken | None:
    return _away(keyed("pairs")[found["pair"]], 2, context.said)


def one_ago(found: Found, context: Context) -> Spoken | None:
    return _away(_unit(found["unit"]), -1, context.said)


def one_ahead(found: Found, context: Context) -> Spoken | None:
    return _away(_unit(found["unit"]), 1, context.said)


def two_away(found: Found, context: Context) -> Spoken | None:
    is_ahead = found["which"].lower() in ("after next", "übernächste")
    return unit_away(_unit(found["unit"]), 2 if is_ahead else -2, context.said)


def _unit(word: str) -> str | None:
    return HAN_UNITS.get(word) or keyed("units").get(word.lower())


def relative_day(found: Found, context: Context) -> Spoken | None:
    return spans.day(context.said + timedelta(numbered("days")[found["day"].lower()]))


def hindi_day(found: Found, context: Context) -> Spoken | None:
    """कल is yesterday or tomorrow, परसों a day further either way: the verb says which."""
    days = 1 if found["day"] == "कल" else 2
    is_over = fragments("dates", "over", "hi").search(context.text) and context.lean != "future"
    return spans.day(context.said + timedelta(-days if is_over else days))


def which_unit(found: Found, context: Context) -> Spoken | None:
    return unit_away(_unit(found["unit"]), direction(found["which"]), context.said)


def unit_away(unit: str | None, count: int, said: date) -> Spoken | None:
    if unit == "week":
        return spans.week(said, count)
    if unit == "weekend":
        return spans.weekend(said, count)
    if unit == "month":
        later = spans.month_later(said.replace(day=1), count)
        return spans.month(later.year, later.month)
    if unit == "quarter":
        return spans.quarter_away(said, count)
    return spans.year(said.year + count) if unit == "year" else None


def week_of(found: Found, context: Context) -> Spoken | None:
    within = named_day(found, context)
    return within and spans.week(within.low)


def which_month(found: Found, context: Context) -> Spoken | None:
    number, which = month_of(found, is_bare=True), direction(found["which"])
    if number is None:
        return None
    said = context.said
    year = (
        said.year + (1 if which > 0 and number <= said.month else 0) - (1 if which < 0 and number >= said.month else 0)
    )
    return spans.month(year, number)


def end_of(found: Found, context: Context) -> Spoken | None:
    said = context.said
    if found["unit"].lower() == "month":
        return spans.day(said.replace(day=calendar.monthrange(said.year, said.month)[1]))
    return spans.day(
        date(said.year, 12, 31) if found["unit"].lower() == "year" else said + timedelta(6 - said.weekday())
    )


def bare_month(found: Found, context: Context) -> Spoken | None:
    number = month_of(found, is_bare=True)
    return None if number is None else month_by_tense(number, context)


_MOVED_BEFORE: Final = 60  # characters between `moved` and the month it was moved to


def month_to(found: Found, context: Context) -> Spoken | None:
    """`Moved to June` is the one to come; None where nothing is moved, for June and April are names too."""
    number, moves = month_of(found, is_bare=True), fragments("dates", "moves")
    before = max(0, found.start() - _MOVED_BEFORE)
    if number is None or not (
        moves.search(context.text, before, found.start()) or moves.match(context.text, found.end() + 1)
    ):
        return None
    return spans.nearest_month(number, context.said, "future")


def month_by_tense(number: int, context: Context) -> Spoken:
    """The month that the verbs look to; the next one by a verb in the present (`The fair is in March`)."""
    return spans.nearest_month(number, context.said, _lean(context))


def _lean(context: Context) -> spans.Lean:
    """Where the verbs look, one in the present to what comes: `The fair is on 18 December`."""
    is_present = context.lean == "none" and fragments("dates", "present").search(context.text) is not None
    return "future" if is_present else context.lean


_NUMBERED: Final = regex.compile(r"\d\s*$")


def year(found: Found, context: Context) -> Spoken | None:
    """None for `chapter 7 of 1984`."""
    before = context.text[: found.start()]
    return None if found.group()[:2].lower() == "of" and _NUMBERED.search(before) else spans.year(int(found["year"]))


@cache
def _yearly() -> regex.Pattern[str]:
    return regex.compile(alternatives(listed("dates", "yearly")), regex.IGNORECASE)


def context_of(text: str, said: date) -> Context:
    """What the rules look at in `text`, which is worked out once for all of them."""
    return Context(text, said, lean_of(text), _yearly().search(text) is not None)


_REPORTED: Final = regex.compile(
    r"\bsaid (?:that )?(?=(?:the|he|she|they|it|we|I|his|her|\p{Lu}))"
    r"|\b(?:told \p{L}+|mentioned|heard|wrote|confirmed|announced|learned|learnt) that "
    r"(?=(?:\S+ ){1,4}(?:is|are|am|will)\b)"
)


def lean_of(text: str) -> spans.Lean:
    """Which way the verbs of `text` look; a future one counts over a past one only when it is sure."""
    past = fragments("dates", "past").search(_REPORTED.sub("", text)) is not None
    if fragments("dates", "future").search(text) is None:
        return "past" if past else "none"
    return "past" if past and fragments("dates", "surely_future").search(text) is None else "future"
