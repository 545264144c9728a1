"""Adding many at once: contract 7.G."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

KIM = "Kim Park works at Acme as CFO."
ANA = "My sister Ana lives in Porto."


@pytest.mark.statement(110, 111)
def test_one_bad_item_does_not_take_the_others_down(http: httpx.Client) -> None:
    answer = http.post("/v1/memories/batch", json={"items": [{"text": KIM}, {"text": ""}, {"text": ANA}, 7]})

    done = answer.json()
    assert answer.status_code == 202
    assert (done["added"], done["failed"]) == (2, 2)
    assert [one["index"] for one in done["results"]] == [0, 1, 2, 3]
    assert [one["error"] and one["error"]["code"] for one in done["results"]] == [
        None,
        "invalid_request",
        None,
        "invalid_request",
    ]
    assert [one["source"] and one["source"]["kind"] for one in done["results"]] == ["note", None, "note", None]
    assert done["results"][1]["error"]["message"].strip()


@pytest.mark.statement(112)
async def test_an_item_may_name_its_space_and_a_malformed_one_fails_alone(
    person: Any, texts: Callable[..., Any]
) -> None:
    items = [{"text": KIM, "space": "left"}, {"text": ANA, "space": "a:b"}, {"text": ANA}, {"text": KIM, "space": ""}]
    done = await person.space("right").memories.add_many(items)

    assert [one["error"] and one["error"]["code"] for one in done["results"]] == [None, "bad_space", None, "bad_space"]
    assert (await person.space("left").sources.list()).total == 1
    assert (await person.space("right").sources.list()).total == 1
    assert (await person.sources.list()).total == 0


@pytest.mark.statement(36, 112)
def test_an_item_of_a_limited_key_may_not_name_another_space(
    sdk: Any, client: Any, with_key: Callable[..., Any]
) -> None:
    items = [{"text": KIM, "space": "victim"}, {"text": ANA, "space": sdk.space_id}, {"text": ANA, "space": None}]

    done = with_key(sdk.keys.create().key).post("/v1/memories/batch", json={"items": items}).json()

    assert [one["error"] and one["error"]["code"] for one in done["results"]] == ["wrong_space", None, None]
    assert client.space("victim").sources.list().total == 0
    assert sdk.sources.list().total == 2


@pytest.mark.statement(113)
def test_a_hundred_items_are_added_and_101_are_refused_whole(http: httpx.Client) -> None:
    accepted = http.post("/v1/memories/batch", json={"items": [{"text": "thanks!"}] * 100})
    refused = http.post("/v1/memories/batch", json={"items": [{"text": "thanks!"}] * 101})

    assert (accepted.status_code, accepted.json()["added"]) == (202, 100)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid_request")
    assert http.get("/v1/sources").json()["total"] == 100


@pytest.mark.statement(114)
@pytest.mark.parametrize("body", [{}, {"items": []}, {"items": None}, {"items": "a"}, {"items": {"text": KIM}}, []])
def test_a_batch_without_items_is_422(http: httpx.Client, body: Any) -> None:
    answer = http.post("/v1/memories/batch", json=body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")


@pytest.mark.statement(115)
async def test_items_behave_as_single_adds(memory: Any, texts: Callable[..., Any]) -> None:
    done = await memory.memories.add_many(
        [
            {"text": KIM, "external_id": "crm/1", "title": "Contacts", "labels": {"a": "b"}, "said_at": "2025-03-04"},
            {"messages": [{"role": "user", "content": ANA}], "session": "run-42"},
            {"messages": [{"role": "user", "content": "My friend Mia plays the violin."}], "session": "run-42"},
            {"text": KIM, "external_id": "crm/1"},
            {"text": KIM, "said_at": "yesterday"},
            {"text": KIM, "labels": {"a:b": "c"}},
            {"url": "http://127.0.0.1:1/page"},
        ]
    )
    results = done["results"]
    for one in results[:4]:
        await memory.sources.wait(one["source"]["id"])

    assert [one["error"] and one["error"]["code"] for one in results] == [
        None,
        None,
        None,
        None,
        "bad_date",
        "bad_labels",
        "unreadable",
    ]
    assert results[0]["source"]["id"] == results[3]["source"]["id"]
    assert results[1]["source"]["id"] == results[2]["source"]["id"]
    noted = await memory.sources.get(external_id="crm/1")
    assert (noted.title, noted.labels) == ("Contacts", {"a": "b"})
    assert sorted(await texts(memory)) == [KIM, "My friend Mia plays the violin.", ANA]


@pytest.mark.statement(115)
async def test_items_under_one_id_are_applied_in_their_order(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    done = await memory.memories.add_many([{"text": KIM, "external_id": "x"}, {"text": ANA, "external_id": "x"}])
    await memory.sources.wait(done["results"][1]["source"]["id"])

    assert await texts(memory) == [ANA]
