"""recall and remember in the hands of LlamaIndex's agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.memory import Memory

from geniffy_agents import Geniffy
from geniffy_llamaindex import geniffy_tools
from tests.llamaindex.conftest import PORTO, call
from tests.sdk.line import Line


async def test_an_agent_remembers_with_one_tool_and_recalls_with_the_other(
    either_client: Any, space: str, model: Callable[..., Any], learned_all: Callable[[], None], sdk: Any
) -> None:
    tools = geniffy_tools(space=space, client=either_client)
    scripted = model(call("remember", text=PORTO), "Saved.", call("recall", query="Where does Ana live?"), "In Porto.")
    await scripted.agent(*tools).run(user_msg="Remember it.", memory=Memory.from_defaults())
    learned_all()
    done = await scripted.agent(*tools).run(user_msg="Where does she live?", memory=Memory.from_defaults())

    assert [tool.tool_output.content[:8] for tool in done.tool_calls] == ["- My sis"]
    assert PORTO in done.tool_calls[0].tool_output.content
    assert [memory.text for memory in sdk.memories.iter()] == [PORTO]


def test_the_tools_block_where_they_are_called_so(space: str, own_client: Geniffy, sdk: Any) -> None:
    recall, remember = geniffy_tools(space=space, client=own_client)

    assert remember.call(text=PORTO).content == "Saved."
    assert recall.call(query="What is the capital of Peru?").content == (
        "There is nothing stored about this yet. Say so rather than guessing."
    )
    assert sdk.sources.list().total == 1


def test_the_model_passes_one_text_and_never_whose_memory_it_is(space: str, own_client: Geniffy) -> None:
    tools = geniffy_tools(space=space, client=own_client)

    passed = {tool.metadata.name: tool.metadata.get_parameters_dict()["properties"] for tool in tools}
    assert {name: list(fields) for name, fields in passed.items()} == {"recall": ["query"], "remember": ["text"]}
    assert all(field["description"] for fields in passed.values() for field in fields.values())
    assert all(tool.metadata.description for tool in tools)


async def test_while_the_server_is_away_the_model_is_told_and_the_run_goes_on(
    either_client: Any, space: str, model: Callable[..., Any], line: Line, faults: list[Exception]
) -> None:
    line.cut = "away"
    tools = geniffy_tools(space=space, client=either_client, on_error=faults.append)
    scripted = model(call("recall", query="Ana"), call("remember", "c2", text=PORTO), "I can't look it up now.")
    done = await scripted.agent(*tools).run(user_msg="Where?", memory=Memory.from_defaults())

    assert str(done) == "I can't look it up now."
    assert [tool.tool_output.content.split(",")[0] for tool in done.tool_calls] == [
        "The memory can't be reached just now"
    ] * 2
    assert not any(tool.tool_output.is_error for tool in done.tool_calls)
    assert [type(fault).__name__ for fault in faults] == ["APIConnectionError"] * 2


@pytest.mark.parametrize("arguments", [{}, {"query": 7}, {"text": "Ana"}, {"query": None, "space": "somebody-else"}])
async def test_a_model_that_passes_anything_else_is_told_what_to_pass(
    own_client: Geniffy, space: str, line: Line, arguments: dict[str, Any]
) -> None:
    recall, _ = geniffy_tools(space=space, client=own_client)
    told = "recall takes one argument, 'query', which is a text: call it again with that."

    assert recall.call(**arguments).content == told
    assert (await recall.acall(**arguments)).content == told
    assert line.sent == []


async def test_what_the_model_can_do_better_it_is_told_in_the_servers_words(
    space: str, own_client: Geniffy, faults: list[Exception]
) -> None:
    _, remember = geniffy_tools(space=space, client=own_client, on_error=faults.append)

    assert "text" in (await remember.acall(text="")).content
    assert (await remember.acall(text="")).content.endswith(".")
    assert len(faults) == 2


def test_tools_for_nobody_are_refused_before_any_call(own_client: Geniffy, line: Line) -> None:
    with pytest.raises(TypeError, match="space"):
        geniffy_tools()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="blank"):
        geniffy_tools(space=" ", client=own_client)
    recall, _ = geniffy_tools(space=lambda _: None, client=own_client)  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match="NoneType"):
        recall.call(query="Ana")
    assert line.sent == []


async def test_a_function_says_whom_each_call_is_for(own_client: Geniffy, client: Any, space: str) -> None:
    users = iter([space, "somebody-else"])
    _, remember = geniffy_tools(space=lambda _: next(users), client=own_client)

    await remember.acall(text=PORTO)
    remember.call(text="My friend Mia plays the violin.")

    assert [client.space(name).sources.list().total for name in (space, "somebody-else")] == [1, 1]
