"""Dates that a text speaks of: where they stand, which days they mean, and how exactly.

Words such as "yesterday" are counted from the day the text was said; the words themselves stay in the quote. No
package for this keeps how exact a date is or looks at the tense, so the grammar is our own: `date_rules` and
`date_meanings`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cache
from typing import Final

import regex

from geniffy_server.domain.memory import Spoken
from geniffy_server.learn.dates import spans
from geniffy_server.learn.dates.composed import Dated, composed
from geniffy_server.learn.dates.grammar import Feature, rules
from geniffy_server.learn.dates.meanings import context_of, count_of
from geniffy_server.learn.lexicon import alternatives, fragments, keyed, listed

LONGEST: Final = 4_000  # characters that are looked at; a sentence that long is data
MOST: Final = 50  # dates that are looked for; what has more is a calendar, and each costs as much as a short sentence


def find(text: str, said: date) -> list[Dated]:
    """Every date that `text` names, in order: its first and last offset, and the days it means.

    Looks at the first `LONGEST` characters, and for no more than `MOST`. A time of day is part of the sentence's day,
    or else of nothing.
    """
    text = text[:LONGEST]
    features = _features(text)
    if not features:
        return []
    context = context_of(text, said)
    before_now = replace(context, lean="past")
    taken: list[tuple[int, int]] = []
    dated: list[Dated] = []
    for rule in rules():
        if rule.needs not in features:
            continue
        for found in rule.pattern.finditer(text):
            start, end = found.span()
            if any(start < until and end > since for since, until in taken):
                continue
            if len(taken) >= MOST:
                return _in_order(text, dated, taken, said)
            is_since = _is_since(text, start, end)
            try:
                spoken = rule.meaning(found, before_now if is_since else context)
            except (ValueError, OverflowError):  # a day that no calendar has
                continue
            if spoken is None:
                continue
            taken.append((start, end))
            if spoken == "habit":
                continue
            if is_since and spoken.low <= said:
                spoken = spans.since(spoken, said)
            dated.append((start, end, spoken))
    return _in_order(text, dated, taken, said)


def pick(text: str, said: date) -> Spoken | None:
    """The date that a statement is about: the first one, or the one it was moved to; None when it names none."""
    dated = find(text, said)
    if not dated:
        return None
    if len(dated) > 1 and fragments("dates", "moved").search(text):
        arrived = [one for start, _, one in dated if _TO.match(text, start) or _BEHIND_TO.search(text, 0, start)]
        return arrived[-1] if arrived else dated[-1][2]
    decided = _DECIDED.search(text) if len(dated) > 1 else None
    if decided and dated[0][0] < decided.end():  # decided this morning: it is on the 19th
        return next((one for start, _, one in dated if start >= decided.end()), dated[0][2])
    return dated[0][2]


_DECIDED: Final = regex.compile(
    r"\b(?:decided|agreed|heard|told|learned|found out|announced|confirmed)\b[^:.;\d]{0,60}?(?:: | that (?=\p{L}+ ))",
    regex.IGNORECASE,
)
_TO: Final = regex.compile(r"to\b", regex.IGNORECASE)
_BEHIND_TO: Final = regex.compile(r"(?<=\bto (?:the )?)$", regex.IGNORECASE)
_BEFORE: Final = 20  # characters looked back for a word such as "since", or "from" and a weekday


def _in_order(text: str, dated: list[Dated], taken: list[tuple[int, int]], said: date) -> list[Dated]:
    """The dates that are when something is, in order; where it has another, one that only names it is none of them."""
    if len(dated) > 1:
        dated = composed(text, dated, said)
    if len(dated) < 2:
        return _with_clock(text, dated, taken)
    others = [one for one in dated if not _names_a_thing(text, *one[:2])] or dated
    return _with_clock(text, _joined(text, sorted(others, key=lambda one: one[:2])), taken)


def _joined(text: str, dated: list[Dated]) -> list[Dated]:
    """The same dates, two that are the first and the last day of one time as that time: `from 3 May to 17 June`."""
    if fragments("dates", "moved").search(text):
        return dated
    joined: list[Dated] = []
    for one in dated:
        whole = _range(text, joined[-1], one) if joined else None
        joined[-1:] = [*joined[-1:], one] if whole is None else [whole]
    return joined


def _range(text: str, first: Dated, last: Dated) -> Dated | None:
    until = _until_day().match(text, last[0]) if last[0] > first[1] else None
    between = text[first[1] : until.end() if until and until.group().strip() else last[0]]
    days = (last[2].low - first[2].low).days
    if not (first[2].precision == last[2].precision == "day" and 0 < days <= _YEAR and _until_day().fullmatch(between)):
        return None
    begins = _from_day().search(text, max(0, first[0] - _BEFORE), first[0])
    opens = fragments("dates", "range_opens").match(text, first[0])
    if begins is None and opens is None and between.strip() not in ("-", "–", "—"):
        return None
    return (begins.start(1) if begins else first[0], last[1], spans.span(first[2], last[2]))


_YEAR: Final = 366  # days


@cache
def _until_day() -> regex.Pattern[str]:
    return regex.compile(rf"\s*(?:[-–—]|{alternatives(listed('dates', 'range_to'))})\s*(?:the )?", regex.IGNORECASE)


@cache
def _from_day() -> regex.Pattern[str]:
    weekday = alternatives(keyed("weekdays"))
    return regex.compile(
        rf"(?:^|\W)((?:{alternatives(listed('dates', 'range_from'))})\s+(?:the )?(?:(?:{weekday}),?\s+)?)$",
        regex.IGNORECASE,
    )


def _names_a_thing(text: str, start: int, end: int) -> bool:
    """Whether the date is a part of a thing's name: `the Christmas party`, `our May invoice`, `the Monday meeting`."""
    word = text[start:end].lower()
    is_day = word in keyed("holidays")
    if not is_day and not (word in keyed("months") or word in keyed("weekdays")):
        return False
    if text[end : end + 1] != " " or not fragments("dates", "dated_things", "en").match(text, end + 1):
        return False
    return is_day or _OWNED.search(text, max(0, start - _BEFORE), start) is not None


