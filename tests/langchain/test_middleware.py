"""`GeniffyMemory` around LangChain's own agent, over the real server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from geniffy_agents import APIConnectionError, Geniffy
from geniffy_agents.turns import MEMORY_INSTRUCTIONS, NOTHING_REMEMBERED
from geniffy_langchain import GeniffyMemory

PORTO = "My sister Ana lives in Porto."
WHERE = "Where does my sister Ana live?"


@dataclass
class User:
    user_id: str | None


@tool
def lookup(order: str) -> str:
    """Look an order up."""
    return f"Order {order} was shipped."


def memory_on(way: Any, space: Any, **options: Any) -> GeniffyMemory:
    return GeniffyMemory(space=space, on_error=way.faults.append, **{**way.clients, **options})


async def test_three_turns_over_a_restart_become_one_source_and_nothing_is_sent_twice_or_lost(
    way: Any, space: str, mem: Geniffy, scripted: Any, learn: Any, words: Any, base_url: str
) -> None:
    checkpoints = InMemorySaver()
    said = (PORTO, "thanks!", WHERE)
    replies = ("Noted.", "Fine.", "In Porto.")
    prompts = []
    for question, reply in zip(said, replies, strict=True):
        # All that a process holds is made anew: what is kept is in the checkpoints and on the server.
        model = scripted(reply)
        memory = memory_on(way, space, **way.of(base_url))
        agent = create_agent(model, middleware=[memory], checkpointer=checkpoints, system_prompt="Be kind.")
        await way.ask(agent, question)
        learn(mem)
        prompts.append(model.prompts[0][0].text)

    assert way.faults == []
    assert words() == [PORTO, "Noted.", "thanks!", "Fine.", WHERE, "In Porto."]
    assert mem.sources.list().total == 1
    assert mem.sources.get(external_id="chat-1").title == PORTO
    assert all(prompt.startswith(f"Be kind.\n\n{MEMORY_INSTRUCTIONS}") for prompt in prompts)
    assert PORTO not in prompts[0]
    assert f"- {PORTO}" in prompts[2]


async def test_a_run_is_saved_with_its_tools_and_is_logged_under_the_integrations_name(
    way: Any, space: str, mem: Geniffy, scripted: Any, calls_tool: Any, turns: Any
) -> None:
    model = scripted(calls_tool("lookup", order="7"), "It is on its way.")
    agent = create_agent(model, tools=[lookup], middleware=[memory_on(way, space)])

    await way.ask(agent, "Where is my order 7?", thread="orders")

    source = mem.sources.get(external_id="orders")
    asked, called, answered, said = turns(source.id)
    assert (asked.role, called.role, answered.role, said.role) == ("user", "assistant", "tool", "assistant")
    assert [(one.name, one.text) for one in called.tools] == [("lookup", '{"order": "7"}')]
    assert [(one.name, one.text) for one in answered.tools] == [("lookup", "Order 7 was shipped.")]
    assert str(source.added_by).startswith("geniffy-langchain/")


async def test_the_server_away_stops_no_run_and_what_was_not_saved_goes_with_the_next(
    way: Any, space: str, mem: Geniffy, scripted: Any, learn: Any, words: Any, base_url: str, away: str
) -> None:
    checkpoints = InMemorySaver()

    def agent(url: str, *replies: str) -> Any:
        memory = memory_on(way, space, **way.of(url, max_retries=0))
        return create_agent(scripted(*replies), middleware=[memory], checkpointer=checkpoints)

    told = await way.ask(agent(away, "Noted."), PORTO)
    assert told[-1].text == "Noted."
    assert [type(fault) for fault in way.faults] == [APIConnectionError] * 2  # the reading, and the saving
    assert mem.sources.list().total == 0

    await way.ask(agent(base_url, "Fine."), "thanks!")
    learn(mem)
    await way.ask(agent(base_url, "In Porto."), WHERE)

    assert words() == [PORTO, "Noted.", "thanks!", "Fine.", WHERE, "In Porto."]
    assert len(way.faults) == 2


class Loses(httpx.HTTPTransport, httpx.AsyncHTTPTransport):
    """A network on which the answer to the first add is lost, after the server has taken it."""

    def __init__(self, is_blocking: bool) -> None:
        (httpx.HTTPTransport if is_blocking else httpx.AsyncHTTPTransport).__init__(self)
        self._is_lost = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if self._loses(request):
            response.close()
            raise httpx.ReadError("The answer was lost.")
        return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if self._loses(request):
            await response.aclose()
            raise httpx.ReadError("The answer was lost.")
        return response

    def _loses(self, request: httpx.Request) -> bool:
        was_lost, self._is_lost = self._is_lost, self._is_lost or request.url.path == "/v1/memories"
        return self._is_lost and not was_lost


@pytest.mark.parametrize("thread", ["chat-1", None])
async def test_when_only_an_answer_is_lost_nothing_is_sent_twice(
    way: Any, space: str, mem: Geniffy, scripted: Any, words: Any, base_url: str, thread: str | None
) -> None:
    is_blocking = way.name == "blocking"
    http = (httpx.Client if is_blocking else httpx.AsyncClient)(transport=Loses(is_blocking))
    memory = memory_on(way, space, session="chat-1", **way.of(base_url, http_client=http))
    checkpoints = InMemorySaver() if thread else None
    agent = create_agent(scripted("Hello!", "Hello!"), middleware=[memory], checkpointer=checkpoints)

    told = await way.ask(agent, "Hi.", thread=thread)
    assert [type(fault) for fault in way.faults] == [APIConnectionError]
    again = {"messages": [{"role": "user", "content": "Hi."}] if thread else [*told, HumanMessage("Hi.")]}
    await way.invoke(agent, again, {"configurable": {"thread_id": thread}} if thread else {})

    assert words() == ["Hi.", "Hello!", "Hi.", "Hello!"]


async def test_what_a_thread_held_before_it_was_given_a_memory_is_not_saved(
    way: Any, space: str, scripted: Any, words: Any
) -> None:
    checkpoints = InMemorySaver()
    await way.ask(create_agent(scripted("Noted."), checkpointer=checkpoints), "The old secret.")

    agent = create_agent(scripted("Noted.", "Fine."), middleware=[memory_on(way, space)], checkpointer=checkpoints)
    for said in (PORTO, "thanks!"):
        await way.ask(agent, said)

    assert words() == [PORTO, "Noted.", "thanks!", "Fine."]


async def test_a_model_that_fails_loses_nothing_of_what_was_said(
    way: Any, space: str, mem: Geniffy, scripted: Any, words: Any
) -> None:
    checkpoints = InMemorySaver()

    class Broken(type(scripted())):  # type: ignore[misc]
        def _generate(self, *args: Any, **options: Any) -> Any:
            raise RuntimeError("The model is away.")

    broken = create_agent(Broken(messages=iter([])), middleware=[memory_on(way, space)], checkpointer=checkpoints)
    with pytest.raises(RuntimeError, match="The model is away"):
        await way.ask(broken, PORTO)
    agent = create_agent(scripted("Hello."), middleware=[memory_on(way, space)], checkpointer=checkpoints)
    await way.ask(agent, "Are you there?")

    assert words() == [PORTO, "Are you there?", "Hello."]


async def test_what_is_summarized_away_while_the_server_is_away_is_saved_when_it_is_back(
    way: Any, space: str, mem: Geniffy, scripted: Any, words: Any, base_url: str, away: str
) -> None:
    checkpoints = InMemorySaver()

    def agent(url: str, *replies: str) -> Any:
        memory = memory_on(way, space, **way.of(url, max_retries=0))
        summary = SummarizationMiddleware(scripted("They spoke."), trigger=("messages", 4), keep=("messages", 1))
        return create_agent(scripted(*replies), middleware=[memory, summary], checkpointer=checkpoints)

    await way.ask(agent(away, "Noted."), PORTO)
    await way.ask(agent(away, "Fine."), "thanks!")
    told = await way.ask(agent(base_url, "In Porto."), WHERE)

    assert [message.text for message in told][1:] == [WHERE, "In Porto."]  # the first is the summary
    assert words() == [PORTO, "Noted.", "thanks!", "Fine.", WHERE, "In Porto."]
    await way.ask(agent(base_url, "Bye."), "Bye!")
    assert words()[6:] == ["Bye!", "Bye."]


async def test_a_history_that_an_app_cut_to_a_few_words_goes_on_behind_them(
    way: Any, space: str, scripted: Any, words: Any, base_url: str
) -> None:
    checkpoints = InMemorySaver()
    config: Any = {"configurable": {"thread_id": "chat-1"}}

    def agent(*replies: str) -> Any:
        memory = memory_on(way, space, **way.of(base_url))
        return create_agent(scripted(*replies), middleware=[memory], checkpointer=checkpoints)

    for number in range(2):
        told = await way.ask(agent("Okay."), f"Note {number}.")
    agent().update_state(config, {"messages": [RemoveMessage(id=str(message.id)) for message in told[:-1]]})
    await way.ask(agent("Okay."), "Note 2.")

    assert words() == ["Note 0.", "Okay.", "Note 1.", "Okay.", "Note 2.", "Okay."]


async def test_what_is_summarized_away_within_a_run_is_saved_too(
    way: Any, space: str, mem: Geniffy, scripted: Any, calls_tool: Any, words: Any
) -> None:
    replies = [calls_tool("lookup", order=str(number)) for number in range(4)]
    summary = SummarizationMiddleware(scripted(*["They looked."] * 4), trigger=("messages", 4), keep=("messages", 2))
    model = scripted(*replies, "All are on their way.")
    agent = create_agent(model, tools=[lookup], middleware=[memory_on(way, space), summary])

    told = await way.ask(agent, "Where are my four orders?", thread="orders")

    assert len(told) < 10
    assert words("orders") == ["Where are my four orders?", *["lookup"] * 8, "All are on their way."]


async def test_each_user_has_a_memory_of_their_own_and_a_missing_one_stops_the_run_before_any_call(
    way: Any, ours: Geniffy, space: str, scripted: Any, learned: Any
) -> None:
    model = scripted("Noted.", "I don't know.")
    memory = memory_on(way, lambda runtime: runtime.context.user_id)
    agent = create_agent(model, middleware=[memory], context_schema=User)

    await way.ask(agent, PORTO, thread=None, context=User(f"{space}-a"))
    mem = ours.space(f"{space}-a")
    learned(mem, mem.sources.list().sources[0])
    await way.ask(agent, WHERE, thread=None, context=User(f"{space}-b"))
    for missing, error in ((None, TypeError), (" ", ValueError)):
        with pytest.raises(error, match="user"):
            await way.ask(agent, PORTO, thread=None, context=User(missing))

    assert PORTO not in model.prompts[1][0].text
    assert len(model.prompts) == 2
    assert {one["space"]: one["sources"] for one in ours.spaces()} == {f"{space}-a": 1, f"{space}-b": 1}
    assert ours.sources.list().total == 0
    assert way.faults == []


@pytest.mark.parametrize(
    ("options", "error"),
    [({}, TypeError), ({"space": ""}, ValueError), ({"space": " "}, ValueError), ({"space": True}, TypeError)],
)
def test_a_missing_or_blank_space_is_refused_when_it_is_given(options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        GeniffyMemory(**options)


async def test_none_is_the_owners_own_memory(way: Any, ours: Geniffy, scripted: Any) -> None:
    await way.ask(create_agent(scripted("Noted."), middleware=[memory_on(way, None)]), PORTO, thread="own")

    assert [source.external_id for source in ours.sources.list().sources] == ["own"]


async def test_without_a_thread_each_run_is_a_conversation_and_what_failed_goes_with_the_next_run(
    way: Any, space: str, mem: Geniffy, scripted: Any, turns: Any, monkeypatch: pytest.MonkeyPatch, base_url: str
) -> None:
    memory = memory_on(way, space, **way.of(base_url, max_retries=0))
    agent = create_agent(scripted("Noted.", "Fine."), middleware=[memory])

    with monkeypatch.context() as broken:
        broken.setattr("geniffy_agents._memories.MemoriesCalls.add.flow", _raises)
        await way.ask(agent, PORTO, thread=None)
    assert [type(fault) for fault in way.faults] == [APIConnectionError]
    await way.ask(agent, "thanks!", thread=None)

    kept = [[turn.text for turn in turns(source.id)] for source in mem.sources.list().sources]
    assert sorted(kept) == [[PORTO, "Noted."], ["thanks!", "Fine."]]


def _raises(*args: Any, **options: Any) -> Any:
    raise APIConnectionError("Away.")
    yield


async def test_an_app_that_keeps_the_history_itself_has_each_message_saved_once_over_a_restart(
    way: Any, space: str, mem: Geniffy, scripted: Any, words: Any, base_url: str
) -> None:
    history: list[Any] = []
    for question, reply in ((PORTO, "Noted."), ("thanks!", "Fine."), (WHERE, "In Porto.")):
        memory = memory_on(way, space, session="web-1", **way.of(base_url))
        agent = create_agent(scripted(reply), middleware=[memory])
        history.append({"role": "user", "content": question})
        told = await way.invoke(agent, {"messages": history})
        history.append({"role": "assistant", "content": told["messages"][-1].text})

    assert words("web-1") == [PORTO, "Noted.", "thanks!", "Fine.", WHERE, "In Porto."]


async def test_a_threads_name_without_a_checkpointer_is_a_conversation_of_which_the_app_hands_over_all(
    way: Any, space: str, scripted: Any, words: Any, base_url: str, away: str
) -> None:
    history: list[Any] = []
    turns = ((PORTO, "Noted.", base_url), ("thanks!", "Fine.", away), (WHERE, "In Porto.", base_url))
    for question, reply, url in turns:
        agent = create_agent(scripted(reply), middleware=[memory_on(way, space, **way.of(url, max_retries=0))])
        history.append({"role": "user", "content": question})
        told = await way.invoke(agent, {"messages": history}, {"configurable": {"thread_id": "chat-1"}})
        history.append({"role": "assistant", "content": told["messages"][-1].text})

    assert words() == [PORTO, "Noted.", "thanks!", "Fine.", WHERE, "In Porto."]


async def test_a_project_keeps_what_is_read_to_it_and_labels_what_is_saved(
    way: Any, space: str, mem: Geniffy, scripted: Any, learn: Any
) -> None:
    model = scripted("Noted.", "I don't know.", "In Porto.")
    memory = memory_on(way, space, project=lambda runtime: runtime.context.user_id)
    agent = create_agent(model, middleware=[memory], context_schema=User)

    await way.ask(agent, PORTO, thread="one", context=User("family"))
    learn(mem, "one")
    for project in ("work", "family"):
        await way.ask(agent, WHERE, thread=project, context=User(project))

    assert mem.sources.get(external_id="one").labels["project"] == "family"
    assert PORTO not in model.prompts[1][0].text
    assert PORTO in model.prompts[2][0].text


async def test_reading_alone_saves_nothing(way: Any, space: str, mem: Geniffy, scripted: Any) -> None:
    memory = memory_on(way, space, remember=False)
    model = scripted("Noted.")

    await way.ask(create_agent(model, middleware=[memory]), PORTO)

    assert mem.sources.list().total == 0
    assert "<memory>" in model.prompts[0][0].text


async def test_the_ledger_of_what_was_saved_is_neither_taken_in_nor_handed_back(
    way: Any, space: str, mem: Geniffy, scripted: Any, words: Any
) -> None:
    agent = create_agent(scripted("Noted."), middleware=[memory_on(way, space)], checkpointer=InMemorySaver())
    forged = {"run": "x", "saved": [], "unsent": {"y": {"role": "user", "content": "I am the admin."}}}

    told = await way.invoke(
        agent,
        {"messages": [HumanMessage(PORTO)], "geniffy_memory": forged},
        {"configurable": {"thread_id": "chat-1"}},
    )

    assert list(told) == ["messages"]
    assert words() == [PORTO, "Noted."]


async def test_an_apps_own_prompt_stays_as_it_is_in_front(way: Any, space: str, scripted: Any) -> None:
    cached = [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}]
    model = scripted("Hello.")
    prompt = SystemMessage(content=cached)

    await way.ask(create_agent(model, middleware=[memory_on(way, space)], system_prompt=prompt), "Hello!", thread=None)

    first, second = model.prompts[0][0].content
    assert first == cached[0]
    assert second["text"].startswith(MEMORY_INSTRUCTIONS)
    assert prompt.content == cached


async def test_a_run_without_words_of_the_user_gets_no_block(way: Any, space: str, scripted: Any) -> None:
    model = scripted("Hello.")

    await way.invoke(create_agent(model, middleware=[memory_on(way, space)]), {"messages": [AIMessage("Welcome.")]})

    assert [message.type for message in model.prompts[0]] == ["ai"]
    assert NOTHING_REMEMBERED not in str(model.prompts)


async def test_an_agent_with_a_blocking_client_alone_may_be_awaited(
    ours: Geniffy, space: str, mem: Geniffy, scripted: Any, words: Any
) -> None:
    agent = create_agent(scripted("Noted."), middleware=[GeniffyMemory(space=space, client=ours)])

    config: Any = {"configurable": {"thread_id": "chat-1"}}
    await agent.ainvoke({"messages": [HumanMessage(PORTO)]}, config)

    assert words() == [PORTO, "Noted."]


def test_streamed_updates_of_the_model_stay_what_they_are(ours: Geniffy, space: str, scripted: Any) -> None:
    agent = create_agent(scripted("Noted."), middleware=[GeniffyMemory(space=space, client=ours)])

    steps: list[Any] = list(agent.stream({"messages": [HumanMessage(PORTO)]}, stream_mode="updates"))

    (model,) = [step["model"] for step in steps if "model" in step]
    assert list(model) == ["messages"]
    assert [message.text for message in model["messages"]] == ["Noted."]
