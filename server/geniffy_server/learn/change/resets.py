"""When a thing's time or size is set anew, when it is called off, or switched on and off.

`The workshop is on 9 March`, `The workshop has been postponed to 23 March`, `The workshop is cancelled`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

import regex

from geniffy_server.domain.text import folded
from geniffy_server.learn.language import possible_languages
from geniffy_server.learn.lexicon import LANGUAGES, keyed, listed

LONGEST: Final = 160  # characters
_KEPT: Final = 4_000  # statements of which it is kept what they set anew
_HELD_WORDS: Final = 7  # that a held statement may say of the thing beside its name


def is_reset(held: str, new: str) -> bool:
    """Whether the newer statement moves the value that the held one gives the same thing, a number or a day."""
    if len(held) > LONGEST:
        return False
    for what, sorts in set_anew(new):
        rest = _rest(held, what)
        if rest is not None:
            return bool(sorts) and sorts <= _sorts(rest)
    return False


def is_reset_of_one(held: str, new: str) -> bool:
    """Whether the newer one may move the value of a thing of that kind: `The summer fair is`, `The fair moves to`."""
    if len(held) > LONGEST or not regex.match(r"(?:the|our) ", new, regex.I):
        return False
    return any(
        sorts and (rest := _rest(held, what, after=1)) is not None and sorts <= _sorts(rest)
        for what, sorts in set_anew(new)
    )


def is_called_off(held: str, new: str) -> bool:
    """Whether the newer statement says that what the held one gives a time to does not take place."""
    if len(held) > LONGEST:
        return False
    planned = _planned().match(held.strip())
    rest = None if (what := called_off(new)) is None else _rest(held[planned.end() :] if planned else held, what)
    return rest is not None and bool(_sorts(rest) & {"day", "time"})


def is_switched(held: str, new: str) -> bool:
    """Whether one says that a thing is on and the other that it is off, in whatever words."""
    one, other = switched(held), switched(new)
    return one is not None and other is not None and one[0] == other[0] and one[1] != other[1]


@lru_cache(maxsize=_KEPT)
def set_anew(new: str) -> list[tuple[list[str], set[str]]]:
    """The thing that is set anew and the sorts of its value, as each pattern reads it; empty for most statements."""
    if len(new) > LONGEST:
        return []
    new = _REASON.sub("", new.strip())
    found = [pattern.fullmatch(new) for pattern in _moved("resets", new)]
    read = [(_words(one["what"]), _words(one["value"])) for one in found if one is not None]
    # What was delayed yesterday was so that once.
    return [(what, _sorts(value)) for what, value in read if what and not set(value) & _one_day()]


_REASON: Final = regex.compile(r",? (?:because|since|due to|owing to|weil|wegen|porque|parce que|perché) .*$", regex.I)


@lru_cache(maxsize=_KEPT)
def called_off(new: str) -> list[str] | None:
    """The words of the thing that a statement says is called off; None for most statements."""
    for pattern in _moved("called_off", new) if len(new) <= LONGEST else ():
        found = pattern.fullmatch(new.strip())
        if found is not None:
            return _words(found["what"]) or None
    return None


@lru_cache(maxsize=_KEPT)
def switched(text: str) -> tuple[tuple[str, ...], bool] | None:
    """The words of the thing that a statement says is on, or off, and whether it is on; None for most statements."""
    for key in ("is_on", "is_off") if len(text) <= LONGEST else ():
        for pattern in _moved(key, text):
            found = pattern.fullmatch(text.strip())
            if found is not None and (what := _words(found["what"])):
                return tuple(what), key == "is_on"
    return None


def _rest(held: str, what: list[str], after: int = 0) -> list[str] | None:
    """What a held statement says of a thing that it begins with, after so many words; None where it is of another."""
    said = _words(held)[after:]
    if len(what) == 1 and _SPACELESS.match(what[0]):
        flat = folded(held).strip()
        return [*_CJK_PART.findall(flat[len(what[0]) :])] if flat.startswith(what[0]) else None
    rest = said[len(what) :]
    return rest if said[: len(what)] == what and len(rest) <= _HELD_WORDS and not _names_another(rest) else None


_SPACELESS: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_CJK_PART: Final = regex.compile(
    r"[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]|\d+月|\d+(?=日|号)|\d+[点時]|[^\s\p{P}]"
)


@cache
def _planned() -> regex.Pattern[str]:
    many = "|".join(listed("change", "planned"))
    return regex.compile(rf"(?:{many})(?![\p{{L}}\p{{M}}])\s*", regex.IGNORECASE)


def are_of_a_sort(held: str, new: str) -> bool:
    """Whether two statements give values of one sort, or either none: an hour is no other value for a day."""
    sorts, others = _sorts(_words(held)), _sorts(_words(new))
    return not sorts or not others or bool(sorts & others)


def _names_another(rest: list[str]) -> bool:
    """Whether the held words go on naming the thing: `The meeting with Ana is at 10`."""
    return bool(rest) and rest[0] in {"with", "for", "of", "about", "in", "and", "or"}


_LEADS: Final = frozenset({"the", "our", "my", "der", "die", "das", "la", "le", "el", "il", "lo", "l"})


def _words(text: str) -> list[str]:
    found = regex.findall(r"[\p{L}\p{M}\p{N}:.]*[\p{L}\p{M}\p{N}]", folded(text))
    return found[1:] if found and found[0] in _LEADS else found


def _sorts(words: list[str]) -> set[str]:
    """What sorts of values these words hold: the time of a day, a day, a number."""
    sorts = {"day" for word in words if word in _days() or _CJK_DAY.fullmatch(word)}
    if any(f"{_PREFIX.sub('', one)} {other}" in _days() for one, other in pairwise(words)):
        sorts.add("day")
    if any(_CLOCK.fullmatch(word) or word in _CLOCK_WORDS for word in words):
        return sorts | {"time"}
    if not sorts and any(_CODE.fullmatch(word) for word in words):
        return {"code"}
    if not sorts and any(word[0].isdigit() or word in _numbers() for word in words):
        return {"number"}
    return sorts


_CJK_DAY: Final = regex.compile(r"[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]|\d+月")
_PREFIX: Final = regex.compile(r"^[בלה](?=יום$)")
_CLOCK: Final = regex.compile(r"\d{1,2}[:.]\d\d(?:[ap]m)?|\d{1,2}(?:[ap]m|h|[点時])")
_CODE: Final = regex.compile(r"\p{Latin}{1,3}-?\d{1,4}\p{Latin}?")
_CLOCK_WORDS: Final = frozenset({"am", "pm", "a.m", "p.m", "uhr", "noon", "midnight", "o'clock", "h"})


@cache
def _one_day() -> frozenset[str]:
    return frozenset(folded(word) for word in keyed("days"))


@cache
def _numbers() -> frozenset[str]:
    return frozenset(folded(word) for word in keyed("numbers"))


@cache
def _days() -> frozenset[str]:
    return frozenset(folded(word) for section in ("weekdays", "months") for word in keyed(section))


def _moved(key: str, text: str) -> Iterator[regex.Pattern[str]]:
    """The patterns of this key in the languages whose script the text has."""
    possible = possible_languages(text)
    return (pattern for language, pattern in _every_moved(key) if language in possible)


@cache
def _every_moved(key: str) -> tuple[tuple[str, regex.Pattern[str]], ...]:
    return tuple(
        (
            language,
            regex.compile(
                one.replace("{what}", r"(?P<what>.{2,60}?)").replace("{value}", r"(?P<value>.{1,40}?)") + "[.!。]*",
                regex.IGNORECASE,
            ),
        )
        for language in LANGUAGES
        for one in listed("change", key, language)
    )
