"""Real MCP clients at `/mcp/omi`, and the memories and conversations that they find there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import Account, Server
from tests.mcp.conftest import MODES, Connect, Tools, in_one_task

PATH = "/mcp/omi"


@pytest.fixture
async def omi(connect: Connect, api_key: str) -> AsyncIterator[Tools]:
    """One client of the Omi tools with a key of the whole account."""
    async with in_one_task(connect(api_key, path=PATH)) as one:
        yield one


@pytest.fixture(params=MODES)
async def any_omi(connect: Connect, api_key: str, request: pytest.FixtureRequest) -> AsyncIterator[Tools]:
    """Every client and protocol era in turn, with a key of the whole account."""
    async with in_one_task(connect(api_key, request.param, path=PATH)) as one:
        yield one


Talk = Callable[..., Awaitable[str]]


@pytest.fixture
def talk(client: Any) -> Talk:
    """Adds a conversation and waits until it was learned: `await talk(("Ana", "I moved.", "2026-03-05T10:00:00Z"))`."""

    async def told(*turns: tuple[str, str, str | None], into: Any = None, **options: Any) -> str:
        where = client if into is None else into
        messages = [
            {"role": "user", "name": name, "content": words, **({"time": at} if at else {})}
            for name, words, at in turns
        ]
        source = where.memories.add(messages=messages, **options)
        assert where.sources.wait(source.id, timeout=60).status == "learned"
        return str(source.id)

    return told


@pytest.fixture
def caller(account: Account) -> Any:
    """The test's account in its own memory, as services know it."""
    from geniffy_server.caller import Caller
    from geniffy_server.domain.space import AccountId

    return Caller(AccountId(account.id))


@pytest.fixture
def lock(server: Server, caller: Any) -> Callable[..., None]:
    """Locks a memory or a conversation: `lock(memory="12")`, `lock(conversation=source_id)`."""
    from geniffy_server.services.curating import curate_conversation, curate_memory

    def locked(memory: str | None = None, conversation: str | None = None) -> None:
        if memory is not None:
            server.run(curate_memory(server.ports, caller, int(memory), locked=True))  # type: ignore[arg-type]
        if conversation is not None:
            server.run(curate_conversation(server.ports, caller, conversation, locked=True))  # type: ignore[arg-type]

    return locked
