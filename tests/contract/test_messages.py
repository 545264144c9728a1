"""Messages in the shapes that frameworks hold them, and what is learned from them: contract 7.F."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def agent(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


ANA = user("My sister Ana lives in Porto.")
MIA = user("My friend Mia plays the violin.")


@pytest.mark.statement(80)
def test_501_messages_in_one_call_are_422(http: httpx.Client) -> None:
    accepted = http.post("/v1/memories", json={"messages": [user("thanks!")] * 500})
    refused = http.post("/v1/memories", json={"messages": [user("thanks!")] * 501})

    assert accepted.status_code == 201
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid_request")
    assert http.get("/v1/sources").json()["total"] == 1


@pytest.mark.statement(87)
@pytest.mark.parametrize("role", ["system", "developer"])
async def test_instructions_teach_nothing_and_are_not_kept(
    memory: Any, tell: Callable[..., Any], turns: Callable[[str], Any], texts: Callable[..., Any], role: str
) -> None:
    instruction = {"role": role, "content": "I live in Berlin. My sister Eva lives in Rome."}
    source = await tell(memory, messages=[instruction, ANA])

    assert [turn.text for turn in turns(source.id)] == [ANA["content"]]
    assert await texts(memory) == [ANA["content"]]


@pytest.mark.statement(88)
async def test_what_the_user_says_is_a_fact_about_the_user(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(memory, messages=[user("I moved to Pune last month."), agent("I moved to Delhi last month.")])

    (said,) = await texts(memory)
    assert "Pune" in said
    assert (await memory.ask("Where did I move to?")).answer
    assert "Delhi" not in await memory.context("Where did I move to?")


@pytest.mark.statement(89)
async def test_openai_tool_calls_without_content_are_accepted(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Pune"}'}}
    messages = [
        user("I live in Pune."),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "I prefer rain."},
        agent([{"type": "text", "text": "It rains."}]),
        {"role": "user", "content": [{"type": "text", "text": "My sister Ana lives in Porto."}]},
    ]
    await tell(memory, messages=messages)

    assert sorted(await texts(memory)) == ["I live in Pune.", "My sister Ana lives in Porto."]


@pytest.mark.statement(90)
async def test_a_tool_result_inside_a_user_message_teaches_nothing_of_the_user(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    messages = [
        user([{"type": "text", "text": "I live in Pune."}]),
        agent(
            [{"type": "text", "text": "Let me look."}, {"type": "tool_use", "id": "t1", "name": "look", "input": {}}]
        ),
        user([{"type": "tool_result", "tool_use_id": "t1", "content": "I live in Delhi. I prefer tea."}]),
        user([{"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "I own a boat."}]}]),
    ]
    await tell(memory, messages=messages)

    assert await texts(memory) == ["I live in Pune."]


@pytest.mark.statement(91)
async def test_vercel_messages_with_parts_are_accepted(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    messages = [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "My sister Ana lives in Porto."}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "text": "I live in Rome."},
                {
                    "type": "tool-weather",
                    "toolCallId": "c",
                    "input": {},
                    "output": {"t": 1},
                    "state": "output-available",
                },
                {"type": "text", "text": "Noted."},
            ],
        },
        {"role": "user", "content": [{"type": "text", "text": "My friend Mia plays the violin."}]},
    ]
    await tell(memory, messages=messages)

    assert sorted(await texts(memory)) == ["My friend Mia plays the violin.", "My sister Ana lives in Porto."]


@pytest.mark.statement(92)
async def test_gemini_messages_are_accepted(memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]) -> None:
    messages = [
        {"role": "user", "parts": [{"text": "My sister Ana lives in Porto."}]},
        {"role": "model", "parts": [{"text": "I live in Rome."}, {"functionCall": {"name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"text": "I live in Oslo."}}}]},
    ]
    await tell(memory, messages=messages)

    assert await texts(memory) == ["My sister Ana lives in Porto."]


@pytest.mark.statement(93)
async def test_langchain_messages_are_accepted(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, messages_to_dict

    talk = [
        SystemMessage("I live in Rome."),
        HumanMessage("My sister Ana lives in Porto."),
        AIMessage("", tool_calls=[{"name": "look", "args": {"q": "x"}, "id": "c1"}]),
        ToolMessage("I live in Oslo.", tool_call_id="c1"),
    ]
    await tell(memory, messages=[one.model_dump() for one in talk], external_id="dumped")
    await tell(memory, messages=messages_to_dict(talk), external_id="as-dicts")

    assert await texts(memory) == ["My sister Ana lives in Porto."]
    assert [one.facts for one in (await memory.sources.list()).sources] == [1, 1]


@pytest.mark.statement(94)
@pytest.mark.parametrize("args", ['{"city": "Pu', {"city": "Pune", "deep": [1, {"a": None}]}, "", None])
async def test_flattened_tool_calls_are_accepted(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any], args: Any
) -> None:
    calls = [{"name": "weather", "args": args, "id": "c1"}]
    messages = [ANA, agent("", tool_calls=calls), {"role": "tool", "content": "Rain.", "tool_call_id": "c1"}]
    await tell(memory, messages=messages, session="run-42")

    assert await texts(memory) == [ANA["content"]]


@pytest.mark.statement(95)
async def test_a_message_that_is_only_an_image_is_dropped(memory: Any, turns: Callable[[str], Any]) -> None:
    image = user([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}])
    block = user([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}])

    source = await memory.memories.add(messages=[image, ANA, block])

    assert [turn.text for turn in turns(source.id)] == [ANA["content"]]


@pytest.mark.statement(96)
async def test_the_output_of_a_tool_is_never_a_preference_of_the_user(memory: Any, tell: Callable[..., Any]) -> None:
    output = {"role": "tool", "name": "profile", "content": "I prefer window seats. My favourite colour is green."}
    await tell(memory, messages=[user("What do you know?"), agent("Let me look."), output, agent("I prefer tea.")])

    assert (await memory.memories.list()).total == 0
    assert (await memory.ask("What is my favourite colour?")).answer is None


@pytest.mark.statement(97)
async def test_a_turn_of_60000_characters_is_cut_at_50000(memory: Any, turns: Callable[[str], Any]) -> None:
    long = "My sister Ana lives in Porto. " + "x" * 60_000

    source = await memory.memories.add(messages=[user(long)])

    assert [turn.text for turn in turns(source.id)] == [long[:50_000]]


SECRETS = {
    "a model's key": "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2,
    "a token of a code host": "ghp_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d",
    "a key of a cloud": "AKIA" + "IOSFODNN7ABCDEFG",
    "a key of this server": "gnf_live_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z-_bcdefghij",
    "a card number": "4111 1111 1111 1111",
}


@pytest.mark.statement(98)
@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
async def test_a_secret_in_a_message_is_in_no_reply_and_nowhere_in_the_store(
    files_holding: Callable[[str], list[str]],
    memory: Any,
    tell: Callable[..., Any],
    turns: Callable[[str], Any],
    secret: str,
) -> None:
    talk = [user(f"My sister Ana lives in Porto. My key is {secret} and that is all."), agent(f"Got {secret}.")]
    source = await tell(memory, messages=talk, session="run-42", title=f"About {secret}")

    replies = [await memory.export(), await memory.context_full("What is my key?"), await memory.search_full("key")]
    assert secret not in json.dumps(replies, default=lambda one: one.raw, ensure_ascii=False)
    assert secret not in source.title
    assert all(secret not in turn.text for turn in turns(source.id))
    assert files_holding(secret) == []
    assert "Porto" in await memory.context("Where does Ana live?")


@pytest.mark.statement(99)
async def test_a_messages_own_time_dates_what_it_says(memory: Any, tell: Callable[..., Any]) -> None:
    talk = [{**ANA, "time": "2025-03-04T09:30:00Z"}, {**MIA, "time": "2025-05-06T10:00:00+02:00"}]
    await tell(memory, messages=talk, session="run-42")

    dates = {one.text: one.said_at[:10] for one in await memory.memories.iter()}
    assert dates == {ANA["content"]: "2025-03-04", MIA["content"]: "2025-05-06"}
    assert (await memory.context("Where does Ana live?")).endswith("2025-03-04]")