_OWNED: Final = regex.compile(r"\b(?:the|our|my|your|his|her|their|this year['’]s) $", regex.IGNORECASE)


_WORD: Final = regex.compile(r"\p{L}[\p{L}\p{M}'-]*[\p{L}\p{M}]|\p{L}")
_PARTS: Final = regex.compile(r"[-']")
_DIGIT: Final = regex.compile(r"\d")
_CJK: Final = regex.compile(r"[年月日号天周週星期礼昨今明后後前きおあ]")


@cache
def _feature_of() -> dict[str, frozenset[Feature]]:
    """Lower-case word to what it is a sign of."""
    sections: tuple[tuple[str, Feature], ...] = (
        ("days", "day"), ("holidays", "day"), ("seasons", "season"), ("pairs", "unit"), ("units", "unit"),
        ("weekdays", "weekday"), ("months", "month"),
    )  # fmt: skip
    signs: dict[str, set[Feature]] = {}
    for section, feature in sections:
        for phrase in keyed(section):
            for word in phrase.split():
                signs.setdefault(word, set()).add(feature)
    for word in keyed("weekdays"):
        signs.setdefault(f"{word}s", set()).add("weekday")
    for word in ("कल", "परसों"):
        signs.setdefault(word, set()).add("day")
    return {word: frozenset(many) for word, many in signs.items()}


def _features(text: str) -> set[Feature]:
    signs = _feature_of()
    features: set[Feature] = set()
    for word in set(_WORD.findall(text.lower())):
        if word in signs:
            features |= signs[word]
        if not word.isalpha():
            for form in (word.removesuffix("'s"), *_PARTS.split(word)):
                if form in signs:
                    features |= signs[form]
    if _DIGIT.search(text):
        features.add("digit")
    if _CJK.search(text):
        features.add("cjk")
    return features


