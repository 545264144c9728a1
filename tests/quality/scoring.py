"""The labelled set of learning: its rows, its two halves, and how what is learned from it is scored.

`facts.jsonl` holds a text a line (`text`, or `turns` of a talk), the day it was said, and the facts that it states:
quote, subject, kind, and the date it speaks of as `tests.learn.labels.spoken` reads it. A label that is a list accepts
any of its values. A row is `seen` or `held` by the hash of its id. Rules are mended by looking at `seen` rows alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from geniffy_server.domain.memory import Fact
from geniffy_server.learn.learn import Reading, facts_of
from geniffy_server.learn.read import passages
from geniffy_server.learn.secrets import mask
from tests.learn.labels import spoken

Half = Literal["seen", "held"]
MEASURES: Final = ("facts", "subjects", "kinds", "dates")

_OVERLAP: Final = 0.5  # of both quotes' characters together, from which they are the same fact


@dataclass(frozen=True, slots=True)
class Labelled:
    """One row. `turns` are (who, words): `user`, `agent`, or a participant's name; a note is `text` alone."""

    id: str
    said: date
    text: str | None
    speaker: str | None
    turns: Sequence[tuple[str, str]]
    facts: Sequence[dict[str, Any]]

    @property
    def language(self) -> str:
        return self.id.split("-")[0]

    @property
    def group(self) -> str:
        return self.id.split("-")[1]

    @property
    def half(self) -> Half:
        return "seen" if sha256(self.id.encode()).digest()[0] % 2 == 0 else "held"


def rows() -> list[Labelled]:
    lines = Path(__file__).with_name("facts.jsonl").read_text("utf-8").split("\n")
    return [
        Labelled(
            id=raw["id"],
            said=date.fromisoformat(raw["said"]),
            text=raw.get("text"),
            speaker=raw.get("speaker"),
            turns=[(who, words) for who, words in raw.get("turns", ())],
            facts=raw["facts"],
        )
        for raw in (json.loads(line) for line in lines if line)
    ]


@dataclass(slots=True)
class Tally:
    """How many were found, how many there are, and how many of those found are right."""

    right: int = 0
    found: int = 0
    labelled: int = 0

    @property
    def precision(self) -> float | None:
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        return self.right / self.labelled if self.labelled else None


@dataclass(slots=True)
class Scores:
    """A tally a measure, and what went wrong in words."""

    tallies: dict[str, Tally] = field(default_factory=lambda: {measure: Tally() for measure in MEASURES})
    faults: list[str] = field(default_factory=list)


def learned(row: Labelled) -> list[tuple[str, Fact]]:
    """The facts that are learned from a row, each with the text its offsets point into."""
    at = datetime(row.said.year, row.said.month, row.said.day, 12, tzinfo=UTC)
    if row.text is None:
        readings = [
            Reading(
                mask(words).text,
                at,
                kind="turn",
                speaker=None if who in ("user", "agent") else who,
                is_agent=who == "agent",
            )
            for who, words in row.turns
        ]
    elif row.speaker is not None:
        readings = [Reading(mask(row.text).text, at, kind="turn", speaker=row.speaker)]
    else:
        masked = mask(row.text).text
        readings = [Reading(masked[one.start : one.end], at, one.heading, one.kind) for one in passages(masked)]
    by_reading = facts_of(readings, owner=None)
    return [(reading.text, fact) for reading, facts in zip(readings, by_reading, strict=True) for fact in facts]


def score(of: Iterable[Labelled]) -> Scores:
    scores = Scores()
    for row in of:
        _score_row(row, scores)
    return scores


def _score_row(row: Labelled, scores: Scores) -> None:
    tally = scores.tallies
    facts = [fact for _, fact in learned(row)]
    left = list(row.facts)
    for fact in facts:
        label = max(left, key=lambda one: _overlap(fact.quote, one["quote"]), default=None)
        tally["facts"].found += 1
        if label is None or _overlap(fact.quote, label["quote"]) < _OVERLAP:
            scores.faults.append(f"{row.id} learned {fact.quote!r}")
            tally["kinds"].found += 1
            tally["subjects"].found += fact.about is not None
            tally["dates"].found += fact.spoken is not None
            continue
        left.remove(label)
        tally["facts"].right += 1
        _score_fact(row, fact, label, scores)
    for label in left:
        scores.faults.append(f"{row.id} missed {label['quote']!r}")
    for label in row.facts:
        tally["facts"].labelled += 1
        tally["kinds"].labelled += 1
        tally["subjects"].labelled += None not in _accepted(label["about"])
        tally["dates"].labelled += None not in _accepted(label["date"])


def _score_fact(row: Labelled, fact: Fact, label: dict[str, Any], scores: Scores) -> None:
    """Right is one of the label's values. None is neither found nor labelled: it counts only where it is wrong."""
    dates = [spoken(value, row.said) for value in _accepted(label["date"])]
    abouts = [_key(value) for value in _accepted(label["about"])]
    checks = (
        ("subjects", fact.about, _key(fact.about) in abouts, None in abouts),
        ("kinds", fact.kind, fact.kind in _accepted(label["kind"]), False),
        ("dates", fact.spoken, fact.spoken in dates, None in dates),
    )
    for measure, value, is_right, may_be_none in checks:
        tally = scores.tallies[measure]
        if value is not None and not (is_right and may_be_none):
            tally.found += 1
            tally.right += is_right
        if not is_right:
            wanted = label[{"subjects": "about", "kinds": "kind", "dates": "date"}[measure]]
            scores.faults.append(f"{row.id} {measure}: {value!r} for {wanted!r} ({fact.how}) in {fact.quote!r}")


def _accepted(label: Any) -> list[Any]:
    return label if isinstance(label, list) else [label]


def _key(about: str | None) -> str | None:
    return None if about is None else about.casefold()


def _overlap(first: str, second: str) -> float:
    """The characters of the longest stretch that one quote has of the other, by those of both together."""
    if first in second or second in first:
        return min(len(first), len(second)) / max(len(first), len(second), 1)
    return 0.0


def by(of: Sequence[Labelled], key: Literal["language", "group"]) -> Iterator[tuple[str, list[Labelled]]]:
    """The rows of each language, or of each group, in the order in which they first come."""
    for name in dict.fromkeys(getattr(row, key) for row in of):
        yield name, [row for row in of if getattr(row, key) == name]
