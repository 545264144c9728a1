"""The grammar of spoken dates in eleven languages: each rule a pattern, and the function that says what it means.

The order is that of precedence: words that an earlier rule took are not looked at again. Month and weekday names that
are words too ("may", "march", "sun") count only with a capital, a preposition or a number beside them; a bare year only
after a preposition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import regex

from geniffy_server.learn.dates import han, weekdays
from geniffy_server.learn.dates import meanings as means
from geniffy_server.learn.lexicon import alternatives, keyed, listed, words

Feature = Literal["digit", "month", "weekday", "unit", "day", "season", "cjk"]
"""What a rule's words hold, so that a text without it need not be tried."""


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    needs: Feature
    pattern: regex.Pattern[str]
    meaning: means.Meaning


_YEAR: Final = r"(?:19|20)\d\d"
_ORDINAL: Final = r"(?:st|nd|rd|th|er|\.|º)?"


@cache
def rules() -> Sequence[Rule]:
    """Every rule in its order, compiled once."""
    month, weekday, unit = alternatives(keyed("months")), alternatives(keyed("weekdays")), alternatives(keyed("units"))
    number, season = alternatives(keyed("numbers")), alternatives(keyed("seasons"))
    hebrew_months = alternatives(word for word in keyed("months") if word.startswith("ב"))  # בנובמבר
    pair, lone = alternatives(keyed("pairs")), alternatives(_lone_units())
    of = f"(?:(?:{alternatives(listed('dates', 'of'))})\\s+)?"
    article = f"(?:(?:{alternatives(listed('dates', 'article'))})\\s*)?"
    last, this, coming = (alternatives(listed("dates", key)) for key in ("last", "this", "next"))
    which = f"(?P<which>{last}|{this}|{coming})\\s+"
    which_after = f"\\s+(?P<which>{alternatives(listed('dates', 'last_after') + listed('dates', 'next_after'))})"
    count = f"(?P<count>\\d{{1,3}}|{number})"
    to = f"\\s*(?:-|–|—|{alternatives(listed('dates', 'range_to'))})\\s*"
    start = f"(?:(?:{alternatives(listed('dates', 'range_from'))})\\s+)?"
    before_weekday = alternatives(
        listed("dates", "before_weekday") + listed("dates", "habit") + listed("dates", "until")
    )
    latin_days = alternatives(word for word in keyed("days") if not _is_cjk(word))
    cjk_days = alternatives(word for word in keyed("days") if _is_cjk(word))
    upto = alternatives(listed("dates", "until"))
    ahead, ago = (alternatives(listed("dates", key)) for key in ("ahead", "ago"))
    ago_before, since = (alternatives(listed("dates", key)) for key in ("ago_before", "since"))
    nth = (
        rf"(?P<which>first|second|third|fourth|last)\s+(?P<weekday>{weekday})\s+(?:of|in)\s+"
        rf"(?:(?P<recurs>each|every|the)\s+month|(?P<month>{month})(?:,?\s+(?P<year>{_YEAR}))?)"
    )
    part = r"(?P<part>\s+(?:morning|afternoon|evening|night))?"
    han_count = (
        r"(?P<count>\d{1,3}|[一二两三四五六七八九十]{1,2})\s*(?:个|か|ヶ|カ)?\s*(?P<unit>天|日|周|週間?|星期|月|年)"
    )
    day, dmonth, year = (
        r"(?P<day>\d{1,2})",
        f"(?P<month>{month})(?:\\.(?=,?\\s+(?:\\d|(?-i:\\p{{Ll}}))))?",
        f"(?P<year>{_YEAR})",
    )
    after_day = f"{_ORDINAL}\\s+{of}"
    of_year = f"(?:,?\\s+{of}{year})?"
    return (
        _rule("iso", "digit", f"{year}-(?P<month>\\d\\d?)-{day}(?!\\d)", means.numbers, shut=False),
        _rule(
            "d.m.",
            "digit",
            rf"(?:am|vom|bis|zum|ab|seit|den|dem)\s+{day}\.(?P<month>\d{{1,2}})\.?(?!\.?\d|\s*(?:Uhr|€|%))",
            means.short_day,
            shut=False,
        ),
        _rule(
            "d/m",
            "digit",
            rf"(?:le|il|el|du|dal|del|al|entro il|jusqu['’]au)\s+{day}/(?P<month>\d{{1,2}})(?<!24/7)(?!/|\s*%)",
            means.short_day,
        ),
        _rule(
            "cjk day",
            "cjk",
            rf"(?:{year}\s*年)?\s*(?P<month>\d{{1,2}})\s*月\s*{day}\s*[日号號]",
            means.numbers,
            open=False,
            shut=False,
        ),
        _rule(
            "han day",
            "cjk",
            r"(?P<month>[一二三四五六七八九十]{1,2})月(?P<day>[一二三四五六七八九十]{1,3})[日号號]",
            han.day,
            open=False,
            shut=False,
        ),
        _rule(
            "cjk month",
            "cjk",
            rf"{year}\s*年(?:\s*(?P<month>\d{{1,2}})\s*月)?",
            means.year_month,
            open=False,
            shut=False,
        ),
        _rule("d.m.y", "digit", f"{day}[./](?P<month>\\d{{1,2}})[./]{year}", means.numbers),
        _rule("m/y", "digit", "(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:19|20)\\d\\d)(?![/\\d])", means.year_month),
        _rule("years", "digit", f"{start}{year}{to}(?P<last>{_YEAR})", means.years),
        _rule("week of", "month", f"(?:the )?week of (?:the )?{day}{after_day}{dmonth}{of_year}", means.week_of),
        _rule(
            "d to d month",
            "month",
            f"{start}{day}{_ORDINAL}{to}(?P<last>\\d{{1,2}}){after_day}{dmonth}{of_year}",
            means.days,
        ),
        _rule("d month", "month", f"{day}{after_day}{dmonth}{of_year}", means.named_day),
        _rule(
            "month d to d",
            "month",
            f"{dmonth}\\s+{day}{_ORDINAL}{to}(?P<last>\\d{{1,2}}){_ORDINAL}(?!\\d|[.:]\\d){of_year}",
            means.days,
        ),
        _rule("month d", "month", f"{dmonth}\\s+{day}(?:st|nd|rd|th)?(?!\\d|[.:]\\d){of_year}", means.named_day),
        _rule("holiday", "day", f"(?P<holiday>{alternatives(keyed('holidays'))}){of_year}", means.holiday),
        _rule("season", "digit", rf"(?:in\s+)?(?:the\s+)?(?P<season>{season})\s+{of}{year}", means.season),
        _rule("which season", "season", rf"(?:{which})(?P<season>{season})", means.which_season),
        _rule("season which", "season", rf"{article}(?P<season>{season}){which_after}", means.which_season),
        _rule(
            "cjk season",
            "cjk",
            r"(?P<which>去|昨|今|明|来)年の?(?P<season>[春夏秋冬])[天季]?",
            han.season,
            open=False,
            shut=False,
        ),
        _rule(
            "month to month",
            "month",
            f"(?:{alternatives(listed('dates', 'range_from'))})\\s+{dmonth}{to}(?P<last>{month}){of_year}",
            means.months,
        ),
        _rule("month year", "month", f"{dmonth},?\\s+{of}{year}", means.month_year),
        _rule(
            "quarter",
            "digit",
            rf"(?:Q(?P<quarter>[1-4])(?:\s*/?\s*{year})?|{year}[- ]?Q(?P<quarter>[1-4]))",
            means.quarter,
        ),
        _rule(
            "the nth",
            "digit",
            rf"(?P<before>{upto}|on|for)\s+the\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)(?!\s+(?:\p{{L}}+\s+)?(?:of|floor|street|avenue|century|grade|place|time|edition|anniversary|birthday|day|week))",
            means.day_of_month,
        ),
        _rule(
            "is the nth",
            "digit",
            r"(?:is|was|['’]s|due)\s+the\s+(?P<day>\d{1,2})(?:st|nd|rd|th)(?=\s*(?:[.,;!?)]|$)|\s+(?:and|at|but|so)\b)",
            means.day_of_month,
            open=False,
        ),
        _rule(
            "the nth to the nth",
            "digit",
            rf"(?:{alternatives(listed('dates', 'range_from'))})\s+the\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th){to}the\s+"
            r"(?P<last>\d{1,2})(?:st|nd|rd|th)(?!\s+(?:\p{L}+\s+)?(?:of|floors?|streets?|avenues?|centur(?:y|ies)|grades?|places?))",
            means.days_of_month,
        ),
        _rule("half year", "digit", rf"H(?P<half>[12])\s*/?\s*{year}", means.half_year),
        _rule("fiscal year", "digit", rf"FY\s?(?P<year>{_YEAR}|\d\d)", means.fiscal_year),
        _rule("decade", "digit", r"(?:the\s+)?(?P<year>(?:19|20)\d0)s", means.decade),
        _rule("half ago", "unit", rf"half (?:a|an) year\s+(?:{ago})", means.half_year_ago),
        _rule("for so long", "unit", rf"(?:{since})\s+{count}\s+(?P<unit>{unit})", means.ago),
        _rule(
            "ago",
            "unit",
            rf"(?:about\s+)?{count}\s+(?:of\s+)?(?P<unit>{unit})\s+(?:{alternatives(listed('dates', 'ago'))})",
            means.ago,
        ),
        _rule("pair ago", "unit", rf"(?:{ago_before})\s+(?P<pair>{pair})", means.pair_ago),
        _rule("pair ahead", "unit", rf"(?:{ahead})\s+(?P<pair>{pair})", means.pair_ahead),
        _rule("one ago", "unit", rf"(?:{ago_before})\s+(?P<unit>{lone})", means.one_ago),
        _rule("one ahead", "unit", rf"(?:{ahead})\s+(?P<unit>{lone})", means.one_ahead),
        _rule(
            "unit after next",
            "unit",
            r"(?:the )?(?P<unit>week|month|year) (?P<which>after next|before last)",
            means.two_away,
        ),
        _rule("unit two away", "unit", rf"(?P<which>übernächste|vorletzte)[nrs]?\s+(?P<unit>{unit})", means.two_away),
        _rule(
            "ahead after",
            "unit",
            rf"{count}\s+(?P<unit>{unit})\s+(?:{alternatives(listed('dates', 'ahead_after'))})",
            means.ahead_untold,
        ),
        _rule("nth weekday", "weekday", nth, weekdays.nth_weekday),
        _rule("from now", "unit", rf"{count}\s+(?:of\s+)?(?P<unit>{unit})\s+from\s+(?:now|today)", means.ahead),
        _rule(
            "ago before",
            "unit",
            rf"(?:{ago_before})\s+{count}\s+(?P<unit>{unit})",
            means.ago,
        ),
        _rule(
            "ahead",
            "unit",
            rf"(?:{ahead})\s+(?:about\s+)?{count}\s+(?:of\s+)?(?P<unit>{unit})(?:'?s?\s+time)?",
            means.ahead,
        ),
        _rule("cjk ago", "cjk", han_count + r"(?:之?前|まえ)", means.ago, open=False, shut=False),
        _rule("cjk ahead", "cjk", han_count + r"(?:之?后|之?後)", means.ahead, open=False, shut=False),
        _rule(
            "cjk day of month",
            "cjk",
            r"(?P<which>上上|下下|再来|先々|上|下|这|這|本|先|来|今)[个個]?月の?(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})[日号號]",
            han.day_of_month,
            open=False,
            shut=False,
        ),
        _rule(
            "cjk weekday",
            "cjk",
            r"(?P<which>上上|下下|再来|先々|上|下|这|這|本|先|来|今|每|毎)?[个個]?(?:周|週|星期|礼拜|禮拜)(?:の)?(?P<weekday>[一二三四五六日天月火水木金土])(?:曜日?)?",
            han.weekday,
            open=False,
            shut=False,
        ),
        _rule(
            "cjk year month",
            "cjk",
            r"(?P<which>去|昨|今|明|来|一昨|前|后|後|再来)年の?(?P<count>\d{1,2}|[一二三四五六七八九十]{1,2})月",
            han.year_month,
            open=False,
            shut=False,
        ),
        _rule(
            "cjk unit",
            "cjk",
            r"(?P<which>上上|下下|再来|先々|一昨|上|下|这|這|本|先|来|今|去|昨|明)[个個]?(?P<unit>周|週|星期|月|年)(?!間|末)",
            han.unit,
            open=False,
            shut=False,
        ),
        _rule(
            "cjk weekend",
            "cjk",
            r"(?P<which>上上|下下|再来|先々|上|下|这|這|本|先|来|今)[个個]?[周週]末",
            han.weekend,
            open=False,
            shut=False,
        ),
        _rule("cjk year two away", "cjk", r"(?<![\d\p{Han}])(?P<which>前|后|後)年", han.year, open=False, shut=False),
        _rule("cjk half year ago", "cjk", r"半年(?:之?前|まえ)", means.half_year_ago, open=False, shut=False),
        _rule(
            "kanji weekday",
            "cjk",
            r"(?P<which>毎週)?(?P<weekday>[月火水木金土日])曜日?(?=に|の|から|まで|、|夜|朝|午前|午後)",
            han.weekday_by_sign,
            open=False,
            shut=False,
        ),
        _rule("day", "day", f"(?P<day>{latin_days}){part}", means.relative_day),
        _rule("cjk relative day", "cjk", f"(?P<day>{cjk_days})", means.relative_day, open=False, shut=False),
        _rule("hindi kal", "day", "(?P<day>कल|परसों)", means.hindi_day),
        _rule("which unit", "unit", f"{which}(?P<unit>{unit})", means.which_unit),
        _rule("unit which", "unit", f"{article}(?P<unit>{unit}){which_after}", means.which_unit),
        _rule("which weekday", "weekday", f"{which}(?P<weekday>{weekday})", weekdays.which_weekday),
        _rule("weekday which", "weekday", f"{article}(?P<weekday>{weekday}){which_after}", weekdays.which_weekday),
        _rule("which month", "month", f"{which}{dmonth}", means.which_month),
        _rule("weekdays ago", "weekday", rf"{count}\s+(?P<weekday>{weekday})s?\s+(?:{ago})", weekdays.weekdays_ago),
        _rule("end of", "unit", r"(?:the\s+)?end of (?:the|this)\s+(?P<unit>month|year|week)", means.end_of),
        _rule(
            "weekday and day",
            "weekday",
            rf"(?:(?:{before_weekday}|from)\s+)?(?P<weekday>{weekday})(?:\s*,?\s+(?:the|den|dem|der|le|il|el|día))?\s+{day}"
            r"(?:st|nd|rd|th|\.|º)?(?![\d:%/]|[.,]\d)"
            r"(?=$|[.,;!?)]|\s+(?:at|in|to|until|till|à|a|alle|um|im|en|bei|beim|chez|da|del|with|con|avec|mit)\s)",
            weekdays.weekday_and_day,
            shut=False,
        ),
        _rule(
            "on weekday",
            "weekday",
            f"(?P<before>{before_weekday})\\s+(?P<weekday>{weekday})(?P<plural>s?){part}",
            weekdays.weekday,
        ),
        _rule(
            "weekday",
            "weekday",
            rf"(?:^|(?<=\s|\())(?P<weekday>{weekday})(?P<plural>s?){part}",
            weekdays.bare_weekday,
            open=False,
        ),
        _rule(
            "to month",
            "month",
            f"(?:{alternatives(listed('dates', 'to_month'))})\\s+(?:mid-?|early |late |the end of )?{dmonth}(?!['’]s)",
            means.month_to,
        ),
        _rule("part of month", "month", rf"(?:early|late|mid)(?:-| ){dmonth}", means.bare_month),
        _rule(
            "month in",
            "month",
            rf"{dmonth}(?=\s+(?:{alternatives(listed('dates', 'after_month'))})(?![\p{{L}}\p{{M}}]))",
            means.bare_month,
        ),
        _rule("hebrew month", "month", f"(?P<month>{hebrew_months})", means.bare_month),
        _rule(
            "in month",
            "month",
            f"(?:{alternatives(listed('dates', 'before_month'))})\\s+(?:mid-?|early |late |the end of )?{dmonth}",
            means.bare_month,
        ),
        _rule(
            "in year",
            "digit",
            rf"(?:{alternatives(listed('dates', 'before_year'))})\s+(?:el año |the year )?{year}",
            means.year,
        ),
        _rule("year with a letter", "digit", rf"ב-?{year}", means.year),
        _rule(
            "year after",
            "digit",
            rf"{year}(?=\s*(?:{alternatives(listed('dates', 'after_year'))}))",
            means.year,
            shut=False,
        ),
    )


def _lone_units() -> list[str]:
    """Units that stand without a number for one of them, in languages that say so: "a week ago" in Arabic, Hebrew."""
    return [word for language in ("ar", "he") for many in words(language)["units"].values() for word in many]


def _rule(
    name: str, needs: Feature, pattern: str, meaning: means.Meaning, *, open: bool = True, shut: bool = True
) -> Rule:
    whole = (r"(?<![\p{L}\p{M}\p{N}.])" if open else "") + f"(?:{pattern})" + (r"(?![\p{L}\p{M}\p{N}])" if shut else "")
    return Rule(name, needs, regex.compile(whole, regex.IGNORECASE), meaning)


def _is_cjk(word: str) -> bool:
    return bool(regex.match(r"[\p{Han}\p{Hiragana}]", word))
