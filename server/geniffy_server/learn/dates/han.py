"""What dates mean that are written in Chinese characters, in Chinese and Japanese: `下周三`, `来月の三日`, `金曜日に`.

Each function is a `Meaning`, as those of `meanings`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final, Literal

from geniffy_server.domain.memory import Spoken
from geniffy_server.learn.dates import spans
from geniffy_server.learn.dates.meanings import HAN_UNITS, SEASONS, Context, Found, count_of, unit_away
from geniffy_server.learn.lexicon import fragments

_HAN_DAYS: Final = {c: i for i, c in enumerate("一二三四五六")} | {"日": 6, "天": 6}
_KANJI_DAYS: Final = {c: i for i, c in enumerate("月火水木金土日")}
_HAN_SEASONS: Final = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_HAN_WHICH: Final = {"上": -1, "先": -1, "去": -1, "昨": -1, "下": 1, "来": 1, "明": 1} | {
    **dict.fromkeys(("上上", "先々", "前", "一昨"), -2),
    **dict.fromkeys(("下下", "再来", "后", "後"), 2),
}


def season(found: Found, context: Context) -> Spoken | None:
    """Of a year, so that last year's winter begins in it."""
    year = context.said.year + _HAN_WHICH.get(found["which"], 0)
    return spans.months(year, *SEASONS[_HAN_SEASONS[found["season"]]])


def weekday(found: Found, context: Context) -> Spoken | Literal["habit"] | None:
    word, which = found["weekday"], found["which"]
    number = _KANJI_DAYS[word] if word in "月火水木金土" else _HAN_DAYS[word]
    if which in ("每", "毎") or (which is None and fragments("dates", "hours", "zh").search(context.text)):
        return "habit"
    if which is None:
        return spans.day(spans.weekday(number, context.said, "coming"))
    weeks = _HAN_WHICH.get(which, 0)
    return spans.day(spans.weekday(number, context.said + timedelta(7 * weeks), "this"))


def weekday_by_sign(found: Found, context: Context) -> Spoken | Literal["habit"] | None:
    """`金曜日に会った`, `金曜日に会議がある`; what is done (`習っています`) is done week by week."""
    if found["which"] or fragments("dates", "recurs", "ja").search(context.text):
        return "habit"
    number = _KANJI_DAYS[found["weekday"]]
    return spans.day(spans.weekday(number, context.said, "past" if context.lean == "past" else "coming"))


def weekend(found: Found, context: Context) -> Spoken | None:
    return spans.weekend(context.said, _HAN_WHICH.get(found["which"], 0))


def year(found: Found, context: Context) -> Spoken | None:
    return spans.year(context.said.year + _HAN_WHICH[found["which"]])


def _han_number(word: str) -> int:
    """`二十五` is 25, `十` is 10."""
    tens, ten, ones = word.rpartition("十")
    digits = "一二三四五六七八九"
    return (10 * (digits.index(tens) + 1 if tens else 1) if ten else 0) + (digits.index(ones) + 1 if ones else 0)


def day(found: Found, context: Context) -> Spoken | None:
    day, month = _han_number(found["day"]), _han_number(found["month"])
    if fragments("dates", "yearly", "zh").search(context.text):
        return spans.yearly(day, month, context.said)
    return spans.day(spans.nearest_day(day, month, context.said, "none"))


def year_month(found: Found, context: Context) -> Spoken | None:
    month = count_of(found["count"])
    return spans.month(context.said.year + _HAN_WHICH.get(found["which"], 0), month) if month else None


def day_of_month(found: Found, context: Context) -> Spoken | None:
    """`来月の三日`, `下个月15号`."""
    within = spans.month_later(context.said.replace(day=1), _HAN_WHICH.get(found["which"], 0))
    day = int(found["day"]) if found["day"].isdecimal() else _han_number(found["day"])
    return spans.day(within.replace(day=day))


def unit(found: Found, context: Context) -> Spoken | None:
    return unit_away(HAN_UNITS[found["unit"]], _HAN_WHICH.get(found["which"], 0), context.said)
