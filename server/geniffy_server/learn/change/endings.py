"""What ends what, where no word is shared: on leave and back, broken and fixed, engaged and married.

Each pair is a fragment of what was so and one of what ends it, and both must be said of the same subject in the same
words. It is knowledge of the world, so it is written out: a pair that is missing leaves both statements as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

import regex

from geniffy_server.learn.change.states import LONGEST, tail_of
from geniffy_server.learn.lexicon import listed

_KEPT: Final = 4_000  # statements of which it is kept whether they may end another
_SIGN: Final = " => "


def ends(held: str, new: str) -> bool:
    """Whether the newer statement names the state that comes after the one that is held, and nothing more."""
    if len(held) > LONGEST or not comes_after(new):
        return False
    for before, after in _pairs():
        was = before.search(held)
        if was is None:
            continue
        now = after.search(new)
        if now is None or tail_of(held, was.end()) or tail_of(new, now.end()) is None:
            continue
        if not _is_of_one(was, now, held, new) or _was_so(new, now):
            continue
        if not (tail_of(new, now.end()) or "").strip():
            return True
    return False


@lru_cache(maxsize=_KEPT)
def comes_after(text: str) -> bool:
    """Whether a statement may be what ends another: it names a state that comes after one."""
    return len(text) <= LONGEST and _any_after().search(text) is not None


@cache
def _any_after() -> regex.Pattern[str]:
    return regex.compile("|".join(after.pattern for _, after in _pairs()), regex.IGNORECASE)


def _is_of_one(was: regex.Match[str], now: regex.Match[str], held: str, new: str) -> bool:
    """Whether both have one subject, and one partner where both name one: engaged to Lina, married Lina."""
    subject, other = _subject(held[: was.start()]), _subject(new[: now.start()])
    partner, later = (found.groupdict().get("who") or "" for found in (was, now))
    both = {f"{subject} and {partner.lower()}", f"{partner.lower()} and {subject}", "we" if subject == "i" else ""}
    if partner and other in both:
        return True
    return bool(subject) and subject == other and (not partner or not later or partner == later)


def _was_so(new: str, now: regex.Match[str]) -> bool:
    """Whether the state is told of the past: `was fine yesterday`, not `was fixed yesterday`."""
    return _WAS.search(new, 0, now.start()) is not None and not _DONE.match(now.group())


_WAS: Final = regex.compile(r"\b(?:was|were)\b", regex.IGNORECASE)
_DONE: Final = regex.compile(r"(?:\p{L}+ )?(?:\p{L}+ed|sold|paid|found|mended|done|shut|put)\b", regex.IGNORECASE)
_LEAD: Final = regex.compile(r"^(?:the|our|my) (?:new|old) ", regex.IGNORECASE)


def _subject(head: str) -> str:
    """The words before a state, without adverbs, so that `I'm` is `I` and `The lift has now` is `the lift`."""
    words = _not_subject().sub(" ", head.casefold().replace("’", "'"))
    return " ".join(_LEAD.sub("", words).strip(" .,!:;").split())


@cache
def _not_subject() -> regex.Pattern[str]:
    return regex.compile(
        rf"(?<![\p{{L}}\p{{M}}])(?:{'|'.join(listed('endings', 'auxiliaries'))})(?![\p{{L}}\p{{M}}])|'(?:s|m|re|ve)\b"
    )


@cache
def _pairs() -> Sequence[tuple[regex.Pattern[str], regex.Pattern[str]]]:
    jobs = f"(?:{'|'.join(listed('endings', 'occupations'))})"
    made = []
    for pair in listed("endings", "pairs"):
        before, after = (one.replace("{occupation}", jobs).replace("{who}", _WHO) for one in pair.split(_SIGN))
        made.append((_pattern(before), _pattern(after)))
    return made


_WHO: Final = r"(?P<who>(?-i:\p{Lu})[\p{L}\p{M}'’-]+)"


def _pattern(fragment: str) -> regex.Pattern[str]:
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{fragment})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)
