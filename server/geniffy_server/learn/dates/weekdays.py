"""What the days of the week mean in a date: `last Friday`, `Tuesday the 20th`, `on Mondays`, `the first Sunday in May`.

Each function is a `Meaning`, as those of `meanings`.
"""

from __future__ import annotations

import calendar
from datetime import timedelta
from functools import cache
from typing import Final, Literal

import regex

from geniffy_server.domain.memory import Spoken
from geniffy_server.learn.dates import spans
from geniffy_server.learn.dates.meanings import Context, Found, count_of, direction, month_by_tense, month_of, year_of
from geniffy_server.learn.lexicon import alternatives, fragments, keyed, listed, numbered, word_set


def weekday_and_day(found: Found, context: Context) -> Spoken | None:
    """`Tuesday the 20th`, `martedì 20`: the nearest such day that is that weekday; None when there is none nearby."""
    if _is_plain_word(found):
        return None
    number, day = numbered("weekdays")[found["weekday"].lower()], int(found["day"])
    near = [
        on.replace(day=day)
        for later in (-2, -1, 0, 1, 2)
        if day <= calendar.monthrange((on := spans.month_later(context.said.replace(day=1), later)).year, on.month)[1]
    ]
    fits = [on for on in near if on.weekday() == number]
    ahead = [on for on in fits if on >= context.said]
    over = [on for on in fits if on <= context.said]
    chosen = (over[-1:] or ahead[:1]) if context.lean == "past" else (ahead[:1] or over[-1:])
    return spans.day(chosen[0]) if chosen else None


_NTH: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}


def nth_weekday(found: Found, context: Context) -> Spoken | Literal["habit"] | None:
    """`the first Monday of November`; of every month it is a habit."""
    month = month_of(found, is_bare=True) if found["month"] else None
    if found["recurs"] or month is None:
        return "habit"
    year = year_of(found) or month_by_tense(month, context).low.year
    number = numbered("weekdays")[found["weekday"].lower()]
    return spans.day(spans.nth_weekday(_NTH[found["which"].lower()], number, year, month))


def which_weekday(found: Found, context: Context) -> Spoken | None:
    if _is_plain_word(found):
        return None
    which: dict[int, Literal["last", "this", "next"]] = {-1: "last", 0: "this", 1: "next"}
    number = numbered("weekdays")[found["weekday"].lower()]
    return spans.day(spans.weekday(number, context.said, which[direction(found["which"])]))


def weekdays_ago(found: Found, context: Context) -> Spoken | None:
    count, number = count_of(found["count"]), numbered("weekdays")[found["weekday"].lower()]
    if count is None or count < 1:
        return None
    return spans.day(spans.weekday(number, context.said, "last") - timedelta(7 * (count - 1)))


def weekday(found: Found, context: Context) -> Spoken | Literal["habit"] | None:
    before = found["before"].lower()
    if _is_plain_word(found):
        return None
    if found["plural"] or before in word_set("dates", "habit") or _recurs(found, context):
        return "habit"
    is_past = context.lean == "past" and before not in word_set("dates", "until") and not _leads_on(before, context)
    number = numbered("weekdays")[found["weekday"].lower()]
    return spans.day(spans.weekday(number, context.said, "past" if is_past else "coming"))


def _leads_on(before: str, context: Context) -> bool:
    """Whether a day is one to come whatever the verb: `moved to Friday`, `spostata a venerdì`."""
    if before in ("to", "for"):
        return True
    return before in word_set("dates", "moved_to") and fragments("dates", "moves").search(context.text) is not None


@cache
def _weekday_range() -> regex.Pattern[str]:
    to = "|".join(["-", "–", "—", "through", "thru", *map(regex.escape, listed("dates", "range_to"))])
    weekday = alternatives(keyed("weekdays"))
    return regex.compile(rf"(?:{weekday})s?\s*(?:{to})\s*(?:{weekday})(?!\p{{L}})", regex.IGNORECASE)


def _recurs(found: Found, context: Context) -> bool:
    """Whether the verb says what is done week by week, as `जाता है` does, or it is a day of opening hours."""
    return fragments("dates", "recurs", "hi").search(context.text) is not None or _is_of_hours(found, context)


def _is_of_hours(found: Found, context: Context) -> bool:
    """`Open Tuesday to Saturday`: the first or the last of the days on which something is open, week by week."""
    if fragments("dates", "hours").search(context.text) is None:
        return False
    at = found.start("weekday")
    return any(one.start() <= at < one.end() for one in _weekday_range().finditer(context.text))


_A_TIME: Final = regex.compile(r"\s*(?:\d|at\b)")


def bare_weekday(found: Found, context: Context) -> Spoken | Literal["habit"] | None:
    short = found["weekday"].lower() in word_set("dates", "word_weekdays")
    if found["plural"] or _is_plain_word(found) or (short and not _A_TIME.match(context.text, found.end())):
        return None
    if _recurs(found, context):
        return "habit"
    number = numbered("weekdays")[found["weekday"].lower()]
    before = context.text[: found.start()].rstrip().rpartition(" ")[2].lower()
    is_past = context.lean == "past" and not _leads_on(before, context)
    return spans.day(spans.weekday(number, context.said, "past" if is_past else "coming"))


def _is_plain_word(found: Found) -> bool:
    raw: str = found["weekday"]
    return raw[0].islower() and raw in word_set("dates", "word_weekdays")
