"""Agents of LangChain whose memory is a directory: no server, no key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver

from geniffy_agents import AsyncGeniffy, Geniffy
from geniffy_langchain import GeniffyMemory, GeniffyRetriever, GeniffyStore

PORTO = "My sister Ana lives in Porto."


@pytest.mark.parametrize("kind", [Geniffy, AsyncGeniffy])
async def test_a_directory_remembers_over_restarts_of_all(kind: type[Any], tmp_path: Path, scripted: Any) -> None:
    checkpoints = InMemorySaver()
    faults: list[Exception] = []
    config: Any = {"configurable": {"thread_id": "chat-1"}}
    is_blocking = kind is Geniffy
    for said, reply in ((PORTO, "Noted."), ("thanks!", "Fine."), ("Where does my sister Ana live?", "In Porto.")):
        client = kind.local(tmp_path / "data")
        mine = {"client": client} if is_blocking else {"async_client": client}
        memory = GeniffyMemory(space="user-42", on_error=faults.append, **mine)
        model = scripted(reply)
        agent = create_agent(model, middleware=[memory], checkpointer=checkpoints)
        asked: Any = {"messages": [("user", said)]}
        agent.invoke(asked, config) if is_blocking else await agent.ainvoke(asked, config)
        store: Any = GeniffyStore(space="user-42", **mine)
        retriever = GeniffyRetriever(space="user-42", k=1, **mine)
        with Geniffy.local(tmp_path / "data", space="user-42") as reader:
            source = reader.sources.wait(reader.sources.get(external_id="chat-1"))
        if is_blocking:
            store.put(("turns",), reply, {"said": said}, index=False)
            items, found = store.search(("turns",)), retriever.invoke("Ana")
            client.close()
        else:
            await store.aput(("turns",), reply, {"said": said}, index=False)
            items, found = await store.asearch(("turns",)), await retriever.ainvoke("Ana")
            await client.aclose()

    assert faults == []
    assert source.labels["geniffy-saved"].startswith("6:")
    assert f"- {PORTO}" in model.prompts[0][0].text
    assert [item.key for item in items] == ["In Porto.", "Fine.", "Noted."]
    assert [document.page_content for document in found] == [PORTO]
