"""An answer in the memories' own statements: nothing is said that was not said to the memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

import regex

from geniffy_server.domain.answer import Answered, Unsupported
from geniffy_server.domain.memory import Memory
from geniffy_server.ports import Found
from geniffy_server.recall.asked import Asked, asks_who_is
from geniffy_server.recall.dates_in_words import day, spoken
from geniffy_server.recall.happenings import asks_what_happened, telling, without_anchor
from geniffy_server.recall.judge import weigh
from geniffy_server.recall.names import share_a_name
from geniffy_server.recall.times import tells_a_time
from geniffy_server.recall.wording import says_the_same

_ASKS_HABIT: Final = regex.compile(r"(?:when|(?:on )?(?:what|which) days) (?:do|does)\b", regex.IGNORECASE)
_SAYS_WHO: Final = regex.compile(
    r"^(?:my|our|(?:\p{Lu}\p{L}+['’]s?)) (?:[\p{Ll}-]+ ){1,3}(?:is |called |named )?\p{Lu}"
    r"|^\p{Lu}[\p{L} ]*?,? (?:is|was|are) (?:an?|the|my|our|his|her|their|\p{Lu}\p{L}+['’]s?) (?-i:\p{Ll})",
    regex.IGNORECASE,
)
_WHO: Final = 1.0  # how much more a statement tells of who one is that says it
_MOST_STATEMENTS: Final = 3
_MOST_LISTED: Final = 12
# A further statement must fit the question nearly as well as the best: by the words it covers, and by cosine. In a
# list `Kim is fond of orchids` stands beside `Kim likes tea`, though it covers less of `What does Kim like?`
_AS_GOOD: Final = 0.1
_AS_NEAR: Final = 0.15
_LISTED: Final = 0.35
_LISTED_WEIGHT: Final = 2.0
_BESIDE_CLASH: Final = 1.0  # how much less than the best a side of the same contradiction may weigh
# A full stop of any script, such as the danda of Hindi, and what closes behind it.
_ENDED: Final = regex.compile(r"""[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"'*_]*$""")


def answer(question: str, bearing: Sequence[Found]) -> Answered | Unsupported:
    """The statements that answer a question, out of memories that bear on it, best first.

    One or a few; all current ones where a list is asked for, each thing once. A date that is asked for is given before
    its statement. When statements contradict one another, which their status says, each is given with the day it was
    said and `clash` is true. Unsupported when `bearing` is empty.
    """
    if not bearing:
        return Unsupported(question)
    asked = Asked.read(without_anchor(question))
    weighed = [(weigh(one, asked), one) for one in bearing]
    if asks_who_is(asked.text):
        weighed = [(most + _WHO * bool(_SAYS_WHO.search(one.memory.quote)), one) for most, one in weighed]
    fitting = sorted(weighed, key=lambda pair: -pair[0])
    most, best = fitting[0]
    if best.memory.status == "clash":
        sides = [one.memory for weight, one in weighed if weight >= most - _BESIDE_CLASH and _is_side(one, best)]
        if len(sides) > 1:
            told = " ".join(f"{day(one.said_at.date())}: {_line(one)}" for one in sides)
            return Answered(question, f"What was said disagrees. {told}", sides, clash=True)
    if asks_what_happened(question, names=asked.names):
        return _happenings(question, [one.memory for _, one in fitting])
    if asked.wanted == "when":
        dated = next((one for _, one in fitting if one.memory.spoken is not None), best)
        if _ASKS_HABIT.match(asked.text) and tells_a_time(asked, best.memory.text):
            dated = best
        return Answered(question, _dated(dated.memory, asked), [dated.memory], clash=False)
    supports = [best.memory]
    for weight, one in fitting[1:]:
        if asked.is_list:
            fits = weight >= most - _LISTED_WEIGHT and _is_near(one, best, _LISTED, 1.0)
        else:
            fits = _is_near(one, best, _AS_GOOD, _AS_NEAR)
        if fits and _is_of_them(one.memory, best.memory, asked) and not _is_told(one.memory, supports):
            supports.append(one.memory)
    told_of = supports[: _MOST_LISTED if asked.is_list else _MOST_STATEMENTS]
    return Answered(question, " ".join(map(_line, told_of)), told_of, clash=False)


def _happenings(question: str, then: Sequence[Memory]) -> Answered:
    """What happened in a time, in its order; what merely is so is told only where nothing happened."""
    most = max(map(telling, then))
    told: list[Memory] = []
    for memory in sorted(then, key=telling, reverse=True):
        if telling(memory) >= min(most, 1) and not _is_told(memory, told):
            told.append(memory)
    told = sorted(told[:_MOST_LISTED], key=_day_of)
    return Answered(question, " ".join(map(_line, told)), told, clash=False)


def _day_of(memory: Memory) -> date:
    return memory.spoken.low if memory.spoken else memory.said_at.date()


def _is_side(one: Found, best: Found) -> bool:
    return one.memory.status == "clash" and one.memory.about == best.memory.about


def _is_near(one: Found, best: Found, by_words: float, by_cosine: float) -> bool:
    """Whether it covers the question and lies near it nearly as the best does."""
    as_good = one.features.get("coverage", 0.0) >= best.features.get("coverage", 0.0) - by_words
    return as_good and one.features.get("cosine", 0.0) >= best.features.get("cosine", 0.0) - by_cosine


def _is_of_them(memory: Memory, best: Memory, asked: Asked) -> bool:
    """Whether it is about the same subject as the best one, or about another who is named beside them."""
    if memory.about == best.about:
        return True
    about = memory.about
    if asked.is_list and asked.names and all(name in memory.text and name in best.text for name in asked.names):
        return True
    return about is not None and len(asked.names) > 1 and any(share_a_name(about, name) for name in asked.names)


def _is_told(memory: Memory, said: Sequence[Memory]) -> bool:
    return any(says_the_same(memory, other) for other in said)


def _dated(memory: Memory, asked: Asked) -> str:
    if memory.spoken is not None:
        return f"{spoken(memory.spoken)}: {_line(memory)}"
    if tells_a_time(asked, memory.text):
        return _line(memory)
    return f"Said on {day(memory.said_at.date())}: {_line(memory)}"


def _line(memory: Memory) -> str:
    text = " ".join(memory.text.split())
    return text if _ENDED.search(text) else f"{text}."
