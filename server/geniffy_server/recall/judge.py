"""Whether what was found bears on a question and on the one it is about; no model decides it.

The nearest memories of any question are near for no reason when nothing was ever said about it. What tells is which
of the question's words a memory holds, whose memory it is, and whether the names asked for stand in it; likeness of
vectors alone releases nothing (`What is Ana's job?` lies at .61 from `Ana lives in Porto.`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import regex

from geniffy_server.domain.text import folded
from geniffy_server.ports import Found
from geniffy_server.recall.names import asks_of_owner, names_in

Certainty = Literal["strict", "normal", "lenient"]

LEAST: Final[dict[Certainty, float]] = {"strict": 3.2, "normal": 2.4, "lenient": 1.7}

_COVERAGE: Final = 3.0
_COSINE: Final = 2.5
_SUBJECT: Final = 0.8
_OTHER_SUBJECT: Final = -2.5
_ABSENT_NAME: Final = -2.5
_PERIOD: Final = 1.0
_NO_PERIOD: Final = -1.5


def bearing(question: str, found: Sequence[Found], certainty: Certainty) -> list[Found]:
    """Those of `found`, in their order, that bear on the question and on its subject; none when nothing does."""
    names = names_in(question)
    of_owner = asks_of_owner(question)
    return [one for one in found if weight(one, names, of_owner=of_owner) >= LEAST[certainty]]


def weight(found: Found, names: Sequence[str], *, of_owner: bool) -> float:
    """How much one memory bears on a question that names these; compared with `LEAST`."""
    features = found.features
    total = _COVERAGE * features.get("coverage", 0.0) + _COSINE * max(0.0, features.get("cosine", 0.0))
    subject = features.get("subject", 0.0)
    if subject < 0 and of_owner and asks_of_owner(found.memory.quote):
        subject = 0.0  # `my sister` is told of by the owner and asked for by them
    total += _SUBJECT * max(subject, 0.0) + (_OTHER_SUBJECT if subject < 0 else 0.0)
    total += _ABSENT_NAME * sum(not _names(found, name) for name in names)
    total += _PERIOD * features.get("period", 0.0) + (_NO_PERIOD if features.get("outside", 0.0) else 0.0)
    return total


def _names(found: Found, name: str) -> bool:
    """Whether a memory is about that name or says it, in part or in full."""
    memory = found.memory
    held = folded(f"{memory.text} {memory.quote} {memory.about or ''}")
    return any(regex.search(rf"(?<!\p{{L}}){regex.escape(folded(word))}(?!\p{{L}})", held) for word in name.split())
