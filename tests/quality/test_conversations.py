"""How often action items, events and categories come out right on a labelled set, so that no change makes it less.

`conversations.jsonl` holds memories, conversations and statements with what they are. A row's hash
says which half it is in: mend rules by what is wrong in the seen half, and leave the held one to tell how they do. The
floors are what was measured, less a few rows.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from geniffy_server.learn.conversation.categories import Categorizer
from geniffy_server.learn.conversation.episodes import events
from geniffy_server.learn.conversation.intentions import action_items
from geniffy_server.models.minilm import MiniLM
from tests.learn.labels import spoken
from tests.learn.said import statements

Row = dict[str, Any]
Half = Literal["seen", "held"]

ROWS: Final[list[Row]] = [
    json.loads(line) for line in Path(__file__).with_name("conversations.jsonl").read_text("utf-8").splitlines()
]


def half_of(row: Row) -> Half:
    words = row.get("text") or "".join(turn if isinstance(turn, str) else turn[2] for turn in row["turns"])
    return "held" if hashlib.sha256(words.encode()).digest()[0] % 2 else "seen"


def of(name: str, half: Half) -> list[Row]:
    return [row for row in ROWS if row["set"] == name and half_of(row) == half]


@pytest.fixture(scope="module")
def categorizer() -> Categorizer:
    return Categorizer(MiniLM().embed)


def right(rows: list[Row], category_of: Callable[[Row], str]) -> float:
    return sum(bool(category_of(row) == row["category"]) for row in rows) / len(rows)


@pytest.mark.parametrize(("half", "floor"), [("seen", 0.90), ("held", 0.90)])
def test_memories_are_of_the_right_category(categorizer: Categorizer, half: Half, floor: float) -> None:
    assert right(of("memory", half), lambda row: categorizer.memory(row["text"], "detail", None)) >= floor


@pytest.mark.parametrize(("half", "floor"), [("seen", 0.90), ("held", 0.90)])
def test_conversations_are_of_the_right_category(categorizer: Categorizer, half: Half, floor: float) -> None:
    assert right(of("conversation", half), lambda row: categorizer.conversation(row["turns"], None)) >= floor


@pytest.mark.parametrize(("half", "floor"), [("seen", 0.95), ("held", 0.90)])
def test_action_items_are_found_with_owner_date_and_state_and_nothing_else(half: Half, floor: float) -> None:
    counts: Counter[str] = Counter()
    for row in of("statement", half):
        said = date.fromisoformat(row["turns"][0][1])
        wanted = Counter((owner, spoken(due, said), done) for owner, due, done in row["actions"])
        found = Counter((item.owner, item.due, item.completed) for item in action_items(_statements(row)))
        counts.update(right=(wanted & found).total(), wanted=wanted.total(), found=found.total())
    assert counts["right"] >= floor * counts["wanted"]
    assert counts["right"] >= floor * counts["found"]


@pytest.mark.parametrize(("half", "floor"), [("seen", 0.92), ("held", 0.85)])
def test_events_are_found_on_their_days_and_nothing_else(half: Half, floor: float) -> None:
    counts: Counter[str] = Counter()
    for row in of("statement", half):
        said = date.fromisoformat(row["turns"][-1][1])
        whens = [spoken(when, said) for when in row["events"]]
        wanted = Counter((when.low, when.high, when.clock) for when in whens if when is not None)
        found = Counter((event.when.low, event.when.high, event.when.clock) for event in events(_statements(row)))
        counts.update(right=(wanted & found).total(), wanted=wanted.total(), found=found.total())
    assert counts["right"] >= floor * counts["wanted"]
    assert counts["right"] >= floor * counts["found"]


def _statements(row: Row) -> list[Any]:
    return statements(*((speaker, date.fromisoformat(on), text) for speaker, on, text in row["turns"]))
