"""When a thing's time, size or name is set anew: `The workshop is on 9 March`, `… has been postponed to 23 March`."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.domain.text import folded
from geniffy_server.learn.lexicon import keyed, listed

LONGEST: Final = 160  # characters
_KEPT: Final = 4_000  # statements of which it is kept what they set anew
_HELD_WORDS: Final = 7  # that a held statement may say of the thing beside its name


def is_reset(held: str, new: str) -> bool:
    """Whether the newer statement moves the value that the held one gives the same thing, a number or a day."""
    if len(held) > LONGEST:
        return False
    for what, sorts in _set_anew(new):
        said = _words(held)
        rest = said[len(what) :]
        if said[: len(what)] == what and len(rest) <= _HELD_WORDS and not _names_another(rest):
            return bool(sorts) and sorts == _sorts(rest)
    return False


@lru_cache(maxsize=_KEPT)
def _set_anew(new: str) -> list[tuple[list[str], set[str]]]:
    """The thing that is set anew and the sorts of its value, as each pattern reads it; empty for most statements."""
    if len(new) > LONGEST:
        return []
    found = [pattern.fullmatch(new.strip()) for pattern in _moved()]
    read = [(_words(one["what"]), _words(one["value"])) for one in found if one is not None]
    # What was delayed yesterday was so that once.
    return [(what, _sorts(value)) for what, value in read if what and not set(value) & _one_day()]


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
    sorts = {"day" for word in words if word in _days()}
    if any(_CLOCK.fullmatch(word) or word in _CLOCK_WORDS for word in words):
        return sorts | {"time"}
    if not sorts and any(word[0].isdigit() or word in _numbers() for word in words):
        return {"number"}
    return sorts


_CLOCK: Final = regex.compile(r"\d{1,2}[:.]\d\d(?:[ap]m)?|\d{1,2}[ap]m")
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


@cache
def _moved() -> tuple[regex.Pattern[str], ...]:
    return tuple(
        regex.compile(
            one.replace("{what}", r"(?P<what>.{2,60}?)").replace("{value}", r"(?P<value>.{1,40}?)") + "[.!。]?",
            regex.IGNORECASE,
        )
        for one in listed("change", "resets")
    )
