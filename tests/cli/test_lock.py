"""What the Omi tools show in part, locked and unlocked from a shell."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from geniffy_server.caller import Caller
from geniffy_server.ports import Ports
from tests.cli.conftest import Run


def opened(data: Path, work: Callable[[Ports, Caller], Awaitable[Any]], space: str = "") -> Any:
    """What `work` finds over the ports of the store."""
    from geniffy_server.app import opened
    from geniffy_server.services.accounts import ensure_owner
    from geniffy_server.settings import Settings

    async def run() -> Any:
        async with opened(Settings(data=data)) as it:
            owner, _ = await ensure_owner(it.ports)
            return await work(it.ports, Caller(owner.id, space))

    return asyncio.run(run())


def a_memory(data: Path, space: str = "") -> str:
    async def work(ports: Ports, caller: Caller) -> str:
        from geniffy_server.services.curated_memories import create_whole

        return str((await create_whole(ports, caller, "I play the cello.", None)).memory.id)

    return str(opened(data, work, space))


def is_memory_locked(data: Path, memory_id: str, space: str = "") -> bool:
    async def work(ports: Ports, caller: Caller) -> bool:
        from geniffy_server.domain.memory import MemoryId
        from geniffy_server.services.curated_memories import get_curated

        return next(iter((await get_curated(ports, caller, [MemoryId(int(memory_id))])).values())).locked

    return bool(opened(data, work, space))


@pytest.mark.parametrize("named", ["{}", "memory:{}"])
def test_a_memory_is_locked_and_unlocked(run: Run, data: Path, named: str) -> None:
    memory_id = a_memory(data)
    name = named.format(memory_id)

    locked = run("lock", "memory", name, "--data", data)
    assert (locked.status, locked.out) == (0, f"The memory {name} is locked.\n")
    assert is_memory_locked(data, memory_id)
    unlocked = run("unlock", "memory", name, "--data", data)
    assert (unlocked.status, unlocked.out) == (0, f"The memory {name} is unlocked.\n")
    assert not is_memory_locked(data, memory_id)


def test_a_conversation_is_locked_and_unlocked(run: Run, data: Path) -> None:
    from datetime import UTC, datetime

    from geniffy_server.domain.source import SourceId, Turn
    from geniffy_server.services.talks import NewTalk, add_talk

    async def add(ports: Ports, caller: Caller) -> SourceId:
        turn = Turn("user", "Ana", "The launch is on Friday.", datetime(2026, 3, 5, tzinfo=UTC))
        return (await add_talk(ports, caller, NewTalk([turn]))).id

    async def is_locked(ports: Ports, caller: Caller) -> bool:
        def work(tx: Any) -> bool:
            space = tx.spaces.find(caller.account_id, "")
            return tx.conversations.find_many(space.id, [held])[held].locked  # type: ignore[no-any-return]

        return await ports.store.read(work)

    held = opened(data, add)

    for name in (held, f"source:{held}"):
        assert run("lock", "conversation", name, "--data", data).status == 0
        assert opened(data, is_locked)
        assert run("unlock", "conversation", name, "--data", data).status == 0
        assert not opened(data, is_locked)


def test_what_is_of_a_space_is_named_with_it(run: Run, data: Path) -> None:
    memory_id = a_memory(data, "ana")

    assert run("lock", "memory", memory_id, "--data", data).status == 1
    assert run("lock", "memory", memory_id, "--data", data, "--space", "ana").status == 0
    assert is_memory_locked(data, memory_id, "ana")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["memory", "999"], "There is no memory 999 here"),
        (["memory", "nope"], "'nope' names no memory"),
        (["conversation", "0" * 32], "There is no conversation"),
        (["memory", "1", "--space", " "], "can't name a space"),
    ],
)
@pytest.mark.parametrize("verb", ["lock", "unlock"])
def test_what_is_not_there_is_told_in_one_sentence(
    run: Run, data: Path, verb: str, arguments: list[str], says: str
) -> None:
    a_memory(data)

    refused = run(verb, *arguments, "--data", data)

    assert refused.status == 1
    assert says in refused.err
    assert refused.err.count("\n") == 1
