"""The same random commands to Anthropic's own local tool and to ours: the same words, and the same files at the end.

Left out of the comparison is what only a disk has: empty directories, the size of a directory, sizes in bytes, and its
own errors, in whose place we say a plain sentence. The other differences that are meant have tests of their own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from anthropic.tools import BetaAsyncLocalFilesystemMemoryTool, BetaLocalFilesystemMemoryTool

from geniffy_agents import AsyncGeniffy, Geniffy
from geniffy_agents.local import BASE_URL as LOCAL
from tests.claude.conftest import tool_on
from tests.claude.sequences import Differences, Speaker, on_disk, reply_of, without_empty_directories
from tests.claude.shelf import Shelf
from tests.sdk.capture import outcome

SEQUENCES = 2_000
COMMANDS = 12
EVERY_KIND = {
    (command, kind)
    for command in ("view", "create", "str_replace", "insert", "delete", "rename")
    for kind in ("ok", "refused")
}


@pytest.fixture(autouse=True)
def _without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder for their tool, in memory where the system has such a place: it is written to very often."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else tmp_path) as folder:
        yield Path(folder)


async def compare(differences: Differences, seed: int, theirs: Any, ours: Any) -> Mapping[str, str]:
    """Give both tools one sequence of commands, demand the same of them, and return what lies on the disk then."""
    root = Path(str(theirs.memory_root))
    speaker, so_far, lying = Speaker(seed), [], on_disk(root)
    for _ in range(COMMANDS):
        so_far.append(speaker.command(lying))
        their_reply = await reply_of(theirs, so_far[-1])
        differences.note(await reply_of(ours, so_far[-1]), their_reply, so_far, lying)
        if so_far[-1]["command"] != "view":
            without_empty_directories(root)
            lying = on_disk(root)
    return lying


async def test_thousands_of_random_sequences_come_to_the_same(disk: Path) -> None:
    differences, shelf = Differences(), Shelf()
    theirs = BetaLocalFilesystemMemoryTool(str(disk))
    ours = tool_on(shelf.quick_client(), None)
    for seed in range(SEQUENCES):
        theirs.clear_all_memory()
        ours.clear_all_memory()

        assert await compare(differences, seed, theirs, ours) == shelf.texts, seed

    assert set(differences.replies) == EVERY_KIND
    assert set(differences.failures) == {"NotADirectoryError", "OSError"}


async def test_the_real_server_comes_to_the_same(client: Any, space: str, disk: Path) -> None:
    """Over HTTP in fewer sequences: a key may call six hundred times a minute."""
    made = BetaLocalFilesystemMemoryTool if isinstance(client, Geniffy) else BetaAsyncLocalFilesystemMemoryTool
    theirs = made(str(disk))
    mem = client.space(space)
    ours = tool_on(client, space)
    differences = Differences()
    for seed in range(40 if client.base_url == LOCAL else 8):
        await outcome(theirs.clear_all_memory())
        await outcome(ours.clear_all_memory())

        lying = await compare(differences, seed, theirs, ours)

        files = await outcome(mem.files.iterate("/memories/"))
        assert {file.path: (await outcome(mem.files.get(file.path))).text for file in files} == lying, seed

    assert {command for command, _ in differences.replies} == {command for command, _ in EVERY_KIND}


@pytest.mark.parametrize("made", [Geniffy, AsyncGeniffy])
async def test_the_tool_is_declared_as_theirs_is(made: Any, tmp_path: Path) -> None:
    cached: Any = {"type": "ephemeral"}

    assert tool_on(made("gnf_test"), None).to_dict() == BetaLocalFilesystemMemoryTool(str(tmp_path)).to_dict()
    assert tool_on(made("gnf_test"), None, cache_control=cached).to_dict() == {
        "type": "memory_20250818",
        "name": "memory",
        "cache_control": cached,
    }
