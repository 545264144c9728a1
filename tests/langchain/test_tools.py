"""`geniffy_tools` over the real server: in an agent, by hand, and in LangChain's own suites for tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, ToolException
from langchain_tests import integration_tests, unit_tests

from geniffy_agents import APIConnectionError, BadRequestError, Geniffy
from geniffy_langchain import geniffy_tools

PORTO = "My sister Ana lives in Porto."
WHERE = "Where does my sister Ana live?"


@dataclass
class User:
    user_id: str | None


class Made:
    """One of our tools, for LangChain's suites."""

    which: int
    _tool: BaseTool

    @pytest.fixture(autouse=True)
    def _made(self, ours: Geniffy, space: str) -> None:
        self._tool = geniffy_tools(space=space, client=ours)[self.which]

    @property
    def tool_constructor(self) -> Any:
        return self._tool

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": WHERE} if self.which == 0 else {"text": PORTO}


class TestRecallInTheUnitSuite(Made, unit_tests.ToolsUnitTests):
    which = 0


class TestRecallInTheIntegrationSuite(Made, integration_tests.ToolsIntegrationTests):
    which = 0


class TestRememberInTheUnitSuite(Made, unit_tests.ToolsUnitTests):
    which = 1


class TestRememberInTheIntegrationSuite(Made, integration_tests.ToolsIntegrationTests):
    which = 1


def tools_on(way: Any, space: Any, **options: Any) -> list[BaseTool]:
    return geniffy_tools(space=space, on_error=way.faults.append, **{**way.clients, **options})


def results(messages: list[Any]) -> list[ToolMessage]:
    return [message for message in messages if isinstance(message, ToolMessage)]


async def test_an_agent_remembers_and_recalls(
    way: Any, space: str, mem: Geniffy, scripted: Any, calls_tool: Any, learned: Any
) -> None:
    model = scripted(calls_tool("remember", text=PORTO), "Saved.", calls_tool("recall", query=WHERE), "In Porto.")
    agent = create_agent(model, tools=tools_on(way, space))

    (saved,) = results(await way.ask(agent, "Remember where Ana lives.", thread=None))
    learned(mem, mem.sources.list().sources[0])
    (found,) = results(await way.ask(agent, WHERE, thread=None))

    assert (saved.text, saved.status) == ("Saved.", "success")
    assert found.text.startswith(f"- {PORTO}")
    assert way.faults == []


async def test_the_model_never_chooses_whose_memory_it_is(
    way: Any, ours: Geniffy, space: str, scripted: Any, calls_tool: Any
) -> None:
    forged = {"space": f"{space}-victim", "runtime": {"context": {"user_id": f"{space}-victim"}}}
    model = scripted(calls_tool("remember", text=PORTO, **forged), "Saved.")
    agent = create_agent(model, tools=tools_on(way, lambda runtime: runtime.context.user_id), context_schema=User)

    await way.ask(agent, "Remember it.", thread=None, context=User(space))

    assert [one["space"] for one in ours.spaces()] == [space]
    for tool in tools_on(way, space):
        assert set(tool.tool_call_schema.model_json_schema()["properties"]) in ({"query"}, {"text"})  # type: ignore[union-attr]


async def test_called_by_hand_what_the_model_wrote_for_a_runtime_is_no_runtime(
    way: Any, ours: Geniffy, space: str
) -> None:
    call = {"type": "tool_call", "name": "remember", "id": "1"}
    args = {"text": PORTO, "runtime": {"user_id": f"{space}-victim"}}
    _, by_name = tools_on(way, space)
    _, by_function = tools_on(way, lambda runtime: runtime["user_id"])

    await way.invoke(by_name, {**call, "args": args})
    with pytest.raises(ToolException, match="outside of an agent"):
        await way.invoke(by_function, {**call, "args": args})

    assert [one["space"] for one in ours.spaces()] == [space]


@pytest.mark.parametrize("missing", [None, "", " "])
async def test_a_missing_user_stops_the_run_before_any_call(
    way: Any, ours: Geniffy, scripted: Any, calls_tool: Any, missing: str | None
) -> None:
    model = scripted(calls_tool("remember", text=PORTO), "Saved.")
    agent = create_agent(model, tools=tools_on(way, lambda runtime: runtime.context.user_id), context_schema=User)

    with pytest.raises(ToolException, match="user"):
        await way.ask(agent, "Remember it.", thread=None, context=User(missing))

    assert ours.spaces() == []
    assert ours.sources.list().total == 0


async def test_the_server_away_stops_no_run_and_the_model_is_told(
    way: Any, space: str, scripted: Any, calls_tool: Any, away: str
) -> None:
    both = AIMessage(
        "",
        tool_calls=[*calls_tool("remember", text=PORTO).tool_calls, *calls_tool("recall", query=WHERE).tool_calls],
    )
    agent = create_agent(scripted(both, "Sorry."), tools=tools_on(way, space, **way.of(away, max_retries=0)))

    told = await way.ask(agent, "Remember it.", thread=None)

    assert [(result.status, "can't be reached" in result.text) for result in results(told)] == [("error", True)] * 2
    assert told[-1].text == "Sorry."
    assert [type(fault) for fault in way.faults] == [APIConnectionError] * 2


async def test_what_the_server_refuses_is_told_in_its_own_sentence(
    way: Any, space: str, scripted: Any, calls_tool: Any
) -> None:
    agent = create_agent(scripted(calls_tool("remember", text=" "), "Sorry."), tools=tools_on(way, space))

    (result,) = results(await way.ask(agent, "Remember it.", thread=None))

    (fault,) = way.faults
    assert isinstance(fault, BadRequestError)
    assert (result.status, result.text) == ("error", fault.message)


@pytest.mark.parametrize(("options", "error"), [({}, TypeError), ({"space": " "}, ValueError)])
def test_a_missing_or_blank_space_is_refused_when_it_is_given(options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        geniffy_tools(**options)
