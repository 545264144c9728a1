"""The SDK's own Runner with the memory: three turns, over a restart and while the server is away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from agents import Runner, function_tool
from agents.testing import function_call

from geniffy_openai_agents import GeniffyMemory
from tests.openai_agents.conftest import ASKED, PORTO, THREE_TURNS, User
from tests.sdk.line import Line


@function_tool
def lookup(order: int) -> str:
    """Look up an order."""
    return "Shipped on Monday."


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_three_turns_over_a_restart_are_recalled_and_each_is_saved_once(
    either_client: Any,
    memory: Callable[..., GeniffyMemory],
    session: Callable[..., Any],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    kept: Callable[..., Any],
    learned_all: Callable[[], None],
    faults: list[Exception],
    line: Line,
    is_streamed: bool,
) -> None:
    scripted = model("Noted.", "Fine.", "In Porto.")
    for words in ASKED:  # each turn is a process of its own
        one, chat = memory(client=either_client), session()
        options = {"context": user, "session": chat, "run_config": one.run_config()}
        if is_streamed:
            result: Any = Runner.run_streamed(agent(scripted), words, **options)
            async for _ in result.stream_events():
                pass
        else:
            result = await Runner.run(agent(scripted), words, **options)
        await one.save(user, result, session=chat)
        await one.save(user, result, session=chat)
        learned_all()

    assert faults == []
    assert kept() == THREE_TURNS
    assert line.adds == 3
    instructions = [call.system_instructions or "" for call in scripted.calls]
    assert all(each.startswith("Be kind.\n\nBelow is what is remembered") for each in instructions)
    assert ["Ana lives in Porto.  [" in each for each in instructions] == [False, False, True]
    assert str(await session().get_items()).count("remembered about this user") == 0


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_turns_said_while_the_server_was_away_are_saved_when_it_is_back(
    either_client: Any,
    memory: Callable[..., GeniffyMemory],
    session: Callable[..., Any],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    kept: Callable[..., Any],
    faults: list[Exception],
    line: Line,
    is_restarted: bool,
) -> None:
    scripted, one = model("Noted.", "Fine.", "In Porto."), memory(client=either_client)
    outputs = []
    for words, cut in zip(ASKED, ("away", "away", ""), strict=True):
        line.cut = cut
        one, chat = memory(client=either_client) if is_restarted else one, session()
        config = one.run_config()
        result = await Runner.run(agent(scripted), words, context=user, session=chat, run_config=config)
        await one.save(user, result, session=chat)
        outputs.append(result.final_output)

    assert outputs == ["Noted.", "Fine.", "In Porto."]
    assert kept() == THREE_TURNS
    assert line.adds == 1
    assert len(faults) == 4
    assert scripted.calls[0].system_instructions == "Be kind."


async def test_a_turn_whose_answer_was_lost_is_saved_once(
    memory: Callable[..., GeniffyMemory],
    session: Callable[..., Any],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    kept: Callable[..., Any],
    line: Line,
) -> None:
    scripted = model("Noted.", "Fine.", "In Porto.")
    for words, cut in zip(ASKED, ("", "answer lost", ""), strict=True):
        line.cut = cut
        one, chat = memory(), session()
        result = await Runner.run(agent(scripted), words, context=user, session=chat, run_config=one.run_config())
        await one.save(user, result, session=chat)

    assert kept() == THREE_TURNS


def test_runs_that_block_are_recalled_to_and_saved_blocking(
    memory: Callable[..., GeniffyMemory],
    session: Callable[..., Any],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    kept: Callable[..., Any],
    learned_all: Callable[[], None],
    faults: list[Exception],
    line: Line,
) -> None:
    scripted, one = model("Noted.", "Fine.", "In Porto."), memory()
    for words, cut in zip(ASKED, ("", "away", ""), strict=True):
        line.cut, chat = cut, session()
        result = Runner.run_sync(agent(scripted), words, context=user, session=chat, run_config=one.run_config())
        one.save_sync(user, result, session="chat-1")
        learned_all()

    assert len(faults) == 2
    assert kept() == THREE_TURNS
    assert "Ana lives in Porto.  [" in (scripted.calls[2].system_instructions or "")


async def test_an_app_that_keeps_the_history_itself_has_each_turn_saved_once(
    memory: Callable[..., GeniffyMemory],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    kept: Callable[..., Any],
    line: Line,
) -> None:
    scripted, history = model("Noted.", "Fine.", "In Porto."), []
    for words, cut in zip(ASKED, ("", "away", ""), strict=True):
        line.cut, one = cut, memory(session="chat-1")
        asked: Any = [*history, {"role": "user", "content": words}]
        result = await Runner.run(agent(scripted), asked, context=user, run_config=one.run_config())
        await one.save(user, result)
        history = result.to_input_list()

    assert kept() == THREE_TURNS


async def test_where_openai_keeps_the_conversation_each_run_is_saved_once_and_every_call_is_informed(
    memory: Callable[..., GeniffyMemory],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    sdk: Any,
    learned: Callable[..., Any],
    kept: Callable[..., Any],
    line: Line,
) -> None:
    learned(sdk, sdk.memories.add(PORTO))
    scripted = model([function_call("lookup", {"order": 7}, call_id="c1")], "In Porto.", "Fine.", "Yes.")
    one = memory(session=lambda user: "conv-1")
    for words, cut in (("Where does my sister Ana live?", ""), ("thanks!", "away"), ("Sure?", "")):
        line.cut = cut
        result = await Runner.run(
            agent(scripted, lookup), words, context=user, conversation_id="conv-1", run_config=one.run_config()
        )
        await one.save(user, result)

    assert ["Ana lives in Porto.  [" in (call.system_instructions or "") for call in scripted.calls[:2]] == [True, True]
    assert [text for role, text in kept("conv-1") if role != "tool" and text] == [
        "Where does my sister Ana live?",
        "In Porto.",
        "thanks!",
        "Fine.",
        "Sure?",
        "Yes.",
    ]


async def test_where_openai_keeps_the_conversation_the_same_words_are_saved_each_time_they_are_said(
    memory: Callable[..., GeniffyMemory],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    kept: Callable[..., Any],
    line: Line,
) -> None:
    scripted, one = model(*["Fine."] * 7), memory(session="conv-1")
    for cut in ("", "", "answer lost", "", "away", "answer lost", ""):
        line.cut = cut
        options = {"context": user, "conversation_id": "conv-1", "run_config": one.run_config()}
        result = await Runner.run(agent(scripted), "Okay.", **options)
        await one.save(user, result)
        await one.save(user, result)

    assert kept("conv-1") == [("user", "Okay."), ("assistant", "Fine.")] * 7


async def test_the_tools_a_run_called_are_saved_with_it_and_it_asks_for_memories_once(
    memory: Callable[..., GeniffyMemory],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    sdk: Any,
    turns: Callable[[str], Any],
    line: Line,
) -> None:
    scripted, one = model([function_call("lookup", {"order": 7}, call_id="c1")], "On Monday."), memory()
    result = await Runner.run(agent(scripted, lookup), "Where is order 7?", context=user, run_config=one.run_config())
    await one.save(user, result, session="chat-1")

    asked, called, given, said = turns(sdk.sources.get(external_id="chat-1").id)
    assert (asked.text, said.text) == ("Where is order 7?", "On Monday.")
    assert [(tool.name, tool.text) for tool in called.tools] == [("lookup", '{"order":7}')]
    assert [(tool.call_id, tool.text) for tool in given.tools] == [("c1", "Shipped on Monday.")]
    assert sum(request.url.path == "/v1/context" for request in line.sent) == 1


async def test_a_run_that_waits_for_approval_is_saved_as_far_as_it_got_and_goes_on_once(
    memory: Callable[..., GeniffyMemory],
    session: Callable[..., Any],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    kept: Callable[..., Any],
) -> None:
    careful = function_tool(lambda order: "Cancelled.", name_override="cancel", needs_approval=True)
    scripted = model([function_call("cancel", {"order": 7}, call_id="c1")], "It is cancelled.")
    one, chat, clerk = memory(), session(), agent(scripted, careful)
    result = await Runner.run(clerk, "Cancel order 7.", context=user, session=chat, run_config=one.run_config())
    await one.save(user, result, session=chat)
    state = result.to_state()
    state.approve(result.interruptions[0])
    done = await Runner.run(clerk, state, session=chat, run_config=one.run_config())
    await one.save(user, done, session=chat)

    assert kept() == [("user", "Cancel order 7."), ("assistant", ""), ("tool", ""), ("assistant", "It is cancelled.")]


async def test_an_agent_that_hands_over_has_the_whole_run_saved(
    memory: Callable[..., GeniffyMemory],
    session: Callable[..., Any],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    kept: Callable[..., Any],
) -> None:
    second = agent(model("I take over."), name="Billing")
    first = agent(model([function_call("transfer_to_billing", {}, call_id="c1")]), handoffs=[second])
    one, chat = memory(), session()
    result = await Runner.run(first, "My bill is wrong.", context=user, session=chat, run_config=one.run_config())
    await one.save(user, result, session=chat)

    assert result.last_agent is second
    assert [text for _, text in kept() if text] == ["My bill is wrong.", "I take over."]


async def test_runs_without_a_conversation_are_each_one_of_their_own_and_none_is_lost(
    memory: Callable[..., GeniffyMemory],
    model: Callable[..., Any],
    agent: Callable[..., Any],
    user: User,
    sdk: Any,
    turns: Callable[[str], Any],
    line: Line,
) -> None:
    scripted, one = model("Noted.", "Fine.", "In Porto."), memory()
    for words, cut in zip(ASKED, ("", "away", ""), strict=True):
        line.cut = cut
        await one.save(user, await Runner.run(agent(scripted), words, context=user))

    kept = [tuple(turn.text for turn in turns(source.id)) for source in sdk.sources.list().sources]
    assert sorted(kept) == sorted([(PORTO, "Noted."), ("thanks!", "Fine."), (ASKED[2], "In Porto.")])
