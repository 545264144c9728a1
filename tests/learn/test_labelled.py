"""A labelled set: how many subjects, kinds and dates come out right, so that no change makes them fewer."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from tests.learn.labels import learned, spoken

ROWS = [json.loads(line) for line in Path(__file__).with_name("labelled.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row["text"][:40] for row in ROWS])
def test_the_quotes_are_found_and_nothing_else(row: dict[str, object]) -> None:
    facts = learned(str(row["text"]), said=date.fromisoformat(str(row["said"])), speaker=row["speaker"])  # type: ignore[arg-type]
    assert [fact.quote for fact in facts] == [fact["quote"] for fact in row["facts"]]  # type: ignore[attr-defined]


def test_subjects_kinds_and_dates_are_as_right_as_they_were() -> None:
    right = {"subject": 0, "kind": 0, "date": 0}
    total = 0
    for row in ROWS:
        said = date.fromisoformat(row["said"])
        for fact, label in zip(learned(row["text"], said=said, speaker=row["speaker"]), row["facts"], strict=True):
            total += 1
            right["subject"] += fact.about == label["about"]
            right["kind"] += fact.kind == label["kind"]
            right["date"] += fact.spoken == spoken(label["date"], said)
    assert total == 71
    assert right["subject"] >= 70
    assert right["kind"] >= 70
    assert right["date"] == 71
