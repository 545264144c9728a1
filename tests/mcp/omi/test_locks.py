"""Locked content: shown in part, left out of searches, refused directly, and that at these tools alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

LONG = "My grandmother taught me to bake bread with rye flour and honey in her kitchen in Porto."
LOCKED = (-32002, "paid_plan_required")
LAUNCH = (
    ("Ana", "We moved the product launch to March 20.", "2026-03-05T10:00:00+00:00"),
    ("Ben", "I'll send Ana the press list by Friday.", "2026-03-05T10:01:30+00:00"),
)


async def test_lists_cut_a_locked_memory_and_searches_leave_it_out(any_omi: Any, lock: Callable[..., None]) -> None:
    made = (await any_omi.call("create_memory", content=LONG))["memory"]
    short = (await any_omi.call("create_memory", content="I bake bread."))["memory"]
    lock(memory=made["id"])
    lock(memory=short["id"])

    held = {one["id"]: one for one in (await any_omi.call("get_memories"))["memories"]}

    assert (held[made["id"]]["content"], held[made["id"]]["is_locked"]) == (LONG[:70] + "...", True)
    assert (held[short["id"]]["content"], held[short["id"]]["is_locked"]) == ("I bake bread.", True)
    assert (await any_omi.call("search_memories", query="Who taught me to bake?"))["memories"] == []


async def test_a_search_gives_as_many_as_were_asked_for_beside_those_that_are_locked(
    omi: Any, lock: Callable[..., None]
) -> None:
    made = [
        (await omi.call("create_memory", content=f"I bake {bread} bread."))["memory"]["id"]
        for bread in ("rye", "white", "corn")
    ]
    lock(memory=made[0])

    found = (await omi.call("search_memories", query="Which bread do I bake?", limit=2))["memories"]

    assert sorted(one["id"] for one in found) == sorted(made[1:])


async def test_a_locked_memory_is_neither_edited_nor_deleted(any_omi: Any, lock: Callable[..., None]) -> None:
    made = (await any_omi.call("create_memory", content=LONG))["memory"]
    lock(memory=made["id"])

    for name, more in (("edit_memory", {"content": "I bake."}), ("delete_memory", {})):
        code, word, sentence = await any_omi.error(name, memory_id=made["id"], **more)
        assert (code, word) == LOCKED
        assert "plan" in sentence
        assert "unlock" in sentence
    (held,) = (await any_omi.call("get_memories"))["memories"]
    assert (held["content"], held["updated_at"] >= made["updated_at"]) == (LONG[:70] + "...", True)


async def test_a_locked_conversation_hides_its_action_items_and_events_and_is_not_read(
    any_omi: Any, lock: Callable[..., None], talk: Callable[..., Awaitable[str]]
) -> None:
    held = await talk(*LAUNCH)
    (before,) = (await any_omi.call("get_conversations"))["conversations"]
    assert before["structured"]["action_items"]
    assert before["structured"]["events"]

    lock(conversation=held)

    hidden = {**before, "is_locked": True, "structured": {**before["structured"], "action_items": [], "events": []}}
    assert (await any_omi.call("get_conversations"))["conversations"] == [hidden]
    assert (await any_omi.call("search_conversations", query="launch"))["conversations"] == [hidden]
    code, word, sentence = await any_omi.error("get_conversation_by_id", conversation_id=held)
    assert (code, word) == LOCKED
    assert "plan" in sentence


async def test_a_locked_memory_is_in_no_summary_of_its_conversation(
    omi: Any, lock: Callable[..., None], talk: Callable[..., Awaitable[str]]
) -> None:
    await talk(*LAUNCH)
    for memory in (await omi.call("get_memories"))["memories"]:
        if "press list" in memory["content"]:
            lock(memory=memory["id"])

    (card,) = (await omi.call("get_conversations"))["conversations"]

    assert card["structured"]["action_items"] == []
    assert "press list" not in card["structured"]["overview"]
    assert card["structured"]["events"]


async def test_locks_bind_at_the_omi_tools_alone(omi: Any, tools: Any, client: Any, lock: Callable[..., None]) -> None:
    made = (await omi.call("create_memory", content=LONG))["memory"]
    lock(memory=made["id"])

    assert [one["text"] for one in (await tools.call("search", query="Who taught me to bake?"))["results"]] == [LONG]
    assert [one.text for one in client.memories.iter()] == [LONG]
    client.memories.delete(int(made["id"]))
    assert (await omi.call("get_memories"))["memories"] == []


async def test_a_lock_stays_when_the_category_is_chosen_and_goes_when_it_is_unlocked(
    omi: Any, server: Any, caller: Any, lock: Callable[..., None]
) -> None:
    from geniffy_server.services.curating import curate_memory

    made = (await omi.call("create_memory", content=LONG))["memory"]
    lock(memory=made["id"])
    server.run(curate_memory(server.ports, caller, int(made["id"]), category="skills"))
    (held,) = (await omi.call("get_memories"))["memories"]
    assert (held["is_locked"], held["category"]) == (True, "skills")

    server.run(curate_memory(server.ports, caller, int(made["id"]), locked=False))

    (held,) = (await omi.call("get_memories"))["memories"]
    assert (held["is_locked"], held["content"]) == (False, LONG)
    assert held["updated_at"] > made["updated_at"]
