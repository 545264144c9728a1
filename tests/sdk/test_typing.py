"""The types that a type checker sees on both clients."""

from __future__ import annotations

from pathlib import Path

from mypy import api

RIGHT = """
from collections.abc import AsyncIterator, Iterator
from typing import assert_type
from geniffy_agents import AsyncGeniffy, FileInfo, Geniffy, Key, Memory, MemoryPage, Source
from geniffy_agents.shapes import Context, Section

def blocking(client: Geniffy) -> None:
    assert_type(client.memories.list(), MemoryPage)
    assert_type(client.memories.add("t", labels={"a": "b"}), Source)
    assert_type(client.memories.iterate(kind="pref"), Iterator[Memory])
    assert_type(client.memories.iter(), Iterator[Memory])
    assert_type(client.keys.list(), list[Key])
    assert_type(client.sections.list(), list[Section])
    assert_type(client.context("q"), str)
    assert_type(client.context_full("q"), Context)
    assert_type(client.me()["name"], str | None)
    assert_type(client.space("x"), Geniffy)
    assert_type(client.session("s").save([{"role": "user"}]), Source | None)

async def waiting(client: AsyncGeniffy) -> None:
    assert_type(await client.memories.list(), MemoryPage)
    assert_type(await client.memories.add("t", labels={"a": "b"}), Source)
    assert_type(client.files.iterate(), AsyncIterator[FileInfo])
    assert_type(await client.keys.list(), list[Key])
    assert_type(await client.sections.list(), list[Section])
    assert_type(await client.context("q"), str)
    assert_type(await client.context_full("q"), Context)
    assert_type(client.space("x"), AsyncGeniffy)
    assert_type(await client.session("s").save([{"role": "user"}]), Source | None)
"""
WRONG = """
from geniffy_agents import Geniffy

def wrong(client: Geniffy) -> None:
    client.memories.list(limi=3)
    client.ask(1)
    client.memories.list(kind="other")
"""


def test_a_type_checker_knows_every_result_and_every_argument(tmp_path: Path) -> None:
    for name, text in (("right.py", RIGHT), ("wrong.py", WRONG)):
        (tmp_path / name).write_text(text)

    out, err, _ = api.run(
        ["--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"), "--config-file", "",
         str(tmp_path / "right.py"), str(tmp_path / "wrong.py")]
    )  # fmt: skip

    assert err == ""
    assert [line.rpartition("[")[2] for line in out.splitlines() if "error" in line] == [
        "call-arg]",
        "arg-type]",
        "arg-type]",
    ]
    assert "right.py" not in out