@cache
def _since_before() -> regex.Pattern[str]:
    return regex.compile(rf"(?:^|\W)(?:{alternatives(listed('dates', 'since'))})\s*$", regex.IGNORECASE)


@cache
def _since_at() -> regex.Pattern[str]:
    return regex.compile(rf"(?:{alternatives(listed('dates', 'since'))})\s", regex.IGNORECASE)


@cache
def _since_after() -> regex.Pattern[str]:
    return regex.compile(rf"\s*(?:{alternatives(listed('dates', 'since_after'))})(?![\p{{M}}])")


def _is_since(text: str, start: int, end: int) -> bool:
    return bool(
        _since_before().search(text[max(0, start - _BEFORE) : start])
        or _since_at().match(text, start, end)
        or _since_after().match(text, end)
    )


_CLOCK: Final = regex.compile(
    r"(?:\b(?:at|at about|around|um|à|a las|a la|alle|в|@)\s+)?(?<![\d.:,-])"
    r"(?:(?P<hour>[01]?\d|2[0-3])(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap])\.?m\b\.?"
    r"|(?P<hour>[01]?\d|2[0-3])(?::|\s?h\s?)(?P<minute>[0-5]\d)(?!\d|:\d)|(?P<hour>\d{1,2})\s*(?:Uhr\b|h\b(?!\p{L})|बजे))"
    r"|\b(?:at|um|alle|à)\s+(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d)(?![\d.])"
    r"|\b(?:at|à|a las|alle ore|alle|um|في الساعة|الساعة|בשעה)\s+"
    r"(?P<hour>[01]?\d|2[0-3])(?!\d|[.:]\d|%|\s*\p{L}*(?:st|rd|th))(?=$|[\s,.;!?])"
    r"|\b(?:at\s+)?(?P<named>noon|midday|midnight)\b"
    r"|(?P<part>上午|下午|晚上|早上|午前|午後|中午)\s*(?P<hour>\d{1,2}|[一二两三四五六七八九十]{1,2})\s*[点點時时](?P<thirty>半)?",
    regex.IGNORECASE,
)


_LATE: Final = regex.compile(
    r"\b(?:tonight|this evening|this afternoon|in the (?:afternoon|evening)"
    r"|(?:tomorrow|yesterday) (?:afternoon|evening|night))\b",
    regex.IGNORECASE,
)


def _with_clock(text: str, dated: list[Dated], taken: list[tuple[int, int]]) -> list[Dated]:
    """The same dates, with the first time of day that the sentence names given to its first day."""
    days = [place for place, (_, _, spoken) in enumerate(dated) if spoken.precision == "day"]
    if not days:
        return dated
    for found in _CLOCK.finditer(text):
        start, end = found.span()
        if any(start < until and end > since for since, until in taken) or text[
            max(0, start - 3) : start
        ].rstrip().endswith(" in"):
            continue
        named = (found["named"] or "").lower()
        hour = (0 if named == "midnight" else 12) if named else count_of(found["hour"])
        if hour is None or hour > 23:
            continue
        is_late = found["part"] in ("下午", "晚上", "午後") or (not found["half"] and _LATE.search(text) is not None)
        if ((found["half"] or "").lower() == "p" or is_late) and 0 < hour < 12 and not named:
            hour += 12
        elif (found["half"] or "").lower() == "a" and hour == 12:
            hour = 0
        minute = 30 if found["thirty"] else int(found["minute"] or 0)
        first = min(days, key=lambda place: dated[place][0])
        begins, ends, spoken = dated[first]
        dated[first] = (begins, ends, replace(spoken, precision="minute", clock=60 * hour + minute))
        break
    return dated
