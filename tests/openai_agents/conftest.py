"""Scripted models for the OpenAI Agents SDK's Runner, and a memory on the running server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, SQLiteSession, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message

from geniffy_agents import Geniffy
from geniffy_openai_agents import GeniffyMemory
from tests.sdk.line import Line

PORTO = "My sister Ana lives in Porto."
THREE_TURNS = [
    ("user", PORTO),
    ("assistant", "Noted."),
    ("user", "thanks!"),
    ("assistant", "Fine."),
    ("user", "Where does my sister Ana live?"),
    ("assistant", "In Porto."),
]
ASKED = [words for role, words in THREE_TURNS if role == "user"]


@dataclass(frozen=True)
class User:
    """What an app runs its agents with."""

    id: Any


@pytest.fixture(autouse=True)
def no_tracing() -> None:
    set_tracing_disabled(True)


@pytest.fixture
def model() -> Callable[..., ScriptedModel]:
    """Makes a model that gives these replies in order: words, or the items of one answer."""

    def made(*replies: Any) -> ScriptedModel:
        return ScriptedModel([[assistant_message(each)] if isinstance(each, str) else each for each in replies])

    return made


@pytest.fixture
def agent() -> Callable[..., Agent[User]]:
    """Makes an agent of a model and tools."""

    def made(model: ScriptedModel, *tools: Any, **options: Any) -> Agent[User]:
        return Agent[User](
            **{"name": "Assistant", "instructions": "Be kind.", "model": model, "tools": list(tools), **options}
        )

    return made


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def faults() -> list[Exception]:
    """What `on_error` was called with."""
    return []


@pytest.fixture(params=["blocking", "asyncio"])
async def either_client(request: pytest.FixtureRequest, line: Line, api_key: str, base_url: str) -> Any:
    """A client of either kind, over a line that can be cut."""
    return line.client(api_key, base_url) if request.param == "blocking" else line.async_client(api_key, base_url)


@pytest.fixture
def own_client(line: Line, api_key: str, base_url: str) -> Geniffy:
    return line.client(api_key, base_url)


@pytest.fixture
def user(space: str) -> User:
    return User(space)


@pytest.fixture
def memory(own_client: Geniffy, faults: list[Exception]) -> Callable[..., GeniffyMemory]:
    """Makes a memory of whom a run is for, as a process that starts would."""

    def made(**options: Any) -> GeniffyMemory:
        chosen = {"space": lambda user: user.id, "client": own_client, "on_error": faults.append, **options}
        return GeniffyMemory(**chosen)

    return made


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Callable[..., SQLiteSession]]:
    """Opens the SDK's session on disk, as a process that starts would."""
    opened: list[SQLiteSession] = []

    def made(name: str = "chat-1") -> SQLiteSession:
        opened.append(SQLiteSession(name, tmp_path / "chats.db"))
        return opened[-1]

    yield made
    for each in opened:
        each.close()


@pytest.fixture
def kept(sdk: Any, turns: Callable[[str], Any]) -> Callable[..., list[tuple[str, str]]]:
    """Who said what in the conversation that the server keeps."""

    def of(session: str = "chat-1") -> list[tuple[str, str]]:
        return [(turn.role, turn.text) for turn in turns(sdk.sources.get(external_id=session).id)]

    return of


@pytest.fixture
def learned_all(sdk: Any, learned: Callable[..., Any]) -> Callable[[], None]:
    """Waits until all of the test's space has been learned."""

    def wait() -> None:
        for source in sdk.sources.list().sources:
            learned(sdk, source)

    return wait
