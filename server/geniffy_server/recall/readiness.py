"""The word lists and patterns that a first question needs, read before it comes."""

from __future__ import annotations

from datetime import date
from typing import Final

from geniffy_server.recall.asked import Asked
from geniffy_server.recall.bm25 import Postings
from geniffy_server.recall.coverage import topic
from geniffy_server.recall.features import Question
from geniffy_server.recall.relatives import named_from_the_other_side

_QUESTIONS: Final = ("Where does Ana live?", "When did Ana move?", "Who is Ana's mother?", "How old is Ana?")


def read_lists() -> None:
    """Read them all, a fifth of a second; at once when that was done. What they hold is kept for the whole process."""
    for text in _QUESTIONS:
        asked = Question.read(text, date(2026, 1, 1))
        topic(asked, asked.names, [], Postings.empty())
        Asked.read(text)
        named_from_the_other_side(text, [])
