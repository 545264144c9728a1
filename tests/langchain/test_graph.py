"""LangGraph's own graphs, and LangMem's tools and manager, with `GeniffyStore` as their store."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.runtime import Runtime
from langmem import create_manage_memory_tool, create_search_memory_tool
from langmem.knowledge.extraction import Memory, create_memory_store_manager

from geniffy_agents import APIConnectionError, Geniffy
from geniffy_langchain import GeniffyMemory, GeniffyStore, geniffy_tools
from geniffy_langchain.ledger import SavedState

PORTO = "My sister Ana lives in Porto."
WHERE = "Where does my sister Ana live?"


def graph_of(way: Any, space: str, model: Any, checkpoints: Any, **clients: Any) -> Any:
    """A graph of one's own: what is remembered before its model, our tools, and the run saved at its end."""
    memory = GeniffyMemory(space=space, on_error=way.faults.append, **clients)
    tools = geniffy_tools(space=space, on_error=way.faults.append, **clients)
    store = GeniffyStore(space=space, on_error=way.faults.append, **clients)

    def noted(state: SavedState) -> tuple[str, dict[str, str]]:
        return str(len(state["messages"])), {"text": state["messages"][-1].text}

    def chat(state: SavedState, runtime: Runtime[None]) -> dict[str, Any]:
        assert runtime.store is not None
        runtime.store.put(("seen",), *noted(state), index=False)
        prompt = SystemMessage(memory.remembered(state["messages"], runtime) or "")
        return {"messages": [model.invoke([prompt, *state["messages"]])]}

    async def achat(state: SavedState, runtime: Runtime[None]) -> dict[str, Any]:
        assert runtime.store is not None
        await runtime.store.aput(
            ("seen",), str(len(state["messages"])), {"text": state["messages"][-1].text}, index=False
        )
        prompt = SystemMessage(await memory.aremembered(state["messages"], runtime) or "")
        return {"messages": [await model.ainvoke([prompt, *state["messages"]])]}

    is_blocking = way.name == "blocking"
    graph: Any = StateGraph(SavedState)
    graph.add_node("open", memory.before_agent if is_blocking else memory.abefore_agent)
    graph.add_node("chat", chat if is_blocking else achat)
    graph.add_node("tools", ToolNode(tools))
    graph.add_node("save", memory.after_agent if is_blocking else memory.aafter_agent)
    graph.add_edge(START, "open")
    graph.add_edge("open", "chat")
    graph.add_conditional_edges("chat", tools_condition, {"tools": "tools", END: "save"})
    graph.add_edge("tools", "chat")
    graph.add_edge("save", END)
    return graph.compile(checkpointer=checkpoints, store=store)


async def test_a_graph_of_ones_own_over_a_restart_sends_nothing_twice_and_loses_nothing(
    way: Any, space: str, mem: Geniffy, scripted: Any, calls_tool: Any, learn: Any, words: Any, base_url: str, away: str
) -> None:
    checkpoints = InMemorySaver()
    model = scripted("Noted.", "Fine.", calls_tool("recall", query=WHERE), "In Porto.")

    for said, url in ((PORTO, base_url), ("thanks!", away), (WHERE, base_url)):
        # All that a process holds is made anew; the second turn's server is away.
        graph = graph_of(way, space, model, checkpoints, **way.of(url, max_retries=0))
        told = await way.ask(graph, said)
        if url == base_url:
            learn(mem)

    assert [message.text for message in told if message.type == "ai"] == ["Noted.", "Fine.", "", "In Porto."]
    assert PORTO in next(message.text for message in told if message.type == "tool")
    assert words() == [PORTO, "Noted.", "thanks!", "Fine.", WHERE, "recall", "recall", "In Porto."]
    assert PORTO in model.prompts[2][0].text
    assert {type(fault) for fault in way.faults} == {APIConnectionError}
    held = mem.files.list("/store/").files
    assert [file.path for file in held] == ["/store/seen/1.md", "/store/seen/5.md", "/store/seen/7.md"]


@pytest.fixture
def store(way: Any, space: str) -> GeniffyStore:
    return GeniffyStore(space=space, **way.clients)


async def test_an_agent_with_langmems_tools_keeps_and_finds_memories_over_a_restart(
    way: Any, space: str, mem: Geniffy, store: GeniffyStore, scripted: Any, calls_tool: Callable[..., Any]
) -> None:
    namespace = ("memories", "{user_id}")

    def agent(*replies: Any) -> Any:
        tools = [create_manage_memory_tool(namespace), create_search_memory_tool(namespace)]
        return create_agent(scripted(*replies), tools=tools, store=GeniffyStore(space=space, **way.clients))

    async def ask(agent: Any, words: str, user: str) -> Any:
        config = {"configurable": {"user_id": user}}
        told = await way.invoke(agent, {"messages": [{"role": "user", "content": words}]}, config)
        return next(message for message in told["messages"] if message.type == "tool")

    saves = agent(calls_tool("manage_memory", content=PORTO, action="create"), "Saved.")
    assert "created memory" in (await ask(saves, "Remember it.", "zoe")).text
    await ask(agent(calls_tool("manage_memory", content="Plays chess.", action="create"), "Saved."), "And this.", "zoe")
    await ask(agent(calls_tool("manage_memory", content="Lives in Rome.", action="create"), "Saved."), "Hi.", "noor")
    found = await ask(agent(calls_tool("search_memory", query=WHERE), "In Porto."), WHERE, "zoe")

    first, *others = json.loads(found.text)
    assert (first["namespace"], first["value"]) == (["memories", "zoe"], {"content": PORTO})
    assert [item["value"]["content"] for item in others] == ["Plays chess."]
    changes = agent(
        calls_tool("manage_memory", content="Ana moved to Rome.", action="update", id=first["key"]), "Changed."
    )
    await ask(changes, "She moved.", "zoe")
    await ask(agent(calls_tool("manage_memory", action="delete", id=others[0]["key"]), "Gone."), "No chess.", "zoe")
    held = await search(way, store, ("memories", "zoe"))
    assert [(item.key, item.value) for item in held] == [(first["key"], {"content": "Ana moved to Rome."})]
    assert mem.files.list("/store/memories/zoe/").total == 1


async def search(way: Any, store: GeniffyStore, namespace: tuple[str, ...]) -> list[Any]:
    return store.search(namespace) if way.name == "blocking" else await store.asearch(namespace)


async def test_langmems_manager_reads_and_writes_its_memories_in_the_store(
    way: Any, store: GeniffyStore, scripted: Any, calls_tool: Any
) -> None:
    manager = create_memory_store_manager(
        scripted(calls_tool("Memory", content=PORTO), ""),
        schemas=[Memory],
        namespace=("memories", "{user_id}"),
        store=store,
        query_model=scripted(""),
        enable_inserts=True,
    )

    await way.invoke(
        manager,
        {"messages": [{"role": "user", "content": PORTO}], "max_steps": 1},
        config={"configurable": {"user_id": "zoe"}},
    )

    (item,) = await search(way, store, ("memories", "zoe"))
    assert item.value == {"kind": "Memory", "content": {"content": PORTO}}
