"""One memory behind every door: what the Omi tools change is changed for `/mcp`, `/v1` and the pages, and back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

CELLO = "I play the cello in an orchestra."
VIOLA = "I play the viola at home."


async def test_what_is_created_is_at_once_in_every_other_door(omi: Any, tools: Any, client: Any) -> None:
    made = (await omi.call("create_memory", content=CELLO))["memory"]

    assert [one.text for one in client.memories.iter()] == [CELLO]
    opened = await tools.call("fetch", id=f"memory:{made['id']}")
    assert (opened["title"], opened["metadata"]["quote"]) == (CELLO, CELLO)
    assert [one["text"] for one in (await tools.call("search", query="Which instrument?"))["results"]] == [CELLO]
    assert "cello" in (await tools.call("ask", question="Which instrument do I play?"))["answer"]


async def test_an_edit_keeps_the_id_and_is_read_with_its_history_through_every_door(
    omi: Any, tools: Any, client: Any
) -> None:
    made = (await omi.call("create_memory", content=CELLO))["memory"]

    await omi.call("edit_memory", memory_id=made["id"], content=VIOLA)
    await omi.call("edit_memory", memory_id=made["id"], content="I play the flute.")

    opened = await tools.call("fetch", id=f"memory:{made['id']}")
    assert (opened["title"], opened["metadata"]["status"]) == ("I play the flute.", "current")
    assert [(one["text"], one["status"]) for one in opened["metadata"]["history"]] == [
        (CELLO, "wrong"),
        (VIOLA, "wrong"),
    ]
    got = client.memories.get(int(made["id"]))
    assert (got.memory.text, [one.text for one in got.history]) == ("I play the flute.", [CELLO, VIOLA])
    assert [one["text"] for one in (await tools.call("search", query="cello orchestra"))["results"]] == [
        "I play the flute."
    ]


async def test_what_was_edited_away_is_not_learned_again(
    omi: Any, client: Any, talk: Callable[..., Awaitable[str]]
) -> None:
    made = (await omi.call("create_memory", content=CELLO))["memory"]
    await omi.call("edit_memory", memory_id=made["id"], content=VIOLA)

    source = client.memories.add(CELLO)
    assert client.sources.wait(source.id).status == "learned"

    assert [one["content"] for one in (await omi.call("get_memories"))["memories"]] == [VIOLA]


async def test_a_correction_through_another_door_is_a_new_memory_and_the_old_id_is_gone_here(
    omi: Any, client: Any, tools: Any
) -> None:
    made = (await omi.call("create_memory", content=CELLO))["memory"]

    client.memories.correct(int(made["id"]), VIOLA)

    (held,) = (await omi.call("get_memories"))["memories"]
    assert (held["content"], held["id"] != made["id"]) == (VIOLA, True)
    assert (await omi.error("edit_memory", memory_id=made["id"], content="x"))[:2] == (-32001, "not_found")
    assert (await omi.error("delete_memory", memory_id=made["id"]))[:2] == (-32001, "not_found")
    await omi.call("edit_memory", memory_id=held["id"], content="I play the flute.")
    history = (await tools.call("fetch", id=f"memory:{held['id']}"))["metadata"]["history"]
    assert [one["text"] for one in history] == [CELLO, VIOLA]


async def test_what_was_decided_of_a_memory_holds_of_its_correction_through_another_door(
    omi: Any, client: Any, lock: Callable[..., None]
) -> None:
    made = (await omi.call("create_memory", content=CELLO, category="learnings"))["memory"]
    lock(memory=made["id"])

    client.memories.correct(int(made["id"]), VIOLA)

    (held,) = (await omi.call("get_memories"))["memories"]
    kept = {name: held[name] for name in ("category", "manually_added", "reviewed", "edited", "is_locked")}
    assert kept == {
        "category": "learnings", "manually_added": True, "reviewed": True, "edited": True, "is_locked": True,
    }  # fmt: skip


async def test_a_lock_is_not_lost_when_two_memories_become_one(omi: Any, lock: Callable[..., None]) -> None:
    first = (await omi.call("create_memory", content=CELLO))["memory"]
    second = (await omi.call("create_memory", content=VIOLA))["memory"]
    lock(memory=second["id"])

    await omi.call("edit_memory", memory_id=first["id"], content=VIOLA)

    (held,) = (await omi.call("get_memories"))["memories"]
    assert (held["id"], held["is_locked"]) == (first["id"], True)


async def test_an_edited_memory_can_be_corrected_and_forgotten_through_another_door(
    omi: Any, client: Any, tools: Any
) -> None:
    made = (await omi.call("create_memory", content=CELLO))["memory"]
    await omi.call("edit_memory", memory_id=made["id"], content=VIOLA)

    client.memories.correct(int(made["id"]), "I play the flute.")
    (held,) = (await omi.call("get_memories"))["memories"]
    history = (await tools.call("fetch", id=f"memory:{held['id']}"))["metadata"]["history"]
    assert [one["text"] for one in history] == [CELLO, VIOLA]
    client.memories.delete(int(held["id"]))

    assert (await omi.call("get_memories"))["memories"] == []
    assert list(client.memories.iter()) == []


async def test_a_deleted_memory_is_in_no_door_and_in_no_file_of_the_store(
    omi: Any, tools: Any, client: Any, files_holding: Callable[[str], list[str]]
) -> None:
    made = (await omi.call("create_memory", content="The vault code is quetzal violet."))["memory"]
    await omi.call("edit_memory", memory_id=made["id"], content="The vault code is axolotl crimson.")

    assert await omi.call("delete_memory", memory_id=made["id"]) == {"success": True}

    assert list(client.memories.iter()) == []
    assert (await tools.call("search", query="vault code"))["results"] == []
    assert (await omi.call("search_memories", query="vault code"))["memories"] == []
    assert (await tools.refusal("fetch", id=f"memory:{made['id']}")).startswith("There is no memory")
    for words in ("quetzal violet", "axolotl crimson"):
        assert await asyncio.to_thread(files_holding, words) == []


async def test_a_delete_names_the_file_that_still_says_it(omi: Any, client: Any) -> None:
    written = client.files.put("/memories/kim.md", "Kim Park works at Acme.")
    assert client.sources.wait(written.source.id).status == "learned"
    (held,) = (await omi.call("get_memories"))["memories"]

    assert await omi.call("delete_memory", memory_id=held["id"]) == {"success": True, "files": ["/memories/kim.md"]}


async def test_deleting_the_source_of_an_edit_takes_the_memory(omi: Any, tools: Any, client: Any) -> None:
    made = (await omi.call("create_memory", content=CELLO))["memory"]
    await omi.call("edit_memory", memory_id=made["id"], content=VIOLA)
    edit = (await tools.call("fetch", id=f"memory:{made['id']}"))["metadata"]["source"]["id"]

    await tools.call("forget", id=edit)

    assert (await omi.call("get_memories"))["memories"] == []


async def test_an_edit_settles_a_clash(omi: Any, client: Any, tools: Any) -> None:
    for words, said in (
        ("The office is in Porto.", "2026-03-05T10:00:00Z"),
        ("The office is in Faro.", "2026-03-05T10:00:00Z"),
    ):
        source = client.memories.add(words, said_at=said)
        assert client.sources.wait(source.id).status == "learned"
    held = {one.text: one for one in client.memories.iter()}
    assert {one.status for one in held.values()} == {"clash"}

    await omi.call("edit_memory", memory_id=str(held["The office is in Faro."].id), content="The shop is in Faro.")

    assert {one.text: one.status for one in client.memories.iter()} == {
        "The office is in Porto.": "current",
        "The shop is in Faro.": "current",
    }
