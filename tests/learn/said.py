"""What the tests of conversations share: statements as learning finds them in what was said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

from geniffy_server.domain.conversation import Statement
from geniffy_server.domain.memory import Fact
from geniffy_server.learn.learn import Reading, facts_of
from tests.learn.labels import SAID

Said = tuple[str | None, date, str]
"""Who said it (None for the owner), when, and the words."""


def statements(*said: Said | str, owner: str | None = None) -> list[Statement]:
    """The statements of turns, in order; plain words are the owner's, said on SAID."""
    turns: Sequence[Said] = [(None, SAID, one) if isinstance(one, str) else one for one in said]
    readings = [
        Reading(text, datetime(on.year, on.month, on.day, 12, tzinfo=UTC), kind="turn", speaker=speaker)
        for speaker, on, text in turns
    ]
    return [_statement(fact) for facts in facts_of(readings, owner=owner) for fact in facts]


def _statement(fact: Fact) -> Statement:
    return Statement(
        text=fact.text,
        quote=fact.quote,
        about=fact.about,
        kind=fact.kind,
        spoken=fact.spoken,
        said_at=fact.said_at,
        said_by=fact.said_by,
        first_person=fact.first_person,
    )
