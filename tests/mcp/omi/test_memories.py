"""The five memory tools: listed, found, created, edited and deleted, in every protocol era."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import jsonschema
import pytest

from geniffy_server.caller import Caller
from geniffy_server.domain.memory import MemoryId
from geniffy_server.services.curated_memories import create_whole
from geniffy_server.services.memories import correct
from tests.conftest import Server

FIELDS = {
    "id", "content", "category", "tags", "created_at", "updated_at", "conversation_id", "reviewed", "manually_added",
    "edited", "scoring", "is_locked",
}  # fmt: skip
TWO = "Kim Park signs for Lumen. She is back on Monday."


async def contents(omi: Any, **only: Any) -> list[str]:
    return [one["content"] for one in (await omi.call("get_memories", **only))["memories"]]


async def create(omi: Any, content: str, **more: Any) -> dict[str, Any]:
    return (await omi.call("create_memory", content=content, **more))["memory"]  # type: ignore[no-any-return]


async def test_what_is_created_is_listed_found_edited_and_deleted_by_every_client(any_omi: Any) -> None:
    schemas = {name: tool.output_schema for name, tool in (await any_omi.list()).items()}

    async def call(name: str, **arguments: Any) -> dict[str, Any]:
        answer = await any_omi.call(name, **arguments)
        jsonschema.validate(answer, schemas[name], cls=jsonschema.Draft202012Validator)
        return answer  # type: ignore[no-any-return]

    created = await call("create_memory", content=TWO)
    made = created["memory"]
    assert (created["success"], made["content"], set(made)) == (True, TWO, FIELDS)
    assert (made["manually_added"], made["reviewed"], made["edited"], made["is_locked"]) == (True, True, False, False)
    assert (made["conversation_id"], made["tags"]) == (None, [])
    assert re.fullmatch(r"01_(998|000)_\d{10}", made["scoring"])

    page = await call("get_memories")
    assert page == {
        "memories": [made], "returned_count": 1, "has_more": False, "offset": 0, "limit": 100, "sort": "created_desc",
    }  # fmt: skip
    (found,) = (await call("search_memories", query="Who signs for Lumen?"))["memories"]
    assert found["id"] == made["id"]
    assert 0.3 < found["relevance_score"] <= 1.0

    assert await call("edit_memory", memory_id=made["id"], content="Ana signs for Lumen.") == {"success": True}
    (edited,) = (await call("get_memories"))["memories"]
    assert (edited["id"], edited["content"], edited["edited"]) == (made["id"], "Ana signs for Lumen.", True)
    assert edited["created_at"] == made["created_at"] < edited["updated_at"]

    assert await call("delete_memory", memory_id=made["id"]) == {"success": True}
    assert (await call("get_memories"))["memories"] == []
    assert (await call("search_memories", query="Who signs for Lumen?"))["memories"] == []


async def test_the_category_that_was_given_is_kept_and_another_is_detected(omi: Any) -> None:
    given = await create(omi, "I drink green tea every morning.", category="learnings")
    detected = await create(omi, "I work as a nurse at the hospital in Porto.")

    await omi.call("edit_memory", memory_id=given["id"], content="I work as a baker.")

    kept = {one["id"]: one["category"] for one in (await omi.call("get_memories"))["memories"]}
    assert kept == {given["id"]: "learnings", detected["id"]: detected["category"]}
    assert detected["category"] in ("work", "core", "skills")


async def test_the_same_words_again_are_the_same_memory(omi: Any) -> None:
    first = await create(omi, "I play the cello.")
    second = await create(omi, "I play the cello.", category="skills")

    assert second["id"] == first["id"]
    assert (second["category"], await contents(omi)) == ("skills", ["I play the cello."])


async def test_what_is_created_takes_the_place_of_what_it_changes(omi: Any) -> None:
    await create(omi, "My dentist is Dr. Moreau.")
    await create(omi, "My dentist is now Dr. Chen.")

    assert await contents(omi) == ["My dentist is now Dr. Chen."]


async def test_a_secret_in_a_memory_is_masked_before_it_is_kept(omi: Any, files_holding: Any) -> None:
    secret = "sk-" + "proj-9f8e7d6c5b4a3f2e1d0c9b8a7f6e5d4c"

    made = await create(omi, f"My OpenAI key is {secret}.")

    assert secret not in made["content"]
    assert "█" in made["content"]
    assert await asyncio.to_thread(files_holding, secret) == []
    assert await contents(omi, include_sensitive=False) == []
    assert await contents(omi, include_sensitive=True) == [made["content"]]


async def test_a_memory_id_is_a_number_and_may_say_what_it_names(omi: Any) -> None:
    made = await create(omi, "I play the cello.")

    assert made["id"].isdecimal()
    await omi.call("edit_memory", memory_id=f"memory:{made['id']}", content="I play the viola.")
    await omi.call("delete_memory", memory_id=f"memory:{made['id']}")
    assert await contents(omi) == []


async def test_lists_are_paged_by_offset_and_say_whether_more_follow(omi: Any) -> None:
    for number in range(5):
        await create(omi, f"Box {number} holds {number * 7} bricks.")

    pages = [await omi.call("get_memories", limit=2, offset=offset) for offset in (0, 2, 4, 6)]

    assert [page["returned_count"] for page in pages] == [2, 2, 1, 0]
    assert [page["has_more"] for page in pages] == [True, True, False, False]
    assert [(page["offset"], page["limit"]) for page in pages] == [(0, 2), (2, 2), (4, 2), (6, 2)]
    walked = [one["content"] for page in pages for one in page["memories"]]
    assert walked == [f"Box {number} holds {number * 7} bricks." for number in reversed(range(5))]


async def test_a_limit_out_of_range_is_clamped(omi: Any) -> None:
    for number in range(3):
        await create(omi, f"Box {number} holds {number * 7} bricks.")

    for asked, used in ((0, 1), (-5, 1), (501, 500), (10**30, 500), (2.0, 2)):
        assert (await omi.call("get_memories", limit=asked))["limit"] == used
    assert (await omi.call("get_memories", offset=-1))["offset"] == 0
    assert (await omi.call("get_memories", offset=10**30))["memories"] == []
    assert len((await omi.call("search_memories", query="Which box?", limit=0))["memories"]) == 1
    assert len((await omi.call("search_memories", query="Which box?", limit=999))["memories"]) == 3


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("created_desc", ["learned", "second", "first"]),
        ("updated_desc", ["first", "learned", "second"]),
        ("manual_first", ["second", "first", "learned"]),
        ("scoring_desc", ["second", "first", "learned"]),
    ],
)
async def test_each_order_is_what_it_says(omi: Any, client: Any, sort: str, order: list[str]) -> None:
    first = await create(omi, "I play the cello.", category="hobbies")
    second = await create(omi, "I collect stamps.", category="hobbies")
    source = client.memories.add("My sister Ana lives in Porto.")
    assert client.sources.wait(source.id).status == "learned"
    (learned,) = [one for one in (await omi.call("get_memories"))["memories"] if not one["manually_added"]]
    await omi.call("edit_memory", memory_id=first["id"], content="I play the viola.")
    names = {first["id"]: "first", second["id"]: "second", learned["id"]: "learned"}

    page = await omi.call("get_memories", sort=sort)

    assert [names[one["id"]] for one in page["memories"]] == order
    assert page["sort"] == sort
    scores = [one["scoring"] for one in (await omi.call("get_memories", sort="scoring_desc"))["memories"]]
    assert scores == sorted(scores, reverse=True)


async def test_filters_keep_what_they_name_and_say_how_many_were_looked_at(omi: Any, client: Any) -> None:
    made = await create(omi, "I play the cello.", category="hobbies")
    source = client.memories.add("My sister Ana lives in Porto.")
    assert client.sources.wait(source.id).status == "learned"

    async def kept(**only: Any) -> list[str]:
        page = await omi.call("get_memories", **only)
        assert (page["scanned_count"], page["scan_truncated"]) == (2, False)
        return [one["content"] for one in page["memories"]]

    learned = "My sister Ana lives in Porto."
    assert await kept(categories=["hobbies", "skills"]) == ["I play the cello."]
    assert await kept(reviewed=True) == ["I play the cello."]
    assert await kept(reviewed=False) == [learned]
    assert await kept(manually_added=True) == ["I play the cello."]
    assert await kept(manually_added=False) == [learned]
    assert await kept(updated_after=made["updated_at"]) == [learned]
    assert await kept(updated_after="2026-01-01") == [learned, "I play the cello."]
    assert await kept(updated_after="2999-01-01T00:00:00Z") == []
    assert "scanned_count" not in await omi.call("get_memories", categories=[], reviewed=None)


async def test_what_only_tells_of_a_screen_is_left_out_unless_asked_for(omi: Any, client: Any) -> None:
    source = client.memories.add("The terminal was in front for two hours.", labels={"activity": "screen"})
    assert client.sources.wait(source.id).status == "learned"

    assert await contents(omi) == []
    (shown,) = (await omi.call("get_memories", include_activity=True))["memories"]
    assert (shown["content"], shown["tags"]) == ("The terminal was in front for two hours.", ["activity:screen"])


async def test_search_scores_run_from_one_to_nought_best_first(omi: Any) -> None:
    for words in ("I play the cello in an orchestra.", "My car is a blue estate.", "I am allergic to peanuts."):
        await create(omi, words)

    found = (await omi.call("search_memories", query="Which instrument do I play?"))["memories"]

    scores = [one["relevance_score"] for one in found]
    assert found[0]["content"] == "I play the cello in an orchestra."
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores[0] > scores[-1]
    assert set(found[0]) == FIELDS | {"relevance_score"}


async def test_search_of_an_empty_memory_finds_nothing(omi: Any) -> None:
    assert await omi.call("search_memories", query="Anything?") == {"memories": []}


async def test_a_memory_of_a_conversation_names_it_also_after_it_was_edited(
    omi: Any, talk: Callable[..., Awaitable[str]]
) -> None:
    held = await talk(("Ana", "I moved to Porto last year.", "2026-03-05T10:00:00Z"))
    (learned,) = (await omi.call("get_memories"))["memories"]

    for words in ("Ana moved to Lisbon.", "Ana moved to Faro."):
        await omi.call("edit_memory", memory_id=learned["id"], content=words)

    (edited,) = (await omi.call("get_memories"))["memories"]
    assert learned["conversation_id"] == edited["conversation_id"] == held
    assert (learned["manually_added"], learned["reviewed"], edited["edited"]) == (False, False, True)


async def test_an_edit_to_what_another_memory_says_leaves_one_of_them(omi: Any) -> None:
    kept = await create(omi, "I play the cello.")
    await create(omi, "I play the viola.")

    await omi.call("edit_memory", memory_id=kept["id"], content="I play the viola.")

    (left,) = (await omi.call("get_memories"))["memories"]
    assert (left["id"], left["content"]) == (kept["id"], "I play the viola.")


async def test_an_edit_that_changes_no_word_leaves_no_history(omi: Any, tools: Any) -> None:
    made = await create(omi, "I play the cello.")

    await omi.call("edit_memory", memory_id=made["id"], content="I play the cello.")

    opened = await tools.call("fetch", id=f"memory:{made['id']}")
    assert opened["metadata"]["history"] == []
    assert await contents(omi) == ["I play the cello."]


@pytest.mark.parametrize("through", ["create", "correct"])
async def test_what_is_kept_while_another_is_read_is_listed_by_when_each_was_made(
    omi: Any, server: Server, caller: Caller, monkeypatch: pytest.MonkeyPatch, through: str
) -> None:
    wrong = (await create(omi, "The office is in Porto."))["id"]
    embed = server.ports.embedder.embed
    others = iter(["I play the cello."])

    def kept_meanwhile(texts: Sequence[str]) -> Any:
        for other in others:
            server.run(create_whole(server.ports, caller, other, None))
        return embed(texts)

    monkeypatch.setattr(server.ports.embedder, "embed", kept_meanwhile)
    if through == "create":
        server.run(create_whole(server.ports, caller, "The office is in Braga.", None))
    else:
        server.run(correct(server.ports, caller, MemoryId(int(wrong)), "The office is in Braga."))
    listed = (await omi.call("get_memories"))["memories"]

    assert [one["content"] for one in listed][:2] == ["The office is in Braga.", "I play the cello."]
    assert [one["created_at"] for one in listed] == sorted((one["created_at"] for one in listed), reverse=True)
