"""The three conversation tools: listed by day and category, found by meaning, read back segment for segment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import jsonschema
import pytest

Talk = Callable[..., Awaitable[str]]

CARD = {"id", "created_at", "started_at", "finished_at", "structured", "language", "is_locked"}
STRUCTURED = {"title", "overview", "category", "action_items", "events"}
LAUNCH = (
    ("Ana", "We moved the product launch to March 20.", "2026-03-05T10:00:00+00:00"),
    ("Ben", "I'll send Ana the press list by Friday.", "2026-03-05T10:01:30+00:00"),
    ("Ana", "Great.", "2026-03-05T10:04:00+00:00"),
)
FLIGHT = (("Ana", "I booked a flight to Lisbon for my summer holiday.", "2026-01-31T23:30:00+00:00"),)


async def ids(omi: Any, tool: str = "get_conversations", **only: Any) -> list[str]:
    return [one["id"] for one in (await omi.call(tool, **only))["conversations"]]


async def test_a_conversation_is_listed_found_and_read_back_by_every_client(any_omi: Any, talk: Talk) -> None:
    schemas = {name: tool.output_schema for name, tool in (await any_omi.list()).items()}
    held = await talk(*LAUNCH, labels={"team": "press"})

    async def call(name: str, **arguments: Any) -> dict[str, Any]:
        answer = await any_omi.call(name, **arguments)
        jsonschema.validate(answer, schemas[name], cls=jsonschema.Draft202012Validator)
        return answer  # type: ignore[no-any-return]

    (card,) = (await call("get_conversations"))["conversations"]
    assert (set(card), set(card["structured"])) == (CARD, STRUCTURED)
    assert card["id"] == held
    assert (card["started_at"], card["finished_at"]) == ("2026-03-05T10:00:00+00:00", "2026-03-05T10:04:00+00:00")
    assert (card["language"], card["is_locked"]) == ("en", False)
    assert (await call("search_conversations", query="When is the launch?"))["conversations"] == [card]

    whole = await call("get_conversation_by_id", conversation_id=held)
    assert {name: whole[name] for name in CARD} == card
    assert [(it["speaker_id"], it["speaker_name"], it["text"]) for it in whole["transcript_segments"]] == [
        (0, "Ana", LAUNCH[0][1]),
        (1, "Ben", LAUNCH[1][1]),
        (0, "Ana", LAUNCH[2][1]),
    ]
    assert [(it["id"], it["start"], it["end"]) for it in whole["transcript_segments"]] == [
        ("0", 0.0, 90.0),
        ("1", 90.0, 240.0),
        ("2", 240.0, 240.0),
    ]
    assert whole["metadata"] == {
        "added_by": whole["metadata"]["added_by"],
        "labels": {"team": "press"},
        "speakers": ["Ana", "Ben"],
    }
    assert (await call("get_conversation_by_id", conversation_id=f"source:{held}"))["id"] == held


async def test_what_was_promised_is_an_action_item_and_what_was_dated_an_event(omi: Any, talk: Talk) -> None:
    await talk(*LAUNCH)

    (card,) = (await omi.call("get_conversations"))["conversations"]

    (item,) = card["structured"]["action_items"]
    assert (item["owner"], item["due_at"], item["completed"]) == ("Ben", "2026-03-06", False)
    assert "press list" in item["description"]
    assert item["quote"] == LAUNCH[1][1]
    assert any((one["start"], one["end"]) == ("2026-03-20", "2026-03-20") for one in card["structured"]["events"])
    assert "launch" in card["structured"]["overview"]


async def test_a_title_that_was_given_is_kept(omi: Any, talk: Talk) -> None:
    await talk(*LAUNCH, title="Weekly sync")

    (card,) = (await omi.call("get_conversations"))["conversations"]

    assert card["structured"]["title"] == "Weekly sync"


async def test_what_is_forgotten_or_corrected_is_gone_from_the_summary_at_once(omi: Any, talk: Talk) -> None:
    held = await talk(*LAUNCH)
    for memory in (await omi.call("get_memories"))["memories"]:
        if "press list" in memory["content"]:
            await omi.call("delete_memory", memory_id=memory["id"])
        else:
            await omi.call("edit_memory", memory_id=memory["id"], content="The launch was called off.")

    whole = await omi.call("get_conversation_by_id", conversation_id=held)

    assert whole["structured"]["action_items"] == whole["structured"]["events"] == []
    assert "press list" not in str(whole)


async def test_the_end_date_includes_its_own_day_and_the_start_date_too(omi: Any, talk: Talk) -> None:
    launch, flight = await talk(*LAUNCH), await talk(*FLIGHT)

    assert await ids(omi) == [launch, flight]
    assert await ids(omi, start_date="2026-03-05", end_date="2026-03-05") == [launch]
    assert await ids(omi, end_date="2026-01-31") == [flight]
    assert await ids(omi, start_date="2026-02-01") == [launch]
    assert await ids(omi, start_date="2026-02-01", end_date="2026-03-04") == []
    assert await ids(omi, start_date="2026-03-06", end_date="2026-03-01") == []
    assert await ids(omi, start_date="0001-01-01", end_date="9999-12-31") == [launch, flight]
    query = "What did I plan?"
    assert await ids(omi, "search_conversations", query=query, end_date="2026-01-31") == [flight]
    assert await ids(omi, "search_conversations", query=query, start_date="2026-03-05") == [launch]
    assert await ids(omi, "search_conversations", query=query, start_date="2026-03-06") == []


async def test_days_are_those_of_the_account_s_time_zone(omi: Any, talk: Talk, server: Any, account: Any) -> None:
    flight = await talk(*FLIGHT)

    server.run(server.ports.store.write(lambda tx: tx.accounts.describe(account.id, None, None, "Asia/Tokyo")))

    assert await ids(omi, start_date="2026-02-01", end_date="2026-02-01") == [flight]
    assert await ids(omi, end_date="2026-01-31") == []


async def test_a_session_that_goes_on_is_listed_on_each_of_its_days(omi: Any, client: Any) -> None:
    for day in ("2026-03-05", "2026-03-07"):
        message = {"role": "user", "name": "Ana", "content": f"The code of {day} is blue.", "time": f"{day}T10:00:00Z"}
        source = client.memories.add(messages=[message], session="s1")
        assert client.sources.wait(source.id).status == "learned"

    for day in ("2026-03-05", "2026-03-06", "2026-03-07"):
        assert await ids(omi, start_date=day, end_date=day) == [source.id]
    assert await ids(omi, start_date="2026-03-08") == []
    assert len((await omi.call("get_conversation_by_id", conversation_id=source.id))["transcript_segments"]) == 2


async def test_categories_are_detected_and_filter_the_list(omi: Any, talk: Talk) -> None:
    flight = await talk(
        *FLIGHT, ("Ben", "We fly from Porto airport and stay at a beach hotel.", "2026-02-01T00:00:00Z")
    )
    await talk(("Ana", "My doctor says that my knee surgery went well.", "2026-03-01T00:00:00Z"))

    assert await ids(omi, categories=["travel"]) == [flight]
    assert len(await ids(omi, categories=["travel", "health"])) == 2
    assert await ids(omi, categories=["music"]) == []


async def test_conversations_are_found_by_meaning_best_first(omi: Any, talk: Talk) -> None:
    launch, flight = await talk(*LAUNCH), await talk(*FLIGHT)

    assert (await ids(omi, "search_conversations", query="Where do I go on vacation?"))[0] == flight
    assert (await ids(omi, "search_conversations", query="Who gets the press list?"))[0] == launch
    assert len(await ids(omi, "search_conversations", query="launch", limit=1)) == 1
    assert len(await ids(omi, "search_conversations", query="launch", limit=-3)) == 1
    assert len(await ids(omi, "search_conversations", query="launch", limit=1000)) == 2


async def test_a_conversation_that_taught_nothing_is_found_by_its_words_behind_those_that_did(
    omi: Any, talk: Talk
) -> None:
    asked = await talk(("Ana", "Shall we go kayaking on the launch weekend?", "2026-03-06T10:00:00Z"))
    launch = await talk(*LAUNCH)

    assert await ids(omi, "search_conversations", query="kayaking") == [launch, asked]
    assert await ids(omi, "search_conversations", query="Who goes kayaking?", end_date="2026-03-05") == [launch]
    assert asked not in await ids(omi, "search_conversations", query="How is the bakery in Porto?")


async def test_conversations_are_paged_by_offset_with_a_clamped_limit(omi: Any, talk: Talk) -> None:
    held = [await talk(("Ana", f"Box {day} is red.", f"2026-03-0{day}T10:00:00Z")) for day in (1, 2, 3)]

    assert await ids(omi, limit=2) == [held[2], held[1]]
    assert await ids(omi, limit=2, offset=2) == [held[0]]
    assert await ids(omi, limit=0) == [held[2]]
    assert await ids(omi, limit=5_000) == [held[2], held[1], held[0]]
    assert await ids(omi, offset=-1, limit=1) == [held[2]]


async def test_notes_and_files_are_no_conversations(omi: Any, client: Any, put: Any) -> None:
    source = client.memories.add("Kim signs for Lumen.")
    assert client.sources.wait(source.id).status == "learned"
    client.sources.wait(client.files.put("/memories/a.md", "Ana signs.").source.id)

    assert await ids(omi) == []
    assert await ids(omi, "search_conversations", query="Who signs?") == []
    code, word, _ = await omi.error("get_conversation_by_id", conversation_id=source.id)
    assert (code, word) == (-32001, "not_found")


async def test_what_agents_say_is_in_the_transcript_and_tool_calls_are_not(omi: Any, client: Any) -> None:
    source = client.memories.add(
        messages=[
            {"role": "user", "content": "Which day is the market?", "time": "2026-03-05T10:00:00Z"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "function": {"name": "look", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "1", "content": "Saturday"},
            {"role": "assistant", "content": "On Saturday.", "time": "2026-03-05T10:00:30Z"},
        ]
    )
    assert client.sources.wait(source.id).status == "learned"

    whole = await omi.call("get_conversation_by_id", conversation_id=source.id)

    spoken = [(one["speaker_name"], one["text"]) for one in whole["transcript_segments"]]
    assert spoken == [("User", "Which day is the market?"), ("Assistant", "On Saturday.")]


async def test_a_conversation_that_is_deleted_is_not_found_any_more(omi: Any, client: Any, talk: Talk) -> None:
    held = await talk(*LAUNCH)

    client.sources.delete(held)

    assert await ids(omi) == []
    assert await ids(omi, "search_conversations", query="launch") == []
    assert (await omi.error("get_conversation_by_id", conversation_id=held))[:2] == (-32001, "not_found")


@pytest.mark.parametrize("held", ["0" * 32, "nope", "memory:1", "0" * 31])
async def test_an_id_of_no_conversation_is_not_found(omi: Any, held: str) -> None:
    assert (await omi.error("get_conversation_by_id", conversation_id=held))[:2] == (-32001, "not_found")


async def test_what_a_conversation_comes_to_is_not_remembered_beyond_a_forget(
    omi: Any, client: Any, talk: Callable[..., Awaitable[str]]
) -> None:
    from geniffy_server.services.summaries import _gists

    await talk(("Ana", "I moved to Quillaroa in March.", "2026-03-05T10:00:00Z"))
    await omi.call("get_conversations")
    assert "Quillaroa" in str(_gists)

    client.memories.delete(next(client.memories.iter()).id)

    assert "Quillaroa" not in str(_gists)
