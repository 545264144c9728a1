"""A scripted model for LlamaIndex's own agents, and a block on the running server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory

from geniffy_agents import Geniffy
from geniffy_llamaindex import GeniffyMemoryBlock
from tests.sdk.line import Line

PORTO = "My sister Ana lives in Porto."


def user(words: str) -> ChatMessage:
    return ChatMessage(role="user", content=words)


def agent_said(words: str) -> ChatMessage:
    return ChatMessage(role="assistant", content=words)


def call(name: str, call_id: str = "c1", **args: Any) -> ChatMessage:
    return ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_name=name, tool_kwargs=args, tool_call_id=call_id)])


@dataclass
class Model:
    """A chat model that gives the replies it was handed, in order, and keeps every prompt it was sent."""

    replies: Iterator[ChatMessage]
    prompts: list[list[ChatMessage]] = field(default_factory=list)

    @property
    def llm(self) -> MockFunctionCallingLLM:
        def reply(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
            self.prompts.append([message.model_copy(deep=True) for message in messages])
            return next(self.replies)

        return MockFunctionCallingLLM(response_generator=reply, is_chat_model=True)

    def agent(self, *tools: Any, prompt: str | None = None) -> FunctionAgent:
        return FunctionAgent(llm=self.llm, tools=list(tools), system_prompt=prompt, streaming=False)

    def prompt(self, number: int) -> str:
        """All the words of one prompt."""
        return "\n".join(message.content or "" for message in self.prompts[number])


@pytest.fixture
def model() -> Callable[..., Model]:
    """Makes a model: `model("Noted.", call("lookup"), "Fine.")`."""
    return lambda *replies: Model(iter([agent_said(each) if isinstance(each, str) else each for each in replies]))


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
def block(own_client: Geniffy, space: str, faults: list[Exception]) -> Callable[..., GeniffyMemoryBlock]:
    """Makes a block of the test's space, as a process that starts would."""

    def made(**options: Any) -> GeniffyMemoryBlock:
        return GeniffyMemoryBlock(**{"space": space, "client": own_client, "on_error": faults.append, **options})

    return made


@pytest.fixture
def memory(tmp_path: Path) -> Callable[..., Memory]:
    """Makes a Memory over a database on disk, as a process that starts would."""

    def made(*blocks: GeniffyMemoryBlock, **options: Any) -> Memory:
        uri = f"sqlite+aiosqlite:///{tmp_path / 'chats.db'}"
        chosen = {"session_id": "chat-1", "async_database_uri": uri, **options}
        return Memory.from_defaults(memory_blocks=list(blocks), **chosen)

    return made


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
