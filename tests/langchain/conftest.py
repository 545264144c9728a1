"""Agents with scripted chat models over the real server, blocking and awaited, each user in a fresh space."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult

from geniffy_agents import AsyncGeniffy, Geniffy


class Scripted(GenericFakeChatModel):
    """A chat model that gives the replies it was handed, in order, and keeps every prompt it was sent."""

    prompts: list[list[BaseMessage]] = []  # noqa: RUF012 - a pydantic field

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        self.prompts.append(messages)
        return super()._generate(messages, *args, **options)

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


@pytest.fixture
def scripted() -> Callable[..., Scripted]:
    return lambda *replies: Scripted(
        messages=iter([AIMessage(reply) if isinstance(reply, str) else reply for reply in replies])
    )


@pytest.fixture
def calls_tool() -> Callable[..., AIMessage]:
    """A reply that calls a tool: `calls_tool("recall", query="...")`."""
    return lambda name, **args: AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call-{name}"}])


@pytest.fixture
def ours(base_url: str, api_key: str) -> Iterator[Geniffy]:
    """The blocking client, bound to nobody."""
    with Geniffy(api_key, base_url=base_url) as client:
        yield client


@pytest.fixture
def mem(ours: Geniffy, space: str) -> Geniffy:
    """The blocking client in the test's space."""
    return ours.space(space)


@pytest.fixture
def away() -> Iterator[str]:
    """The address of a server that is away: the port is held, and nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@dataclass
class Way:
    """One way to run a host: blocking, or awaited. `clients` go to what is tried."""

    name: str
    clients: dict[str, Any]
    of: Callable[..., dict[str, Any]]
    faults: list[Exception] = field(default_factory=list)

    async def invoke(self, what: Any, *args: Any, **options: Any) -> Any:
        """`invoke` or `ainvoke` of an agent, a graph, a tool or a retriever."""
        if self.name == "blocking":
            return what.invoke(*args, **options)
        return await what.ainvoke(*args, **options)

    async def ask(self, agent: Any, words: str, thread: str | None = "chat-1", **options: Any) -> list[BaseMessage]:
        """One turn with an agent."""
        config = {"configurable": {"thread_id": thread}} if thread else {}
        told = await self.invoke(agent, {"messages": [{"role": "user", "content": words}]}, config, **options)
        return list(told["messages"])


@pytest.fixture(params=["blocking", "asyncio"])
async def way(request: pytest.FixtureRequest, base_url: str, api_key: str) -> AsyncIterator[Way]:
    made: list[Any] = []

    def of(url: str, key: str = api_key, **options: Any) -> dict[str, Any]:
        if request.param == "blocking":
            made.append(Geniffy(key, base_url=url, **options))
            return {"client": made[-1]}
        made.append(AsyncGeniffy(key, base_url=url, **options))
        return {"async_client": made[-1]}

    yield Way(request.param, of(base_url), of)
    for client in made:
        if isinstance(client, Geniffy):
            client.close()
        else:
            await client.aclose()


@pytest.fixture
def learn(learned: Callable[..., Any]) -> Callable[..., Any]:
    """Waits until a conversation of a space has been learned."""
    return lambda mem, session="chat-1": learned(mem, mem.sources.get(external_id=session))


@pytest.fixture
def words(turns: Callable[[str], Any], mem: Geniffy) -> Callable[..., list[str]]:
    """What the server keeps of a conversation: each turn's words, or the name of the tool it calls or answers for."""

    def kept(session: str = "chat-1") -> list[str]:
        source = mem.sources.get(external_id=session)
        return [turn.text or "+".join(str(tool.name) for tool in turn.tools) for turn in turns(source.id)]

    return kept
