"""A day of small talk, in which much is said that sounds like change and nothing that anyone holds changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

TURNS = [line.split(": ", 1) for line in Path(__file__).with_name("small_talk.txt").read_text("utf-8").splitlines()]


def test_a_day_of_small_talk_retires_nothing(sdk: Any, learned: Callable[..., Any]) -> None:
    messages = [{"role": who, "content": text} for who, text in TURNS]

    learned(sdk, sdk.memories.add(messages=messages, said_at="2026-05-04T08:00:00Z"))

    held = list(sdk.memories.iter())
    assert len(held) > 100
    assert {one.status for one in held} == {"current"}
    assert [one.text for one in held if sdk.memories.get(one.id).history] == []
