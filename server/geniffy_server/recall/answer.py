"""An answer in the memories' own statements: nothing is said that was not said to the memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from geniffy_server.domain.answer import Answered, Unsupported
from geniffy_server.domain.memory import Memory
from geniffy_server.ports import Found
from geniffy_server.recall.dates_in_words import day, spoken
from geniffy_server.recall.features import asks_when

_MOST_STATEMENTS: Final = 3
_AS_GOOD: Final = 0.1  # of coverage: a further statement must fit the question nearly as well as the best


def answer(question: str, bearing: Sequence[Found]) -> Answered | Unsupported:
    """The statements that answer a question, out of memories that bear on it, best first.

    A date that is asked for is given before its statement. When statements contradict one another, which their status
    says, each is given with the day it was said and `clash` is true. Unsupported when `bearing` is empty.
    """
    if not bearing:
        return Unsupported(question)
    best = bearing[0]
    if best.memory.status == "clash":
        sides = [
            one.memory for one in bearing if one.memory.status == "clash" and one.memory.about == best.memory.about
        ]
        if len(sides) > 1:
            told = " ".join(f"{day(one.said_at.date())}: {_line(one)}" for one in sides)
            return Answered(question, f"What was said disagrees. {told}", sides, clash=True)
    supports = [best.memory]
    for one in bearing[1:]:
        if len(supports) == _MOST_STATEMENTS:
            break
        if _is_as_good(one, best):
            supports.append(one.memory)
    when = asks_when(question)
    text = " ".join(_dated(one) if when else _line(one) for one in (supports[:1] if when else supports))
    return Answered(question, text, supports[:1] if when else supports, clash=False)


def _is_as_good(one: Found, best: Found) -> bool:
    coverage = one.features.get("coverage", 0.0)
    return one.memory.about == best.memory.about and coverage >= best.features.get("coverage", 0.0) - _AS_GOOD


def _dated(memory: Memory) -> str:
    if memory.spoken is not None:
        return f"{spoken(memory.spoken)}: {_line(memory)}"
    return f"Said on {day(memory.said_at.date())}: {_line(memory)}"


def _line(memory: Memory) -> str:
    text = " ".join(memory.text.split())
    return text if text[-1:] in tuple(".!?。！？") else f"{text}."
