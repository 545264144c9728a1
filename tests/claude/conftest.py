"""The tool over the real server: through HTTP and in this process, blocking and awaited, each in a fresh space."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic.tools import ToolError

from geniffy_agents import AsyncGeniffy, Geniffy
from geniffy_claude import AsyncGeniffyMemoryTool, GeniffyMemoryTool
from tests.claude.shelf import Shelf
from tests.sdk.capture import outcome

Say = Callable[..., Coroutine[Any, Any, str]]


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the memory in this process is kept."""
    return tmp_path_factory.mktemp("claude") / "memory"


@pytest.fixture(scope="session")
def in_process(directory: Path) -> Iterator[Geniffy]:
    """A memory in this process."""
    with Geniffy.local(directory) as client:
        yield client


@pytest.fixture(params=["http", "http, awaited", "local", "local, awaited"])
async def client(
    request: pytest.FixtureRequest, base_url: str, in_process: Geniffy, directory: Path
) -> AsyncIterator[Geniffy | AsyncGeniffy]:
    """Every kind of client, bound to nobody."""
    if request.param == "local":
        yield in_process
    elif request.param == "local, awaited":
        async with AsyncGeniffy.local(directory) as local:
            yield local
    elif request.param == "http":
        with Geniffy(request.getfixturevalue("api_key"), base_url=base_url) as blocking:
            yield blocking
    else:
        async with AsyncGeniffy(request.getfixturevalue("api_key"), base_url=base_url) as waiting:
            yield waiting


def tool_on(client: Geniffy | AsyncGeniffy, space: Any, **options: Any) -> Any:
    """The tool that goes with a client."""
    if isinstance(client, Geniffy):
        return GeniffyMemoryTool(client, space=space, **options)
    return AsyncGeniffyMemoryTool(client, space=space, **options)


async def said(tool: Any, command: str, **arguments: Any) -> str:
    """What a tool answers to a command, called as a runner calls it. Raises ToolError for what it refuses."""
    return str(await outcome(tool.call({"command": command, **arguments})))


async def refusal(tool: Any, command: str, **arguments: Any) -> str:
    """The sentence that a refused command is told."""
    with pytest.raises(ToolError) as refused:
        await said(tool, command, **arguments)
    return str(refused.value)


@pytest.fixture
def tool(client: Geniffy | AsyncGeniffy, space: str) -> Any:
    """The tool over the real server, in a fresh space."""
    return tool_on(client, space)


@pytest.fixture
def say(tool: Any) -> Say:
    """Gives the tool a command: `await say("view", path="/memories")`."""
    return lambda command, **arguments: said(tool, command, **arguments)


@pytest.fixture
def refuse(tool: Any) -> Say:
    """The sentence the tool refuses a command with: `await refuse("view", path="/x")`."""
    return lambda command, **arguments: refusal(tool, command, **arguments)


@pytest.fixture
def shelf() -> Shelf:
    """A memory that a test can step into between two calls."""
    return Shelf()


@pytest.fixture(params=["blocking", "awaited"])
def shelved(request: pytest.FixtureRequest, shelf: Shelf) -> Any:
    """The tool of either kind over `shelf`, in the owner's own memory."""
    return tool_on(shelf.client() if request.param == "blocking" else shelf.async_client(), None)
