"""The whole of `bench load`, small, and what it counts as failed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from geniffy_server.bench import load
from geniffy_server.bench.clients import Tally
from geniffy_server.bench.load import Outcome, Sizes, measure
from geniffy_server.bench.telling import to_nobody
from geniffy_server.cli import main


@pytest.mark.usefixtures("nothing_left")
def test_readers_writers_and_an_import_all_succeed_at_once(tmp_path: Path) -> None:
    outcome = measure(tmp_path, to_nobody, Sizes(readers=2, writers=2, seconds=2, memories=30, imported=30))

    figures = {one.name: one.value for one in outcome.figures()}
    calls = outcome.tally.by_call()
    assert {"search", "ask", "context", "get a file", "put a file", "add a note", "add to a session"} <= set(calls)
    assert all(one["calls"] >= 1 and 0 < one["p50"] <= one["p95"] <= one["p99"] for one in calls.values())
    assert figures["calls"] == sum(one["calls"] for one in calls.values())
    assert (figures["calls that failed"], figures["imports that failed"], figures["lock errors"]) == (0, 0, 0)
    assert outcome.import_said.startswith("1 space with 2 sources and 30 memories read into")


def test_every_answer_but_a_success_counts_as_failed_and_so_does_none() -> None:
    tally = Tally()
    for status in (200, 201, 429, 503, 503, 0):
        tally.note("search", status, 1.0)

    outcome = Outcome(tally, 1.0, 0.5, "it is locked", False, ["the database is locked", "something else"])
    figures = {one.name: one for one in outcome.figures()}

    assert figures["calls that failed"].value == 4
    assert figures["calls that failed"].note == "1 of no answer, 1 of 429, 2 of 503"
    assert (figures["lock errors"].value, figures["imports that failed"].value) == (2, 1)
    assert figures["lines in the server's log"].value == 2
    assert not any(figures[name].is_met for name in ("calls that failed", "lock errors", "imports that failed"))


def test_times_are_told_by_call() -> None:
    tally = Tally()
    for took_ms in range(1, 101):
        tally.note("search", 200, float(took_ms))

    assert tally.by_call() == {"search": {"calls": 100, "p50": 50.0, "p95": 95.0, "p99": 99.0}}


def test_the_command_takes_how_many_and_how_long_and_writes_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Sizes] = []

    def measured(folder: Path, told: object, sizes: Sizes) -> Outcome:
        asked.append(sizes)
        tally = Tally()
        tally.note("search", 200, 2.5)
        return Outcome(tally, 1.0, 0.5, "1 space read", True, [])

    monkeypatch.setattr(load, "measure", measured)
    file = tmp_path / "load.json"

    status = main(["bench", "load", "--readers", "1", "--writers", "0", "--seconds", "1.5", "--json", str(file)])

    assert (status, asked) == (0, [Sizes(readers=1, writers=0, seconds=1.5)])
    assert json.loads(file.read_text())["calls"] == {"search": {"calls": 1, "p50": 2.5, "p95": 2.5, "p99": 2.5}}
    assert "search" in capsys.readouterr().out
