"""The questions of one turn of a talk that the next one may answer: `How much were they?`, `Eighteen each.`"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from geniffy_server.learn.split import sentences

if TYPE_CHECKING:
    from geniffy_server.learn.learn import Reading

_MARKS: Final = ("?", "？", "؟", "⁇", "⁈", ";")  # the last is the Greek one
_MOST: Final = 2  # of several questions the last ones are answered
_MOST_CHARS: Final = 300


def questions_in(text: str) -> str | None:
    """The last questions of a text in their order, None when it asks nothing."""
    asked = [text[start:end] for start, end in sentences(text) if text[start:end].endswith(_MARKS)]
    return " ".join(asked[-_MOST:])[-_MOST_CHARS:] or None


def asked_before(readings: Sequence[Reading]) -> list[str | None]:
    """For each reading, what the turn right before it asked, when another had that turn; None elsewhere."""
    before: list[str | None] = [None for _ in readings]
    for at in range(1, len(readings)):
        last, this = readings[at - 1], readings[at]
        if this.kind == last.kind == "turn" and (this.speaker, this.is_agent) != (last.speaker, last.is_agent):
            before[at] = questions_in(last.text)
    return before
