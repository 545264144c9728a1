"""The caller's own ids for what it adds: contract 7.D."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

FIRST = "Priya Nair signs the Lumen renewal."
SECOND = "Kim Park works at Acme as CFO."
THIRD = "My sister Ana lives in Porto."


@pytest.mark.statement(55)
async def test_the_same_text_again_under_its_id_adds_nothing(memory: Any, tell: Callable[..., Any]) -> None:
    first = await tell(memory, f"{FIRST}\n\n{SECOND}", external_id="crm/42")
    before = [one.id for one in await memory.memories.iter()]

    again = await tell(memory, f"{FIRST}\n\n{SECOND}", external_id="crm/42")

    assert again.id == first.id
    assert [one.id for one in await memory.memories.iter()] == before
    assert (await memory.memories.list()).total == 2
    assert (await memory.sources.list()).total == 1


@pytest.mark.statement(56)
async def test_one_more_paragraph_teaches_only_what_it_says(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, f"{FIRST}\n\n{SECOND}", external_id="crm/42")
    before = {one.id: one.learned_at for one in await memory.memories.iter()}

    await tell(memory, f"{FIRST}\n\n{THIRD}\n\n{SECOND}", external_id="crm/42")

    after = await memory.memories.iter()
    assert [one.text for one in after if one.id not in before] == [THIRD]
    assert {one.id: one.learned_at for one in after if one.id in before} == before


@pytest.mark.statement(57)
async def test_what_a_removed_paragraph_taught_goes_unless_another_source_says_it(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(memory, f"{FIRST}\n\n{SECOND}\n\n{THIRD}", external_id="crm/42")
    await tell(memory, SECOND)

    source = await tell(memory, FIRST, external_id="crm/42")

    assert sorted(await texts(memory)) == sorted([FIRST, SECOND])
    assert source.facts == 1
    assert "Porto" not in await memory.context("Where does Ana live?")


@pytest.mark.statement(58)
async def test_one_id_in_two_spaces_is_two_sources(person: Any, tell: Callable[..., Any]) -> None:
    left = await tell(person.space("left"), FIRST, external_id="crm/42")
    right = await tell(person.space("right"), SECOND, external_id="crm/42")

    assert left.id != right.id
    assert [one.text for one in await person.space("left").memories.iter()] == [FIRST]


@pytest.mark.statement(59)
async def test_a_source_is_found_by_its_id_and_an_unknown_one_is_an_empty_list(memory: Any, http: Any) -> None:
    source = await memory.memories.add(FIRST, external_id="crm/42")

    assert (await memory.sources.get(external_id="crm/42")).id == source.id
    unknown = http.get("/v1/sources", params={"external_id": "crm/43"})
    assert (unknown.status_code, unknown.json()) == (200, {"sources": [], "total": 0, "next": None})


@pytest.mark.statement(60)
def test_deleting_by_id_says_what_went_and_again_is_404(http: httpx.Client) -> None:
    source = http.post("/v1/memories", json={"text": FIRST, "external_id": "crm/42"}).json()["source"]

    deleted = http.delete("/v1/sources", params={"external_id": "crm/42"})
    again = http.delete("/v1/sources", params={"external_id": "crm/42"})

    assert deleted.status_code == 200
    assert deleted.json() == {"id": source["id"], "external_id": "crm/42", "deleted": True}
    assert (again.status_code, again.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.statement(61)
@pytest.mark.parametrize(
    "body",
    [
        {"text": FIRST},
        {"url": "http://127.0.0.1:1/page"},
        {"messages": [{"role": "user", "content": FIRST}]},
    ],
)
def test_an_id_of_a_file_is_refused_for_everything_that_is_added(http: httpx.Client, body: dict[str, Any]) -> None:
    answer = http.post("/v1/memories", json={**body, "external_id": "file:/a.md"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_external_id")
    assert http.get("/v1/sources").json()["total"] == 0


@pytest.mark.statement(61)
def test_an_id_of_a_file_is_refused_for_an_upload(sdk: Any) -> None:
    from geniffy import BadRequestError

    with pytest.raises(BadRequestError) as refused:
        sdk.memories.add_file(FIRST.encode(), filename="a.md", external_id="file:/a.md")

    assert (refused.value.status, refused.value.code) == (422, "bad_external_id")
    assert sdk.sources.list().total == 0


@pytest.mark.statement(61)
async def test_an_id_of_a_file_is_refused_for_a_batch_item(memory: Any) -> None:
    done = await memory.memories.add_many([{"text": FIRST, "external_id": "file:/a.md"}])

    assert (done["results"][0]["source"], done["results"][0]["error"]["code"]) == (None, "bad_external_id")
    assert (await memory.sources.list()).total == 0


@pytest.mark.statement(61)
def test_a_session_id_of_a_file_is_refused(http: httpx.Client) -> None:
    turns = [{"role": "user", "content": FIRST}]
    answer = http.post("/v1/memories", json={"messages": turns, "session": "file:/a.md"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_external_id")


@pytest.mark.parametrize("external_id", ["", "  ", "x" * 513])
def test_a_blank_or_too_long_id_is_refused(http: httpx.Client, external_id: str) -> None:
    answer = http.post("/v1/memories", json={"text": FIRST, "external_id": external_id})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_external_id")
    assert http.get("/v1/sources").json()["total"] == 0


@pytest.mark.statement(62)
@pytest.mark.parametrize(
    "external_id",
    ["a/b/c", "a&b=c", "two words", "a+b", "naïve-日本-😀", "100%25", "a?b#c", " padded ", "FILE:/a.md", "x" * 512],
)
def test_an_id_of_any_characters_survives_the_query(sdk: Any, external_id: str) -> None:
    source = sdk.memories.add(FIRST, external_id=external_id)

    found = sdk.sources.get(external_id=external_id)
    sdk.sources.delete(external_id=external_id)

    assert (source.external_id, found.id, found.external_id) == (external_id, source.id, external_id)
    assert sdk.sources.list().total == 0


@pytest.mark.statement(63)
async def test_an_update_that_can_not_be_read_keeps_the_old_facts(memory: Any, tell: Callable[..., Any]) -> None:
    from geniffy import UnreadableError

    source = await tell(memory, FIRST, external_id="crm/42")

    with pytest.raises(UnreadableError) as refused:
        await memory.memories.add(url="http://127.0.0.1:1/page", external_id="crm/42")

    held = await memory.sources.get(external_id="crm/42")
    assert refused.value.source["id"] == source.id == held.id
    assert held.status == "learned"
    assert held.error
    assert [one.text for one in await memory.memories.iter()] == [FIRST]


@pytest.mark.statement(55, 57)
async def test_a_conversation_may_take_the_place_of_a_note_under_one_id(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    note = await tell(memory, FIRST, external_id="crm/42")

    talk = await tell(memory, messages=[{"role": "user", "content": THIRD}], external_id="crm/42")

    assert talk.id == note.id
    assert await texts(memory) == [THIRD]


@pytest.mark.statement(55)
async def test_a_title_given_later_replaces_the_old_one(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, FIRST, external_id="crm/42", title="Old")
    kept = await tell(memory, FIRST, external_id="crm/42")
    renamed = await tell(memory, FIRST, external_id="crm/42", title="New")

    assert (kept.title, renamed.title) == ("Old", "New")
