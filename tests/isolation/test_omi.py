"""No Omi tool shows or changes another space's memory, whatever name or id it is given.

Two spaces hold the same sentences but for one word. Every tool of the door is called in one space with the ids of the
other. A tool that this file does not know fails the first test: each new one has to be added here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

MINE, THEIRS = "bluebird", "greenfinch"
SENTENCE = "Kim Park keeps the {word} code at Acme."


@dataclass(frozen=True)
class Names:
    """What one space calls what it holds."""

    memory: str
    conversation: str


Call = Callable[..., dict[str, Any]]


@pytest.fixture
def call(base_url: str, api_key: str) -> Iterator[Call]:
    """Calls a tool in a space: `call("get_memories", space="mine", limit=5)` gives the whole answer."""
    headers = {"Authorization": f"Bearer {api_key}", "Accept": "application/json, text/event-stream"}
    with httpx.Client(base_url=base_url, headers=headers, timeout=60.0) as http:

        def called(tool: str, **arguments: Any) -> dict[str, Any]:
            params = {"name": tool, "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            answer: dict[str, Any] = http.post("/mcp/omi", json=message).json()
            return answer

        yield called


def fill(call: Call, client: Any, space: str, word: str) -> Names:
    source = client.space(space).memories.add(
        messages=[{"role": "user", "name": "Kim Park", "content": f"I will send you the {word} code by Friday."}]
    )
    assert client.space(space).sources.wait(source.id, timeout=60).status == "learned"
    made = call("create_memory", space=space, content=SENTENCE.format(word=word))
    return Names(made["result"]["structuredContent"]["memory"]["id"], source.id)


def held(client: Any, space: str) -> list[tuple[int, str, str]]:
    return [(one.id, one.text, one.status) for one in client.space(space).memories.iter()]


# Every tool, in my space and with their ids; `None` names the tools that take no id.
CALLS: list[tuple[str, Callable[[Names], dict[str, Any]]]] = [
    ("get_memories", lambda theirs: {"limit": 500, "include_activity": True}),
    ("search_memories", lambda theirs: {"query": f"{THEIRS} code", "limit": 20}),
    ("create_memory", lambda theirs: {"content": "I keep a code."}),
    ("edit_memory", lambda theirs: {"memory_id": theirs.memory, "content": "Nothing."}),
    ("delete_memory", lambda theirs: {"memory_id": theirs.memory}),
    ("get_conversations", lambda theirs: {"limit": 1000}),
    ("search_conversations", lambda theirs: {"query": f"{THEIRS} code", "limit": 100}),
    ("get_conversation_by_id", lambda theirs: {"conversation_id": theirs.conversation}),
]


def test_every_tool_of_the_door_is_called_here() -> None:
    from geniffy_server.mcp.omi import OMI_TOOLS

    assert {tool for tool, _ in CALLS} == set(OMI_TOOLS.tools)


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[tool for tool, _ in CALLS])
def test_a_tool_in_one_space_neither_shows_nor_changes_another(
    call: Call, client: Any, tool: str, arguments: Callable[[Names], dict[str, Any]]
) -> None:
    fill(call, client, "mine", MINE)
    theirs = fill(call, client, "theirs", THEIRS)
    before = held(client, "theirs")

    answer = call(tool, space="mine", **arguments(theirs))

    assert THEIRS not in json.dumps(answer)
    assert held(client, "theirs") == before
    if tool in ("edit_memory", "delete_memory", "get_conversation_by_id"):
        assert answer["error"]["code"] == -32001
    else:
        assert "error" not in answer


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[tool for tool, _ in CALLS])
@pytest.mark.parametrize("space", ["", " ", None, 0, ["mine"]])
def test_a_space_that_went_missing_is_refused_and_never_read_as_the_owner_s(
    call: Call, client: Any, tool: str, arguments: Callable[[Names], dict[str, Any]], space: Any
) -> None:
    source = client.memories.add(SENTENCE.format(word=THEIRS))
    assert client.sources.wait(source.id, timeout=60).status == "learned"
    (memory,) = client.memories.iter()

    answer = call(tool, space=space, **arguments(Names(str(memory.id), "0" * 32)))

    assert (answer["error"]["code"], answer["error"]["data"]) == (-32602, {"code": "bad_space"})
    assert [one.text for one in client.memories.iter()] == [SENTENCE.format(word=THEIRS)]


def test_another_account_s_memory_is_not_reached(
    call: Call, client: Any, another_account: Any, with_key: Callable[..., Any]
) -> None:
    theirs = fill(call, client, "mine", THEIRS)
    http = with_key(another_account.key, Accept="application/json, text/event-stream")

    for tool, arguments in CALLS:
        for space in ({}, {"space": "mine"}):
            params = {"name": tool, "arguments": {**arguments(theirs), **space}}
            answer = http.post("/mcp/omi", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            assert THEIRS not in answer.text
    assert SENTENCE.format(word=THEIRS) in [text for _, text, _ in held(client, "mine")]
