"""What lastingly holds of a person, and what is going on for them now, out of the memories about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from typing import Final

import regex

from geniffy_server.domain.answer import Profile, Trait
from geniffy_server.domain.memory import OWNER, Memory
from geniffy_server.domain.text import folded
from geniffy_server.learn.change.happenings import is_happening
from geniffy_server.learn.change.states import states
from geniffy_server.learn.lexicon import fragments
from geniffy_server.recall.happenings import is_reply, said
from geniffy_server.recall.lexicon import language_of_question, pattern
from geniffy_server.recall.names import asks_of_owner, spaced
from geniffy_server.recall.wording import says_the_same

MOST_TRAITS: Final = 12
_RECENT: Final = timedelta(days=14)
_OPEN_PLAN: Final = timedelta(days=60)  # a plan without a day is dropped after two months
_AHEAD: Final = timedelta(days=365)
_SOME_DAY: Final = 90  # days away: where a plan without a day stands among those with one
# `Ana's son Tim plays chess` is told of him; `Ana's son is Tim` of her.
_RELATIVES: Final = (
    r"mother|father|mum|mom|dad|brother|sister|son|daughter|wife|husband|partner|uncle|aunt|cousin|nephew|niece"
    r"|grand\p{Ll}+|friend|boss|manager|colleague|neighbou?r|(?:boy|girl)friend"
)
_RELATIVE: Final = regex.compile(
    rf"['’]s? (?:\p{{Ll}}+ )?(?:{_RELATIVES})s?(?!(?: is| are| was|'s name is)(?: called| named)? \p{{Lu}}|: )\b"
)

_CLAUSES: Final = regex.compile(r"[,;]| and ")


def profile(memories: Iterable[Memory], subject: str | None, today: date, *, meant: Collection[str]) -> Profile:
    """A profile of `subject`, None for the memory's owner, from usable memories; at most 12 traits of each sort.

    `meant` are the subjects of memories that count (`subjects_meant`); OWNER among them stands for the owner, who also
    has the tastes that are told of nobody. `considered` counts the memories that are theirs.
    `lasting`: tastes, and what holds of a person with no day to it; the more often it was said, the earlier it stands,
    and of what was said as often, tastes and what they are, have or do as a rule before what happened once (`_weight`).
    `current`: plans still to come and what lies near today, soonest first. Both are empty when nothing is known.
    """
    theirs = [memory for memory in memories if _is_of(memory, meant)]
    current = [memory for memory in theirs if _is_current(memory, today)]
    lasting = [memory for memory in theirs if _is_lasting(memory, today) and memory not in current]
    told = sorted(_traits(lasting), key=_place)
    going_on = sorted(_traits(current), key=lambda trait: _distance(trait.memories[0], today))
    return Profile(subject, told[:MOST_TRAITS], going_on[:MOST_TRAITS], considered=len(theirs))


def subjects_meant(asked: str, known: Collection[str]) -> set[str]:
    """Those of the known subjects that a name means: itself, and the one longer or shorter name that is the same's.

    `Kim` means `Kim Park` unless there is a `Kim Lee` too, and `Kim Park` is meant by `Kim` alone on the same terms.
    Case and accents do not count. Empty when nobody of that name is known.
    """
    words = {name: frozenset(spaced(name).split()) for name in known}
    wanted = frozenset(spaced(asked).split())
    exact = {name for name, held in words.items() if held == wanted}
    longer = {name for name, held in words.items() if wanted < held and folded(name).split()[0] in wanted}
    shorter = {name for name, held in words.items() if held < wanted}
    if len({words[name] for name in longer}) > 1:
        longer = set()
    others = [held for held in words.values() if not held <= wanted]
    return exact | longer | {name for name in shorter if not any(words[name] < held for held in others)}


def _is_of(memory: Memory, meant: Collection[str]) -> bool:
    if memory.about is None:
        is_anothers = said(memory) != memory.text
        return OWNER in meant and not is_anothers and (memory.kind == "pref" or asks_of_owner(memory.quote))
    return memory.about in meant and not _is_of_a_relative(memory)


def _is_of_a_relative(memory: Memory) -> bool:
    owner = (memory.about or "").split()
    at = memory.text.find(owner[-1]) if owner else -1
    return at >= 0 and _RELATIVE.match(memory.text, at + len(owner[-1])) is not None


def _is_current(memory: Memory, today: date) -> bool:
    said = memory.said_at.date()
    time = memory.spoken
    if time and time.precision == "since" and time.low >= today - _RECENT:
        return True
    if memory.kind == "plan":
        return time.high >= today if _has_day(memory) and time else today - said <= _OPEN_PLAN
    if time is None or not _has_day(memory):
        return False
    return time.high >= today - _RECENT and time.low <= today + _AHEAD


def _is_lasting(memory: Memory, today: date) -> bool:
    if memory.kind == "plan" or fragments("change", "formerly").search(memory.text) or is_reply(memory):
        return False
    return memory.kind == "pref" or not _has_day(memory) or _began_to_hold(memory, today)


def _place(trait: Trait) -> tuple[int, int, float]:
    newest = trait.memories[0]
    return -len(trait.memories), -_weight(newest), -newest.said_at.timestamp()


def _weight(memory: Memory) -> int:
    """How much a statement tells of a person: 2 for tastes and what goes on, 0 for what happened, 1 for all else."""
    text = said(memory)
    recurs = memory.spoken is not None and memory.spoken.precision in ("yearly", "since")
    holds = any(states(clause.strip(), memory.about) for clause in _CLAUSES.split(text))
    if memory.kind == "pref" or recurs or holds:
        return 2
    return 0 if is_happening(text) or text.isupper() or text.endswith("!") else 1


def _began_to_hold(memory: Memory, today: date) -> bool:
    """Whether it tells since when something holds: `I moved to Lisbon in May`, `Kim was born on 3 May 1990`."""
    if memory.spoken is None or memory.spoken.low > today:
        return False
    born = pattern(language_of_question(memory.text), "holds", "age")
    return bool(states(memory.text, memory.about)) or born.search(memory.text) is not None


def _has_day(memory: Memory) -> bool:
    """Whether it speaks of a time that passes: not one that recurs, goes on since, or is a year long."""
    return memory.spoken is not None and memory.spoken.precision not in ("yearly", "since", "year")


def _distance(memory: Memory, today: date) -> tuple[int, float]:
    """Days to what it speaks of, what has no day last; the newer of equals first."""
    days = abs((memory.spoken.low - today).days) if memory.spoken else _SOME_DAY
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
