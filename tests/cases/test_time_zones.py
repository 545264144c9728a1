"""The time zone of the machine changes nothing that is kept, listed or printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cases.serving import first_key
from tests.cli.conftest import serving
from tests.conftest import learned

ZONES = ["Asia/Kolkata", "America/Los_Angeles"]

# When it was said, and how the same moment comes back.
SAID = {
    "2025-03-04": "2025-03-04T00:00:00+00:00",
    "2025-03-04T09:30:00Z": "2025-03-04T09:30:00+00:00",
    "2025-03-04T23:45:00-08:00": "2025-03-04T23:45:00-08:00",
    "2025-03-05T00:15:00+05:30": "2025-03-05T00:15:00+05:30",
    "2025-03-05T03:00:00+14:00": "2025-03-05T03:00:00+14:00",
    "2025-03-09T02:30:00-08:00": "2025-03-09T02:30:00-08:00",  # an hour that clocks in Los Angeles skip
    "2025-11-02T01:30:00-07:00": "2025-11-02T01:30:00-07:00",  # and one that they have twice
}
PEOPLE = ["Ana", "Ben", "Cleo", "Dana", "Emil", "Fay", "Gus"]


def told(base_url: str, key: str) -> dict[str, Any]:
    """Everything that shows a time, without what only says when this test ran."""
    from geniffy import Geniffy

    with Geniffy(key, base_url=base_url, max_retries=0) as client:
        sdk = client.space("ana")
        added = [
            sdk.memories.add(f"{person} called yesterday about the roof.", said_at=said)
            for person, said in zip(PEOPLE, SAID, strict=True)
        ]
        turns = [{"role": "user", "content": "I met Hugo last night.", "time": "2025-06-01T00:30:00+05:30"}]
        for source in (*added, sdk.memories.add(messages=turns, session="run/1")):
            learned(sdk, source)
        memories = list(sdk.memories.iter())
        return {
            "order": [one.text for one in memories],
            "said": {one.text: one.said_at for one in memories},
            "context": str(sdk.context("Who called about the roof?", limit=50)),
            "by day": [one.text for one in sdk.search("Who called on 4 March 2025?")][:1],
            "history": [one["said_at"] for one in sdk.export()["memories"]],
            "answer": sdk.ask("When did Dana call about the roof?").answer,
        }


def test_times_orders_and_dates_are_the_same_in_every_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {}
    for number, zone in enumerate(ZONES):
        monkeypatch.setenv("TZ", zone)
        data = tmp_path / str(number)
        with serving(tmp_path / f"{number}.log", data) as server:
            shown[zone] = told(server.base_url, first_key(server))

    first = shown[ZONES[0]]
    assert [first["said"][f"{person} called yesterday about the roof."] for person in PEOPLE] == list(SAID.values())
    assert first["said"]["I met Hugo last night."] == "2025-06-01T00:30:00+05:30"
    printed = re.findall(r"- (\w+) called.*, (\d{4}-\d\d-\d\d)\]", first["context"])
    assert sorted(printed) == [(person, said[:10]) for person, said in zip(PEOPLE, SAID, strict=True)]
    assert first["order"] == [
        "I met Hugo last night.",
        *(f"{one} called yesterday about the roof." for one in PEOPLE[::-1]),
    ]
    assert first["by day"][0].startswith(("Cleo", "Dana", "Emil"))
    assert shown[ZONES[1]] == first
