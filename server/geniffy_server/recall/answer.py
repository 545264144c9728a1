"""An answer in the memories' own statements: nothing is said that was not said to the memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

from geniffy_server.domain.answer import Answered, Unsupported
from geniffy_server.domain.memory import Memory
from geniffy_server.ports import Found
from geniffy_server.recall.dates_in_words import day, spoken
from geniffy_server.recall.features import asks_when
from geniffy_server.recall.judge import weight
from geniffy_server.recall.wording import says_the_same

_MOST_STATEMENTS: Final = 3
# A further statement must fit the question nearly as well as the best: by the words it covers, and by cosine.
_AS_GOOD: Final = 0.1
_AS_NEAR: Final = 0.15
# A full stop of any script, such as the danda of Hindi, and what closes behind it.
_ENDED: Final = regex.compile(r"""[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"'*_]*$""")


def answer(question: str, bearing: Sequence[Found]) -> Answered | Unsupported:
    """The statements that answer a question, out of memories that bear on it, best first.

    A date that is asked for is given before its statement. When statements contradict one another, which their status
    says, each is given with the day it was said and `clash` is true. Unsupported when `bearing` is empty.
    """
    if not bearing:
        return Unsupported(question)
    fitting = sorted(bearing, key=lambda one: -weight(question, one))
    best = fitting[0]
    if best.memory.status == "clash":
        sides = [
            one.memory for one in bearing if one.memory.status == "clash" and one.memory.about == best.memory.about
        ]
        if len(sides) > 1:
            told = " ".join(f"{day(one.said_at.date())}: {_line(one)}" for one in sides)
            return Answered(question, f"What was said disagrees. {told}", sides, clash=True)
    if asks_when(question):
        return Answered(question, _dated(best.memory), [best.memory], clash=False)
    supports = [best.memory]
    for one in fitting[1:]:
        if len(supports) < _MOST_STATEMENTS and _adds(one, best, supports):
            supports.append(one.memory)
    return Answered(question, " ".join(_line(memory) for memory in supports), supports, clash=False)


def _adds(one: Found, best: Found, said: Sequence[Memory]) -> bool:
    """Whether a further statement answers as well as the best one, of the same subject, and is not said yet."""
    as_good = one.features.get("coverage", 0.0) >= best.features.get("coverage", 0.0) - _AS_GOOD
    near_enough = one.features.get("cosine", 0.0) >= best.features.get("cosine", 0.0) - _AS_NEAR
    fits = one.memory.about == best.memory.about and as_good and near_enough
    return fits and not any(says_the_same(one.memory, other) for other in said)


def _dated(memory: Memory) -> str:
    if memory.spoken is not None:
        return f"{spoken(memory.spoken)}: {_line(memory)}"
    return f"Said on {day(memory.said_at.date())}: {_line(memory)}"


def _line(memory: Memory) -> str:
    text = " ".join(memory.text.split())
    return text if _ENDED.search(text) else f"{text}."
