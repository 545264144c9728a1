"""What lastingly holds of a person, and what is going on for them now, out of the memories about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from geniffy_server.domain.answer import Profile, Trait
from geniffy_server.domain.memory import OWNER, Memory
from geniffy_server.recall.names import asks_of_owner, share_a_name
from geniffy_server.recall.wording import says_the_same

MOST_TRAITS: Final = 12
_RECENT: Final = timedelta(days=14)
_OPEN_PLAN: Final = timedelta(days=60)  # a plan without a day is dropped after two months
_AHEAD: Final = timedelta(days=90)


def profile(memories: Sequence[Memory], subject: str | None, today: date) -> Profile:
    """A profile of `subject`, None for the memory's owner, from usable memories; at most 12 traits of each sort.

    Memories about others are passed over: `considered` counts those of the subject. A part of a name means the whole.
    `lasting`: tastes, and what holds of a person with no day to it; the more often it was said, the earlier it stands.
    `current`: plans still to come and what lies near today, soonest first. Both are empty when nothing is known.
    """
    theirs = [memory for memory in memories if _is_of(memory, subject)]
    current = [memory for memory in theirs if _is_current(memory, today)]
    lasting = [memory for memory in theirs if _is_lasting(memory) and memory not in current]
    told = sorted(_traits(lasting), key=lambda trait: (-len(trait.memories), -trait.memories[0].said_at.timestamp()))
    going_on = sorted(_traits(current), key=lambda trait: _distance(trait.memories[0], today))
    return Profile(subject, told[:MOST_TRAITS], going_on[:MOST_TRAITS], considered=len(theirs))


def _is_of(memory: Memory, subject: str | None) -> bool:
    if subject is None:
        spoken_of_self = memory.kind == "pref" or asks_of_owner(memory.quote)
        return memory.about == OWNER or (memory.about is None and spoken_of_self)
    return memory.about is not None and share_a_name(memory.about, subject)


def _is_current(memory: Memory, today: date) -> bool:
    said = memory.said_at.date()
    time = memory.spoken
    if memory.kind == "plan":
        return time.high >= today if _has_day(memory) and time else today - said <= _OPEN_PLAN
    if time is None or not _has_day(memory):
        return False
    return time.high >= today - _RECENT and time.low <= today + _AHEAD


def _is_lasting(memory: Memory) -> bool:
    if memory.kind == "plan":
        return False
    return memory.kind == "pref" or not _has_day(memory)


def _has_day(memory: Memory) -> bool:
    """Whether it speaks of a time that passes: not one that recurs, goes on since, or is a year long."""
    return memory.spoken is not None and memory.spoken.precision not in ("yearly", "since", "year")


def _distance(memory: Memory, today: date) -> tuple[int, float]:
    """Days to what it speaks of, what has no day last; the newer of equals first."""
    days = abs((memory.spoken.low - today).days) if memory.spoken else _AHEAD.days
    return days, -memory.said_at.timestamp()


def _traits(memories: Sequence[Memory]) -> list[Trait]:
    """Wordings of one thing as one trait, told in the newest words, its memories newest first."""
    groups: list[list[Memory]] = []
    for memory in sorted(memories, key=lambda one: (one.said_at, one.id), reverse=True):
        for group in groups:
            if says_the_same(memory, group[0]):
                group.append(memory)
                break
        else:
            groups.append([memory])
    return [Trait(" ".join(group[0].text.split()), tuple(group)) for group in groups]
