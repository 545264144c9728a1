"""The whole of `bench speed`, small."""

from __future__ import annotations

from pathlib import Path

import pytest

from geniffy_server.bench.files import disk_flushes, write_raw
from geniffy_server.bench.speed import Sizes, measure
from geniffy_server.bench.telling import to_nobody

SMALL = Sizes(memories=120, calls=6, starts=1, growths=1, notes=2, grown=130, large=150, spaces=4, each=20)


@pytest.mark.usefixtures("nothing_left")
def test_every_figure_is_measured_and_nothing_is_left_running(tmp_path: Path) -> None:
    figures = {one.name: one for one in measure(tmp_path, to_nobody, SMALL, big=True, many_spaces=True)}

    for name in (
        "start",
        "search of 120 memories, p50",
        "search of 120 memories / least",
        "search of 120 memories / least as packaged",
        "search of 150 memories / least",
        "first search of 150 memories",
        "PUT of a 2 KB file, store part / raw write",
        "PUT of a 2 KB file, in process / raw write",
        "PUT of a 2 KB file, whole call / raw write",
        "GET of a 2 KB file, p50",
        "MCP 2025-11-25 tool call / bare FastMCP echo",
        "MCP 2026-07-28 tool call / bare FastMCP echo",
        "facts learned a second of one core",
        "token refresh, p95 / a bare endpoint's",
        "import geniffy_agents",
        "local() search / by HTTP",
        "local() PUT of a 2 KB file / by HTTP",
        "LangChain retriever / raw search",
        "search of a space new to RAM, among 4 of 20 memories / alone",
        "search of a space in RAM, among 4 of 20 memories / alone",
    ):
        assert figures[name].value > 0, name
    assert figures["server's RAM a memory"].at_most == 2048
    assert figures["search of 120 memories / least"].at_most == 1.5
    assert figures["search of 120 memories / least as packaged"].at_most == 1.5
    assert figures["search of 150 memories / least"].at_most == 2
    assert "30 facts of 2 notes of 15 sentences" in figures["facts learned a second of one core"].note


def test_a_raw_write_stands_on_the_disk_under_its_name(tmp_path: Path) -> None:
    before = disk_flushes(tmp_path)

    write_raw(tmp_path, 7, "once")
    write_raw(tmp_path, 7, "two")

    assert (tmp_path / "7.md").read_text() == "two"
    assert before is None or before <= (disk_flushes(tmp_path) or 0)
