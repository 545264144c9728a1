"""Whether what was found bears on a question and on the one it is about; no model decides it.

The nearest memories of any question are near for no reason when nothing was ever said about it. What tells is which
of the question's words a memory holds or answers, whose memory it is, whether the names asked for stand in it, and
whether the best of it was rather said of somebody else. Likeness of vectors alone releases nothing: `What is Ana's
job?` lies at .63 from `Ana lives in Porto.`

The weights are set by hand on 163 questions about notes and checked on chat (five conversations, 717 questions that
have an answer). At `normal` it is wrongly silent on 1 of 45 questions about notes and 1 of 10 about chat, and rightly
on 19 of 20 about people who are unknown, on 5 of 6 about what was never noted, and on 11 of 20 asked of the wrong one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import regex

from geniffy_server.domain.memory import Memory
from geniffy_server.domain.text import folded
from geniffy_server.ports import Found
from geniffy_server.recall.names import asks_of_owner, names_in

Certainty = Literal["strict", "normal", "lenient"]

LEAST: Final[Mapping[Certainty, float]] = {"strict": 3.25, "normal": 2.5, "lenient": 1.75}
_BESIDE: Final = 1.0  # how much less a memory may weigh that stands beside one that decides

_COVERAGE: Final = 3.0
_COSINE: Final = 3.0
_SUBJECT: Final = 0.8
_OTHER_SUBJECT: Final = -2.5
_NO_NAME: Final = -3.0  # none of the names asked for is in the memory
_ABSENT_NAME: Final = -0.3  # one of several is not
_OTHER_OWNER: Final = -3.0  # `Ann's manager` is asked for, and the memory has Ann, but nothing of hers
_MARGIN: Final = 1.0
_LEAST_MARGIN: Final = -2.0
_PERIOD: Final = 1.0
# Times the share of the words: missing from the memory, where a time or a yes hangs on every word; held by no memory
# of the space at all, then and otherwise.
_MISSING_FROM_CHECK: Final = -1.0
_UNHEARD_IN_CHECK: Final = -3.0
_UNHEARD: Final = -1.0

_CHECK: Final = regex.compile(
    r"(?:when|since when|how long ago|what (?:date|day|month|year|time)"
    r"|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Question:
    names: Sequence[str]
    owners: Sequence[str]
    of_owner: bool
    is_check: bool

    @classmethod
    def read(cls, text: str) -> _Question:
        names = names_in(text)
        return cls(
            names=names,
            owners=[name for name in names if regex.search(rf"{regex.escape(name)}(?:['’]s\b|(?<=s)['’])", text)],
            of_owner=asks_of_owner(text),
            is_check=_CHECK.match(text.lstrip("¿ ")) is not None,
        )


def bearing(question: str, found: Sequence[Found], certainty: Certainty) -> list[Found]:
    """Those of `found`, in their order, that bear on the question and on its subject; none when nothing does.

    One memory must weigh enough to decide that the question has an answer here; those that stand beside it may weigh
    a little less. `found` carries the features that `ShardRecall.search` gives.
    """
    asked = _Question.read(question)
    weights = [_weight(one, asked) for one in found]
    if max(weights, default=0.0) < LEAST[certainty]:
        return []
    return [one for one, weight in zip(found, weights, strict=True) if weight >= LEAST[certainty] - _BESIDE]


def weight(question: str, found: Found) -> float:
    """How much one memory bears on a question; compared with `LEAST`."""
    return _weight(found, _Question.read(question))


def _weight(found: Found, asked: _Question) -> float:
    features, memory = found.features, found.memory
    missing, words = features.get("missing", 0.0), max(1.0, features.get("asked", 1.0))
    total = _COVERAGE * features.get("coverage", 0.0) + _COSINE * max(0.0, features.get("cosine", 0.0))
    if asked.is_check:
        total += (_MISSING_FROM_CHECK * missing + _UNHEARD_IN_CHECK * features.get("unheard", 0.0)) / words
    else:
        total += _UNHEARD * features.get("unheard", 0.0) / words
    subject = features.get("subject", 0.0)
    if subject < 0 and asked.of_owner and asks_of_owner(memory.quote):
        subject = 0.0  # `my sister` is told of by the owner and asked for by them
    is_theirs = subject > 0 or features.get("speaker", 0.0) > 0
    total += _SUBJECT if is_theirs else _OTHER_SUBJECT if subject < 0 else 0.0
    total += _of_names(asked, memory, is_theirs=is_theirs)
    total += _MARGIN * min(0.0, max(_LEAST_MARGIN, features.get("margin", 0.0)))
    return total + _PERIOD * features.get("period", 0.0)


def _of_names(asked: _Question, memory: Memory, *, is_theirs: bool) -> float:
    if not asked.names:
        return 0.0
    held = folded(f"{memory.text} {memory.quote} {memory.about or ''}")
    present = sum(_stands_in(name, held) for name in asked.names)
    if is_theirs and not asked.of_owner:
        present = max(present, 1)  # the one who was named is its subject or its speaker
    if not present:
        return _NO_NAME
    total = _ABSENT_NAME * (len(asked.names) - present)
    if not is_theirs and not all(_owns_in(name, held) for name in asked.owners):
        total += _OTHER_OWNER
    return total


def _stands_in(name: str, held: str) -> bool:
    """Whether any word of a name stands in a text, which is folded."""
    return any(regex.search(rf"(?<!\p{{L}}){regex.escape(folded(word))}(?!\p{{L}})", held) for word in name.split())


def _owns_in(name: str, held: str) -> bool:
    return regex.search(rf"(?<!\p{{L}}){regex.escape(folded(name))}(?:['’]s\b|(?<=s)['’])", held) is not None
