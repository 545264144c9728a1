"""Which memory a call works in: the key's, the header's or the argument's, and never another's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

MINE, THEIRS = "bluebird", "greenfinch"
SENTENCE = "Kim Park keeps the {word} code at Acme."

Learn = Callable[..., Awaitable[str]]


async def held(tools: Any, **options: Any) -> list[str]:
    """The texts of a memory."""
    return [one["text"] for one in (await tools.call("list_memories", **options))["memories"]]


@pytest.mark.statement(251)
async def test_with_an_api_key_every_tool_takes_a_space(any_tools: Any) -> None:
    for tool in (await any_tools.list()).values():
        assert tool.input_schema["properties"]["space"]["type"] == "string"
        assert "space" not in tool.input_schema.get("required", [])


async def test_calls_made_at_once_each_work_in_their_own_space(tools: Any, learn: Learn) -> None:
    for space in ("ana", "ben"):
        await learn(tools, SENTENCE.format(word=space), space=space)

    spaces = ["ana", "ben"] * 10
    found = await asyncio.gather(*(held(tools, space=space) for space in spaces))

    assert found == [[SENTENCE.format(word=space)] for space in spaces]


@pytest.mark.statement(251)
async def test_a_space_is_a_memory_of_its_own(tools: Any, learn: Learn) -> None:
    await learn(tools, SENTENCE.format(word=MINE), space="ana")

    assert await held(tools, space="ana") == [SENTENCE.format(word=MINE)]
    assert await held(tools, space="ben") == []
    assert await held(tools) == []


async def test_the_header_names_the_space_when_no_argument_does(connect: Any, api_key: str, learn: Learn) -> None:
    async with connect(api_key, headers={"X-Geniffy-Space": "ana"}) as tools:
        await learn(tools, SENTENCE.format(word=MINE), in_space="ana")
        assert await held(tools) == await held(tools, space="ana") == [SENTENCE.format(word=MINE)]
        sentence = await tools.refusal("list_memories", space="ben")
    async with connect(api_key) as tools:
        assert await held(tools) == []

    assert "'ana'" in sentence
    assert "'ben'" in sentence


@pytest.mark.parametrize("space", ["", " ", "a:b", "..", "x" * 129, "ana\x00", "ана", "me/you", 5, ["ana"], None])
async def test_a_blank_or_malformed_space_is_refused_by_every_tool(tools: Any, learn: Learn, space: Any) -> None:
    await learn(tools, SENTENCE.format(word=MINE))
    calls: dict[str, dict[str, Any]] = {
        "search": {"query": "code"},
        "fetch": {"id": "memory:1"},
        "ask": {"question": "code"},
        "profile": {},
        "list_memories": {},
        "remember": {"text": "x y z"},
        "correct": {"id": "memory:1", "text": "x"},
        "forget": {"id": "memory:1"},
    }
    for name, arguments in calls.items():
        sentence = await tools.refusal(name, **arguments, space=space)
        assert "space" in sentence
        assert MINE not in sentence
    assert await held(tools) == [SENTENCE.format(word=MINE)]


async def test_a_limited_key_reaches_its_own_space_alone(connect: Any, client: Any, api_key: str, learn: Learn) -> None:
    key = client.space("ana").keys.create(name="Ana's phone").key
    async with connect(api_key) as tools:
        await learn(tools, SENTENCE.format(word=MINE), space="ana")
        await learn(tools, SENTENCE.format(word=THEIRS), space="ben")
        await learn(tools, SENTENCE.format(word=THEIRS))

    async with connect(key) as tools:
        assert await held(tools) == await held(tools, space="ana") == [SENTENCE.format(word=MINE)]
        for name in ("ben", "Ana"):
            assert "ana" in await tools.refusal("list_memories", space=name)


async def test_no_tool_shows_or_changes_another_space(connect: Any, client: Any, api_key: str, learn: Learn) -> None:
    async with connect(api_key) as tools:
        await learn(tools, SENTENCE.format(word=MINE), title=f"On {MINE}", space="ana")
        their_source = await learn(tools, SENTENCE.format(word=THEIRS), title=f"On {THEIRS}", space="ben")
        (theirs,) = (await tools.call("list_memories", space="ben"))["memories"]
        before = client.space("ben").export()
        mine = {"space": "ana"}
        answers: list[Any] = [
            await tools.call("search", query=SENTENCE.format(word=THEIRS), limit=25, **mine),
            await tools.call("ask", question=f"Who keeps the {THEIRS} code?", **mine),
            await tools.call("profile", subject="Kim Park", **mine),
            await tools.call("profile", **mine),
            await tools.call("list_memories", limit=50, **mine),
        ]
        for name in (theirs["id"], their_source):
            answers.append(await tools.refusal("fetch", id=name, **mine))
            answers.append(await tools.refusal("forget", id=name, **mine))
        answers.append(await tools.refusal("correct", id=theirs["id"], text="It is gone.", **mine))
        answers.append(await learn(tools, "I have one more thing.", **mine))
        exercised = {"search", "ask", "profile", "list_memories", "fetch", "forget", "correct", "remember"}
        assert exercised == set(await tools.list())
        for answer in answers:
            said = json.dumps({**answer, "question": ""} if isinstance(answer, dict) else answer)
            assert THEIRS not in said
        after = client.space("ben").export()

    assert (after["memories"], after["sources"]) == (before["memories"], before["sources"])


async def test_a_key_of_another_account_sees_nothing(
    connect: Any, api_key: str, another_account: Any, learn: Learn
) -> None:
    async with connect(api_key) as tools:
        source = await learn(tools, SENTENCE.format(word=MINE))
        (memory,) = (await tools.call("list_memories"))["memories"]
    async with connect(another_account.key) as theirs:
        for name in (source, memory["id"]):
            assert (await theirs.refusal("fetch", id=name)).startswith("There is no ")
            assert (await theirs.refusal("forget", id=name)).startswith("There is no ")
        assert (await theirs.call("search", query="bluebird code"))["results"] == []


async def test_a_tool_that_is_not_there_stays_a_json_rpc_error_in_a_space(tools: Any) -> None:
    with pytest.raises(MCPError):
        await tools.result("erase", space="ana")
