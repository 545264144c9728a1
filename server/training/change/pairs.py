"""The labelled pairs: an earlier statement, a later one, and what must become of the earlier one.

Half of the pairs is never fitted on, nor looked at when rules are written: the half whose ids hash to an odd number.
Rows marked `seen` are older than that rule and belong to the other half.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from geniffy_server.learn.change.features import Features, features
from geniffy_server.learn.change.reconcile import Outcome, decide
from geniffy_server.learn.change.statements import statement
from geniffy_server.learn.language import language_of
from geniffy_server.learn.subjects.subject import Setting, subject

PAIRS: Final = Path(__file__).with_name("pairs.jsonl")
_SAID: Final = date(2026, 10, 5)


@dataclass(frozen=True, slots=True)
class Pair:
    id: str
    kind: str
    lang: str
    earlier: str
    later: str
    outcome: Outcome
    is_held_out: bool


def pairs() -> list[Pair]:
    """Every labelled pair, in the order of the file."""
    rows = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    return [
        Pair(
            id=row["id"],
            kind=row["kind"],
            lang=row["lang"],
            earlier=row["earlier"],
            later=row["later"],
            outcome=row["outcome"],
            is_held_out=not row.get("seen", False) and hashlib.sha256(row["id"].encode()).digest()[0] % 2 == 1,
        )
        for row in rows
    ]


def decided(earlier: str, later: str) -> Outcome:
    """What the server makes of two statements that were read on their own."""
    (held_about, held_how), (new_about, new_how) = _subject(earlier), _subject(later)
    return decide(earlier, later, held_about=held_about, new_about=new_about, held_how=held_how, new_how=new_how)


def features_of(earlier: str, later: str) -> Features:
    """The features of two statements that were read on their own."""
    return features(statement(earlier), statement(later), _subject(earlier)[0], _subject(later)[0])


def _subject(text: str) -> tuple[str | None, str]:
    return subject(text, Setting(language_of(text), _SAID))


@dataclass(frozen=True, slots=True)
class Score:
    """`retired` and `right` are how many the rules retired, and rightly; `changed` how many there were to retire.

    `damaged` are those that still hold, or say the same, and were retired; of `holding`.
    """

    retired: int
    right: int
    changed: int
    damaged: Sequence[Pair]
    missed: Sequence[Pair]
    holding: int

    @property
    def precision(self) -> float:
        return self.right / self.retired if self.retired else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.changed if self.changed else 1.0


def score(some: Sequence[Pair]) -> Score:
    """How well the server tells what these pairs come to."""
    outcomes = [decided(pair.earlier, pair.later) for pair in some]
    both = list(zip(some, outcomes, strict=True))
    return Score(
        retired=sum(outcome == "replaces" for outcome in outcomes),
        right=sum(outcome == "replaces" == pair.outcome for pair, outcome in both),
        changed=sum(pair.outcome == "replaces" for pair in some),
        damaged=[pair for pair, outcome in both if outcome == "replaces" != pair.outcome],
        missed=[pair for pair, outcome in both if pair.outcome == "replaces" != outcome],
        holding=sum(pair.outcome != "replaces" for pair in some),
    )
