"""recall and remember in the hands of the SDK's agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from agents import Runner, UserError
from agents.testing import function_call

from geniffy_agents import Geniffy
from geniffy_openai_agents import geniffy_tools
from tests.openai_agents.conftest import PORTO, User
from tests.sdk.line import Line


def given_back(result: Any) -> list[str]:
    """What the tools of a run gave back."""
    return [item.output for item in result.new_items if item.type == "tool_call_output_item"]


async def test_an_agent_remembers_with_one_tool_and_recalls_with_the_other(
    either_client: Any,
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    learned_all: Callable[[], None],
) -> None:
    tools = geniffy_tools(space=lambda user: user.id, client=either_client)
    scripted = model([function_call("remember", {"text": PORTO}, call_id="c1")], "Saved.")
    saved = await Runner.run(agent(scripted, *tools), "Remember it.", context=user)
    learned_all()
    scripted = model([function_call("recall", {"query": "Where does Ana live?"}, call_id="c1")], "In Porto.")
    found = await Runner.run(agent(scripted, *tools), "Where does she live?", context=user)

    assert given_back(saved) == ["Saved."]
    assert given_back(found)[0].startswith(f"- {PORTO}")


def test_the_model_passes_one_text_and_never_whose_memory_it_is(own_client: Geniffy, space: str) -> None:
    tools: Any = geniffy_tools(space=space, client=own_client)

    assert {tool.name: list(tool.params_json_schema["properties"]) for tool in tools} == {
        "recall": ["query"],
        "remember": ["text"],
    }
    assert all(tool.strict_json_schema and tool.description for tool in tools)


async def test_while_the_server_is_away_the_model_is_told_and_the_run_goes_on(
    either_client: Any,
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    line: Line,
    faults: list[Exception],
) -> None:
    line.cut = "away"
    tools = geniffy_tools(space=lambda user: user.id, client=either_client, on_error=faults.append)
    scripted = model([function_call("recall", {"query": "Ana"}, call_id="c1")], "I can't look it up now.")
    result = await Runner.run(agent(scripted, *tools), "Where does she live?", context=user)

    assert result.final_output == "I can't look it up now."
    assert given_back(result)[0].startswith("The memory can't be reached just now")
    assert [type(fault).__name__ for fault in faults] == ["APIConnectionError"]


@pytest.mark.parametrize("arguments", ["{}", '{"query": 7}', "[]", "null", "{broken"])
async def test_a_model_that_passes_anything_else_is_told_what_to_pass(
    own_client: Geniffy,
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    line: Line,
    arguments: str,
) -> None:
    tools = geniffy_tools(space=lambda user: user.id, client=own_client)
    scripted = model([function_call("recall", arguments, call_id="c1")], "Sorry.")
    result = await Runner.run(agent(scripted, *tools), "Where does she live?", context=user)

    assert given_back(result) == ["recall takes one argument, 'query', which is a text: call it again with that."]
    assert line.sent == []


async def test_what_the_model_can_do_better_it_is_told_in_the_servers_words(
    own_client: Geniffy, model: Callable[..., Any], agent: Callable[..., Any], user: User
) -> None:
    tools = geniffy_tools(space=lambda user: user.id, client=own_client, on_error=lambda error: None)
    scripted = model([function_call("remember", {"text": ""}, call_id="c1")], "Sorry.")
    result = await Runner.run(agent(scripted, *tools), "Remember.", context=user)

    assert "text" in given_back(result)[0]


@pytest.mark.parametrize("missing", [None, "", " "])
async def test_a_run_for_nobody_ends_before_any_call(
    own_client: Geniffy, model: Callable[..., Any], agent: Callable[..., Any], line: Line, missing: Any
) -> None:
    tools = geniffy_tools(space=lambda user: user.id, client=own_client)
    scripted = model([function_call("recall", {"query": "Ana"}, call_id="c1")], "Sorry.")

    with pytest.raises(UserError):
        await Runner.run(agent(scripted, *tools), "Where does she live?", context=User(missing))
    assert line.sent == []


def test_tools_without_a_space_are_a_type_error_and_for_a_blank_one_refused() -> None:
    with pytest.raises(TypeError, match="space"):
        geniffy_tools()  # type: ignore[call-arg]
    with pytest.raises(UserError):
        geniffy_tools(space=" ")
