"""What the Omi tools refuse, as JSON-RPC errors with the numbers of seed 002, in every protocol era."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

BAD = (-32602, "invalid_arguments")
GONE = (-32001, "not_found")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_memories", {"categories": ["hobbies", "sport"]}),
        ("get_memories", {"categories": "hobbies"}),
        ("get_memories", {"categories": [1]}),
        ("get_memories", {"sort": "newest"}),
        ("get_memories", {"sort": 1}),
        ("get_memories", {"limit": "5"}),
        ("get_memories", {"limit": True}),
        ("get_memories", {"limit": 2.5}),
        ("get_memories", {"offset": "0"}),
        ("get_memories", {"reviewed": "true"}),
        ("get_memories", {"manually_added": 1}),
        ("get_memories", {"include_activity": "no"}),
        ("get_memories", {"include_sensitive": 0}),
        ("get_memories", {"updated_after": "yesterday"}),
        ("get_memories", {"updated_after": 1764524000}),
        ("get_memories", {"user": "ana"}),
        ("search_memories", {}),
        ("search_memories", {"query": " "}),
        ("search_memories", {"query": 5}),
        ("search_memories", {"query": "tea", "limit": "many"}),
        ("search_memories", {"query": "tea\x00"}),
        ("create_memory", {}),
        ("create_memory", {"content": " \n "}),
        ("create_memory", {"content": None}),
        ("create_memory", {"content": ["tea"]}),
        ("create_memory", {"content": "x" * 2001}),
        ("create_memory", {"content": "I like tea.", "category": "drinks"}),
        ("create_memory", {"content": "I like tea.", "category": ""}),
        ("edit_memory", {"memory_id": "1"}),
        ("edit_memory", {"content": "x"}),
        ("edit_memory", {"memory_id": "1", "content": ""}),
        ("edit_memory", {"memory_id": 1, "content": "x"}),
        ("delete_memory", {}),
        ("delete_memory", {"memory_id": " "}),
        ("get_conversations", {"start_date": "05-03-2026"}),
        ("get_conversations", {"start_date": "2026-02-30"}),
        ("get_conversations", {"end_date": "2026-3-5"}),
        ("get_conversations", {"end_date": "2026-03-05T10:00:00Z"}),
        ("get_conversations", {"end_date": "２０２６-03-05"}),
        ("get_conversations", {"end_date": 20260305}),
        ("get_conversations", {"categories": ["travel", "gossip"]}),
        ("get_conversations", {"limit": "5"}),
        ("search_conversations", {}),
        ("search_conversations", {"query": ""}),
        ("search_conversations", {"query": "tea", "start_date": "soon"}),
        ("search_conversations", {"query": "tea", "end_date": "tomorrow"}),
        ("get_conversation_by_id", {}),
        ("get_conversation_by_id", {"conversation_id": ""}),
        ("get_conversation_by_id", {"conversation_id": 5}),
    ],
)
async def test_a_bad_argument_is_invalid_parameters_with_a_sentence(
    omi: Any, name: str, arguments: dict[str, Any]
) -> None:
    code, word, sentence = await omi.error(name, **arguments)

    assert (code, word) == BAD
    assert sentence.endswith(".")
    assert len(sentence) < 800


async def test_an_unknown_category_is_named_rather_than_dropped(omi: Any) -> None:
    _, _, of_memory = await omi.error("get_memories", categories=["hobbies", "sport"])
    _, _, of_conversation = await omi.error("get_conversations", categories=["travel", "gossip"])

    assert "'sport'" in of_memory
    assert "'gossip'" in of_conversation


@pytest.mark.parametrize("memory_id", ["999999999", "0", "-1", "nope", "source:" + "0" * 32, "１", "9" * 17, "memory:"])
async def test_a_memory_that_is_not_there_is_not_found(omi: Any, memory_id: str) -> None:
    assert (await omi.error("delete_memory", memory_id=memory_id))[:2] == GONE
    assert (await omi.error("edit_memory", memory_id=memory_id, content="x"))[:2] == GONE


async def test_errors_are_told_alike_in_every_era(any_omi: Any) -> None:
    assert (await any_omi.error("get_memories", sort="newest"))[:2] == BAD
    assert (await any_omi.error("delete_memory", memory_id="999999999"))[:2] == GONE
    assert (await any_omi.error("forget", id="memory:1"))[:2] == (-32601, "unknown_tool")


async def test_a_tool_of_the_other_door_is_unknown_here_and_the_reverse(omi: Any, tools: Any) -> None:
    assert "'search'" in (await omi.error("search", query="tea"))[2]
    from mcp.shared.exceptions import MCPError

    with pytest.raises(MCPError) as refused:
        await tools.result("get_memories")
    assert refused.value.error.code == -32602


async def test_a_fault_of_ours_is_an_internal_error_that_tells_nothing_of_the_inside(
    omi: Any, server: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await omi.call("create_memory", content="I like tea.")

    def search(*args: Any, **options: Any) -> Any:
        raise RuntimeError("disk /dev/sda1 on fire")

    monkeypatch.setattr(type(server.ports.recall), "search", search)

    code, word, sentence = await omi.error("search_memories", query="tea")

    assert (code, word) == (-32603, "internal")
    assert "disk" not in sentence
    assert "disk /dev/sda1 on fire" in caplog.text


async def test_a_refusal_is_noted_by_its_word_in_the_request_log(raw: Any, logged: Callable[[str], Any]) -> None:
    message = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "delete_memory", "arguments": {"memory_id": "999999999"}},
    }  # fmt: skip

    answer = await raw.post("/mcp/omi", json=message)

    assert answer.json() == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32001, "message": answer.json()["error"]["message"], "data": {"code": "not_found"}},
    }
    row = logged(answer.headers["X-Request-ID"])
    assert (row.door, row.route, row.outcome) == ("mcp", "POST /mcp/omi delete_memory", "not_found")
