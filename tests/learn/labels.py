"""What the tests of learning share: how a date is written in a table, and how a text is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from geniffy_server.domain.memory import Fact, Spoken
from geniffy_server.learn.dates import spans
from geniffy_server.learn.learn import Reading, facts_of
from geniffy_server.learn.read import passages
from geniffy_server.learn.secrets import mask

SAID = date(2026, 10, 5)  # a Monday


def spoken(value: str | None, said: date = SAID) -> Spoken | None:
    """`2026-10-04`, `2026-10-04T15:00`, `2026-10`, `2026-Q3`, `2026`, `a..b`, `since:2019`, `--03-12` as a value."""
    if value is None:
        return None
    if value.startswith("since:"):
        start = spoken(value.removeprefix("since:"), said)
        assert start is not None
        return spans.since(start, said)
    if value.startswith("--"):
        return spans.yearly(int(value[5:]), int(value[2:4]), said)
    if ".." in value:
        first, last = (spoken(part, said) for part in value.split(".."))
        assert first is not None
        assert last is not None
        whole = spans.span(first, last)
        is_week = first.low.weekday() == 0 and (last.high - first.low).days == 6
        return replace(whole, precision="week") if is_week else whole
    if "T" in value:
        day, clock = value.split("T")
        return replace(
            spans.day(date.fromisoformat(day)), precision="minute", clock=60 * int(clock[:2]) + int(clock[3:])
        )
    if "Q" in value:
        return spans.quarter(int(value[:4]), int(value[-1]))
    if len(value) == 10:
        return spans.day(date.fromisoformat(value))
    return spans.year(int(value)) if len(value) == 4 else spans.month(int(value[:4]), int(value[5:]))


def learned(
    text: str,
    *,
    said: date = SAID,
    speaker: str | None = None,
    owner: str | None = None,
    known: Sequence[str] = (),
) -> list[Fact]:
    """The facts of a note, or of one turn of a named speaker."""
    said_at = datetime(said.year, said.month, said.day, 12, tzinfo=UTC)
    masked = mask(text).text
    readings = [Reading(masked[one.start : one.end], said_at, one.heading, one.kind) for one in passages(masked)]
    if speaker is not None:
        readings = [Reading(masked, said_at, kind="turn", speaker=speaker)]
    return [fact for facts in facts_of(readings, owner=owner, known=known) for fact in facts]
