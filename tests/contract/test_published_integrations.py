"""The published LangChain and LlamaIndex integrations hold a short conversation against the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PORTO = "My sister Ana lives in Porto."


@pytest.fixture
def scripted() -> Callable[..., Any]:
    """A chat model that gives the replies it was handed, in order, and keeps every prompt it was sent."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import ChatResult

    class Scripted(GenericFakeChatModel):
        prompts: list[list[BaseMessage]] = []  # noqa: RUF012 - a pydantic field

        def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
            self.prompts.append(messages)
            return super()._generate(messages, *args, **options)

        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

    return lambda *replies: Scripted(messages=iter(replies))


@pytest.mark.statement(78, 94)
@pytest.mark.parametrize("waiting", [False, True], ids=["blocking", "asyncio"])
async def test_a_langchain_agent_keeps_three_turns_in_one_source_and_recalls_them(
    client: Any,
    asdk: Any,
    space: str,
    sdk: Any,
    learned: Callable[..., Any],
    turns: Callable[[str], Any],
    scripted: Callable[..., Any],
    base_url: str,
    api_key: str,
    waiting: bool,
) -> None:
    from geniffy import AsyncGeniffy
    from langchain.agents import create_agent
    from langchain_core.messages import AIMessage
    from langchain_geniffy import GeniffyMemory
    from langgraph.checkpoint.memory import InMemorySaver

    model = scripted(AIMessage("Noted."), AIMessage("Fine."), AIMessage("In Porto."))
    faults: list[Exception] = []
    async with AsyncGeniffy(api_key, base_url=base_url) as waiting_client:
        memory = GeniffyMemory(space=space, client=client, async_client=waiting_client, on_error=faults.append)
        agent = create_agent(model, middleware=[memory], checkpointer=InMemorySaver())
        config: Any = {"configurable": {"thread_id": "chat-1"}}
        for words in (PORTO, "thanks!", "Where does my sister Ana live?"):
            asked: Any = {"messages": [{"role": "user", "content": words}]}
            await agent.ainvoke(asked, config) if waiting else agent.invoke(asked, config)
            learned(sdk, sdk.sources.get(external_id="chat-1"))

    assert faults == []
    (source,) = sdk.sources.list().sources
    assert len(turns(source.id)) == 6
    assert PORTO not in model.prompts[0][0].text
    assert PORTO in model.prompts[2][0].text


@pytest.mark.statement(191)
async def test_langchain_tools_and_retriever_read_and_write_the_space(
    client: Any, space: str, sdk: Any, learned: Callable[..., Any], scripted: Callable[..., Any]
) -> None:
    from langchain.agents import create_agent
    from langchain_core.messages import AIMessage
    from langchain_geniffy import GeniffyRetriever, geniffy_tools

    def call(name: str, **args: str) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": name, "args": args, "id": name}])

    tools = geniffy_tools(space=space, client=client)
    model = scripted(call("remember", text=PORTO), AIMessage("Saved."))
    create_agent(model, tools=tools).invoke({"messages": [{"role": "user", "content": "Remember it."}]})
    learned(sdk, sdk.sources.list().sources[0])
    model = scripted(call("recall", query="Where does my sister Ana live?"), AIMessage("In Porto."))
    done = create_agent(model, tools=tools).invoke({"messages": [{"role": "user", "content": "Where?"}]})

    assert PORTO in next(one.text for one in done["messages"] if one.type == "tool")
    (document,) = GeniffyRetriever(space=space, k=5, client=client).invoke("Ana")
    assert document.page_content == PORTO
    assert document.metadata["kind"] == "people"


@pytest.mark.statement(78, 191)
async def test_a_llamaindex_memory_saves_a_run_once_and_brings_it_back(
    space: str, sdk: Any, base_url: str, api_key: str, learned: Callable[..., Any], turns: Callable[[str], Any]
) -> None:
    from geniffy import AsyncGeniffy
    from llama_index.core.llms import ChatMessage
    from llama_index.core.memory import Memory
    from llama_index.memory.geniffy import GeniffyMemoryBlock

    faults: list[Exception] = []
    async with AsyncGeniffy(api_key, base_url=base_url) as client:
        block = GeniffyMemoryBlock(space=space, client=client, on_error=faults.append)
        memory = Memory.from_defaults(session_id="chat-1", memory_blocks=[block])
        await memory.aput_messages(
            [ChatMessage(role="user", content=PORTO), ChatMessage(role="assistant", content="Noted.")]
        )
        await block.save(memory)
        await block.save(memory)
        learned(sdk, sdk.sources.get(external_id="chat-1"))
        await memory.aput(ChatMessage(role="user", content="Where does my sister Ana live?"))
        prompt = await memory.aget()

    assert faults == []
    assert len(turns(sdk.sources.list().sources[0].id)) == 2
    assert sdk.sources.list().total == 1
    assert any(PORTO in (one.content or "") for one in prompt if one.role == "system")


@pytest.mark.statement(191)
async def test_llamaindex_tools_read_and_write_the_space(
    space: str, sdk: Any, base_url: str, api_key: str, learned: Callable[..., Any]
) -> None:
    from geniffy import AsyncGeniffy
    from llama_index.memory.geniffy import geniffy_tools

    async with AsyncGeniffy(api_key, base_url=base_url) as client:
        recall, remember = geniffy_tools(space=space, client=client)
        await remember.acall(text=PORTO)
        learned(sdk, sdk.sources.list().sources[0])

        assert PORTO in str(await recall.acall(query="Where does my sister Ana live?"))
