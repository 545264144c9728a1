"""What a sentence says beside a secret that was masked in it: `Ana likes tea` of `Ana likes tea and my key is ████`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import regex

from geniffy_server.learn.split import HIDDEN

_BREAK: Final = regex.compile(
    rf"(?P<whole>[;；]\s+|(?<={HIDDEN}[.!?]?)\s+(?=\p{{Lu}}))|\s*[()]\s*"
    r"|,?\s+(?:and|but)\s+(?=(?:I|I['’]m|my|we|our|he|she|his|her|they|their|it|the|there)\b|\p{Lu})"
)
_ASSERTS: Final = regex.compile(
    r"^(?!(?:and|but|or|for|with|which|who|that)\b)(?:\S+ (?:\S+ ){0,3}(?:is|are|am|was|were|has|have|had|will|can|must"
    r"|like|love|live|work|use|need|want|own|play"
    r"|\p{Ll}{2,}(?:ed|[^s\P{Ll}]s))|\S+['’](?:m|re))\s+\S"
)
_FEWEST: Final = 3  # words


def beside_secrets(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the sentence at `start` to `end` that hold no mask and state something by themselves; often none.

    A part that a bracket, `and` or `but` cuts off counts only where it has a subject and a verb, as English has them.
    """
    begins, is_whole = start, True
    for found in [*_BREAK.finditer(text, start, end), None]:
        ends = found.start() if found is not None else end
        part = text[begins:ends]
        is_parted = found is None or found["whole"] is not None
        stands_alone = (is_whole and is_parted) or _ASSERTS.search(part) is not None
        if HIDDEN not in part and stands_alone and len(part.split()) >= _FEWEST:
            yield begins, ends
        if found is not None:
            begins, is_whole = found.end(), found["whole"] is not None
