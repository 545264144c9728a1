"""LlamaIndex's own agent with the block: three turns, over a restart and while the server is away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.memory.memory import InsertMethod

from geniffy_llamaindex import GeniffyMemoryBlock
from tests.llamaindex.conftest import PORTO, agent_said, call, user
from tests.sdk.line import Line

THREE_TURNS = [
    ("user", PORTO),
    ("assistant", "Noted."),
    ("user", "thanks!"),
    ("assistant", "Fine."),
    ("user", "Where does my sister Ana live?"),
    ("assistant", "In Porto."),
]
ASKED = [words for role, words in THREE_TURNS if role == "user"]


@pytest.mark.parametrize("insert_method", list(InsertMethod))
async def test_three_turns_over_a_restart_are_recalled_and_each_is_saved_once(
    either_client: Any,
    block: Callable[..., GeniffyMemoryBlock],
    memory: Callable[..., Memory],
    model: Callable[..., Any],
    kept: Callable[..., Any],
    learned_all: Callable[[], None],
    faults: list[Exception],
    line: Line,
    insert_method: InsertMethod,
) -> None:
    scripted = model("Noted.", "Fine.", "In Porto.")
    for words in ASKED:  # each turn is a process of its own
        chat = memory(block(client=either_client), insert_method=insert_method)
        await scripted.agent(prompt="Be kind.").run(user_msg=words, memory=chat)
        learned_all()

    assert faults == []
    assert kept() == THREE_TURNS
    assert line.adds == 3
    assert "Ana lives in Porto.  [" not in scripted.prompt(0)
    assert "Ana lives in Porto.  [" in scripted.prompt(2)


@pytest.mark.parametrize(
    "build",
    [
        lambda llm: FunctionAgent(llm=llm, streaming=True),
        lambda llm: ReActAgent(llm=llm, streaming=False),
        lambda llm: AgentWorkflow(agents=[FunctionAgent(name="One", llm=llm)], root_agent="One"),
    ],
    ids=["streaming", "react", "workflow"],
)
async def test_every_agent_of_llamaindex_has_its_runs_saved_when_they_end(
    block: Callable[..., GeniffyMemoryBlock],
    memory: Callable[..., Memory],
    model: Callable[..., Any],
    kept: Callable[..., Any],
    line: Line,
    build: Callable[[Any], Any],
) -> None:
    scripted = model(*(f"Thought: I can answer.\nAnswer: {words}" for words in ("Noted.", "Fine.")))
    for words in ASKED[:2]:
        await build(scripted.llm).run(user_msg=words, memory=memory(block()))

    assert [text.rpartition("Answer: ")[2] for _, text in kept()] == [text for _, text in THREE_TURNS[:4]]
    assert line.adds == 2


async def test_turns_said_while_the_server_was_away_are_saved_when_it_is_back(
    either_client: Any,
    block: Callable[..., GeniffyMemoryBlock],
    memory: Callable[..., Memory],
    model: Callable[..., Any],
    kept: Callable[..., Any],
    faults: list[Exception],
    line: Line,
) -> None:
    scripted = model("Noted.", "Fine.", "In Porto.")
    for words, cut in zip(ASKED, ("", "away", ""), strict=True):
        line.cut = cut
        chat = memory(block(client=either_client))
        reply = await scripted.agent().run(user_msg=words, memory=chat)
        assert str(reply)

    assert kept() == THREE_TURNS
    assert line.adds == 3  # the second turn goes as the third begins
    assert {type(fault).__name__ for fault in faults} == {"APIConnectionError"}


async def test_a_first_turn_whose_answer_was_lost_is_saved_once(
    block: Callable[..., GeniffyMemoryBlock],
    memory: Callable[..., Memory],
    model: Callable[..., Any],
    kept: Callable[..., Any],
    line: Line,
) -> None:
    scripted = model("Noted.", "Fine.", "In Porto.")
    for words, cut in zip(ASKED, ("answer lost", "", ""), strict=True):
        line.cut = cut
        await scripted.agent().run(user_msg=words, memory=memory(block()))

    assert kept() == THREE_TURNS


async def test_a_block_that_lives_as_long_as_the_conversation_saves_each_turn_once(
    block: Callable[..., GeniffyMemoryBlock],
    model: Callable[..., Any],
    kept: Callable[..., Any],
    faults: list[Exception],
    line: Line,
) -> None:
    scripted, one = model("Noted.", "Fine.", "In Porto."), block()
    chat = Memory.from_defaults(session_id="chat-1", memory_blocks=[one])
    for words, cut in zip(ASKED, ("away", "", ""), strict=True):
        line.cut = cut
        await scripted.agent().run(user_msg=words, memory=chat)
        await one.save(chat)
        await one.save(chat)

    assert kept() == THREE_TURNS
    assert line.adds == 3
    assert faults


async def test_the_tools_a_run_called_are_saved_with_it_and_it_asks_for_memories_once(
    block: Callable[..., GeniffyMemoryBlock],
    memory: Callable[..., Memory],
    model: Callable[..., Any],
    sdk: Any,
    turns: Callable[[str], Any],
    line: Line,
) -> None:
    def lookup(order: int) -> str:
        """Look up an order."""
        return "Shipped on Monday."

    scripted = model(call("lookup", order=7), "It was shipped on Monday.")
    await scripted.agent(lookup).run(user_msg="Where is order 7?", memory=memory(block()))

    asked, called, given, said = turns(sdk.sources.get(external_id="chat-1").id)
    assert (asked.text, said.text) == ("Where is order 7?", "It was shipped on Monday.")
    assert [(tool.name, tool.text) for tool in called.tools] == [("lookup", '{"order": 7}')]
    assert [(tool.call_id, tool.text) for tool in given.tools] == [("c1", "Shipped on Monday.")]
    assert sum(request.url.path == "/v1/context" for request in line.sent) == 1


async def test_nothing_that_was_recalled_is_saved_as_said_where_it_goes_before_the_users_words(
    block: Callable[..., GeniffyMemoryBlock],
    model: Callable[..., Any],
    kept: Callable[..., Any],
    sdk: Any,
    learned: Callable[..., Any],
) -> None:
    learned(sdk, sdk.memories.add(PORTO))
    one = block()
    chat = Memory.from_defaults(session_id="chat-1", memory_blocks=[one], insert_method=InsertMethod.USER)
    await chat.aput(user("Where does my sister Ana live?"))
    informed = await chat.aget()
    await chat.aset([*informed, agent_said("In Porto.")])  # as a store does that hands out its own messages
    await one.save(chat)

    assert PORTO in (informed[0].content or "")
    assert kept() == [("user", "Where does my sister Ana live?"), ("assistant", "In Porto.")]


async def test_a_run_of_an_agent_with_a_plain_buffer_is_saved_by_hand(
    block: Callable[..., GeniffyMemoryBlock], model: Callable[..., Any], kept: Callable[..., Any]
) -> None:
    scripted, one = model("Noted.", "Fine.", "In Porto."), block()
    buffer = ChatMemoryBuffer.from_defaults()
    for words in ASKED:
        await scripted.agent().run(user_msg=words, memory=buffer)
        await one.save(buffer, session="chat-1")

    assert kept() == THREE_TURNS


def test_a_chat_engine_that_blocks_is_recalled_to_and_saved(
    block: Callable[..., GeniffyMemoryBlock],
    memory: Callable[..., Memory],
    model: Callable[..., Any],
    kept: Callable[..., Any],
    learned_all: Callable[[], None],
    faults: list[Exception],
) -> None:
    from llama_index.core.chat_engine import SimpleChatEngine

    scripted, one = model("Noted.", "Fine.", "In Porto."), block()
    chat = memory(one)
    for words in ASKED:
        SimpleChatEngine.from_defaults(llm=scripted.llm, memory=chat).chat(words)
        one.save_sync(chat)
        learned_all()

    assert faults == []
    assert kept() == THREE_TURNS
    assert "Ana lives in Porto.  [" in scripted.prompt(2)
