"""Labels on sources, and filters by them: contract 7.E."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

NOTHING = "There is nothing stored about this yet. Say so rather than guessing."
MAIL = "Priya Nair prefers morning calls."
CHAT = "Kim Park prefers evening calls."
DESK = "Noor Haddad prefers noon calls."


@pytest.fixture
def labelled(tell: Callable[..., Any]) -> Callable[[Any], Any]:
    """Three notes: email and chat of sales, chat of support, and one without labels."""

    async def add(memory: Any) -> None:
        await tell(memory, MAIL, labels={"channel": "email", "team": "sales"})
        await tell(memory, CHAT, labels={"channel": "chat", "team": "sales"})
        await tell(memory, DESK, labels={"channel": "chat", "team": "support"})
        await tell(memory, "Ana Lima prefers no calls.")

    return add


@pytest.mark.statement(65)
async def test_labels_come_back_on_the_source_and_on_each_memorys_source(memory: Any, tell: Callable[..., Any]) -> None:
    labels = {"channel": "email", "project": "Apollo 11: landing", "日本": "語"}
    source = await tell(memory, MAIL, labels=labels)

    (held,) = (await memory.memories.list()).memories
    assert source.labels == labels
    assert held.source.labels == labels
    assert (await memory.search("calls"))[0].source.labels == labels
    assert (await memory.memories.get(held.id)).memory.source.labels == labels


@pytest.mark.statement(66)
async def test_labels_are_replaced_kept_or_cleared_and_nothing_is_learned_again(
    memory: Any, tell: Callable[..., Any]
) -> None:
    first = await tell(memory, MAIL, external_id="crm/1", labels={"a": "1", "b": "2"})
    before = [(one.id, one.learned_at) for one in await memory.memories.iter()]

    replaced = await tell(memory, MAIL, external_id="crm/1", labels={"c": "3"})
    kept = await tell(memory, MAIL, external_id="crm/1")
    cleared = await tell(memory, MAIL, external_id="crm/1", labels={})

    assert (replaced.labels, kept.labels, cleared.labels) == ({"c": "3"}, {"c": "3"}, {})
    assert {first.id, replaced.id, kept.id, cleared.id} == {first.id}
    assert [(one.id, one.learned_at) for one in await memory.memories.iter()] == before


@pytest.mark.statement(67)
def test_twenty_labels_are_kept_and_one_more_is_refused(http: httpx.Client) -> None:
    twenty = {f"name-{n}": str(n) for n in range(20)}

    kept = http.post("/v1/memories", json={"text": MAIL, "labels": twenty})
    refused = http.post("/v1/memories", json={"text": MAIL, "labels": {**twenty, "one": "more"}})

    assert (kept.status_code, kept.json()["source"]["labels"]) == (201, twenty)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "bad_labels")
    assert http.get("/v1/sources").json()["total"] == 1


@pytest.mark.statement(68)
@pytest.mark.parametrize(
    "labels",
    [
        {"a": 1},
        {"a": True},
        {"a": None},
        {"a": ["x"]},
        {"a": {"b": "c"}},
        {"a:b": "c"},
        {"": "c"},
        {" ": "c"},
        {"a": ""},
        {"x" * 65: "c"},
        {"a": "x" * 257},
        ["a", "b"],
        "a:b",
        7,
        True,
    ],
)
def test_labels_that_are_no_strings_by_name_are_refused(http: httpx.Client, labels: Any) -> None:
    noted = http.post("/v1/memories", json={"text": MAIL, "labels": labels})
    written = http.put("/v1/files", json={"path": "/a.md", "text": MAIL, "labels": labels})

    assert (noted.status_code, noted.json()["error"]["code"]) == (422, "bad_labels")
    assert (written.status_code, written.json()["error"]["code"]) == (422, "bad_labels")
    assert http.get("/v1/sources").json()["total"] == 0


@pytest.mark.statement(69)
async def test_a_filter_joins_names_with_and_and_values_with_or(memory: Any, labelled: Any) -> None:
    await labelled(memory)

    async def found(labels: dict[str, Any]) -> set[str]:
        return {one.text for one in await memory.search("calls", labels=labels)}

    assert await found({"channel": ["email", "chat"], "team": "sales"}) == {MAIL, CHAT}
    assert await found({"channel": "chat"}) == {CHAT, DESK}
    assert await found({"channel": "email", "team": "support"}) == set()
    assert MAIL not in await memory.context("Who prefers evening calls?", labels={"channel": "chat"})


@pytest.mark.statement(70)
async def test_a_filter_in_the_query_gives_the_same_set(memory: Any, labelled: Any) -> None:
    await labelled(memory)
    labels = {"channel": ["email", "chat"], "team": "sales"}

    page = await memory.memories.list(labels=labels)
    assert {one.text for one in page.memories} == {MAIL, CHAT}
    assert (page.total, page.counts["all"]) == (2, 2)
    assert (await memory.sources.list(labels=labels)).total == 2


@pytest.mark.statement(71)
async def test_a_value_may_hold_colons(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, MAIL, labels={"a": "b:c d&e"})
    await tell(memory, CHAT, labels={"a": "b"})

    assert [one.text for one in (await memory.memories.list(labels={"a": "b:c d&e"})).memories] == [MAIL]
    assert [one.text for one in await memory.search("calls", labels={"a": "b:c d&e"})] == [MAIL]


@pytest.mark.statement(72)
async def test_a_filter_that_matches_nothing_brings_nothing(memory: Any, labelled: Any) -> None:
    await labelled(memory)
    labels = {"channel": "fax"}

    assert await memory.context("Who prefers morning calls?", labels=labels) == NOTHING
    assert (await memory.ask("Who prefers morning calls?", labels=labels)).answer is None
    assert (await memory.memories.list(labels=labels)).memories == []
    assert (await memory.sources.list(labels=labels)).sources == []
    assert await memory.search("calls", labels=labels) == []


@pytest.mark.statement(73)
async def test_a_memory_of_two_sources_matches_a_filter_of_either(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, MAIL, labels={"channel": "email", "team": "sales"})
    await tell(memory, MAIL, labels={"channel": "chat", "team": "support"})

    for labels in ({"channel": "email"}, {"channel": "chat"}, {"channel": "chat", "team": "support"}):
        assert (await memory.memories.list(labels=labels)).total == 1
        assert [one.text for one in await memory.search("calls", labels=labels)] == [MAIL]
    # No one source carries both, so the two together match nothing.
    assert (await memory.memories.list(labels={"channel": "email", "team": "support"})).total == 0


@pytest.mark.statement(74)
def test_250_sources_are_deleted_by_label_a_hundred_at_a_time(sdk: Any, http: httpx.Client) -> None:
    items = [{"text": "thanks!", "labels": {"channel": "gmail", "n": str(n)}} for n in range(250)]
    for first in range(0, 250, 100):
        assert sdk.memories.add_many(items[first : first + 100])["failed"] == 0
    sdk.memories.add("thanks!", labels={"channel": "slack"})

    answers = [http.delete("/v1/sources", params={"label": "channel:gmail"}).json() for _ in range(4)]

    assert [one["sources_deleted"] for one in answers] == [100, 100, 50, 0]
    assert [one["more"] for one in answers] == [True, True, False, False]
    assert answers[0]["labels"] in ({"channel": "gmail"}, {"channel": ["gmail"]})
    assert [one.labels for one in sdk.sources.list().sources] == [{"channel": "slack"}]


@pytest.mark.statement(75)
@pytest.mark.parametrize(
    "query", ["", "?external_id=", "?label=", "?label=channel", "?label=:x", "?label=channel:email&external_id=crm/1"]
)
def test_a_delete_that_names_nothing_deletes_nothing(http: httpx.Client, query: str) -> None:
    http.post("/v1/memories", json={"text": MAIL, "external_id": "crm/1", "labels": {"channel": "email"}})

    answer = http.delete("/v1/sources" + query)

    assert answer.status_code == 422
    assert answer.json()["error"]["code"] in ("invalid_request", "bad_labels", "bad_external_id")
    assert http.get("/v1/sources").json()["total"] == 1


@pytest.mark.statement(76)
async def test_delete_labelled_leaves_exactly_the_kept_ones(memory: Any) -> None:
    for number in range(5):
        await memory.memories.add("thanks!", external_id=f"mail/{number}", labels={"channel": "gmail"})
    await memory.memories.add("thanks!", external_id="chat/1", labels={"channel": "chat"})

    deleted = await memory.sources.delete_labelled({"channel": "gmail"}, keep={"mail/1", "mail/3"})

    left = {one.external_id for one in (await memory.sources.list()).sources}
    assert (deleted, left) == (3, {"mail/1", "mail/3", "chat/1"})


@pytest.mark.statement(77)
async def test_a_source_without_labels_never_matches_a_filter(memory: Any, labelled: Any) -> None:
    await labelled(memory)

    every = {"channel": ["email", "chat"]}
    assert "Ana Lima" not in " ".join(one.text for one in await memory.search("Ana Lima", labels=every))
    assert (await memory.memories.list(labels=every)).total == 3


@pytest.mark.statement(70, 75)
@pytest.mark.parametrize("label", ["channel", ":email", "", "x" * 65 + ":y"])
def test_a_malformed_filter_in_a_query_is_422_bad_labels(http: httpx.Client, label: str) -> None:
    for path in ("/v1/memories", "/v1/sources"):
        answer = http.get(path, params={"label": label})

        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_labels")


@pytest.mark.statement(69)
@pytest.mark.parametrize("labels", [{"a": 1}, {"a": [1]}, {"a": []}, {"a:b": "c"}, ["a"], "a:b", {"a": {"$ne": None}}])
def test_a_malformed_filter_in_a_body_is_422_bad_labels(http: httpx.Client, labels: Any) -> None:
    for path, body in (("/v1/search", {"q": "x"}), ("/v1/context", {"question": "x"}), ("/v1/ask", {"question": "x"})):
        answer = http.post(path, json={**body, "labels": labels})

        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_labels")


async def test_a_filter_value_is_matched_as_it_is_written(memory: Any, tell: Callable[..., Any]) -> None:
    values = {"' OR 1=1 --": MAIL, "100%": CHAT, "a_b": DESK, 'a*b:"(': "Mia plays chess.", "Sales": "Ana sails."}
    for value, text in values.items():
        await tell(memory, text, labels={"v": value})

    for value in values:
        assert (await memory.memories.list(labels={"v": value})).total == 1
    assert (await memory.memories.list(labels={"v": "%"})).total == 0
    assert (await memory.memories.list(labels={"v": "sales"})).total == 0
