"""Sources, and waiting until they are learned: contract 7.I."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

KIM = "Kim Park works at Acme as CFO."
ANA = "My sister Ana lives in Porto."
UNREADABLE = "http://127.0.0.1:1/page"


@pytest.mark.statement(129)
@pytest.mark.parametrize("wait", ["30.0", "30", "29.9"])
def test_waiting_for_a_learned_source_answers_at_once(
    sdk: Any, http: httpx.Client, learned: Callable[..., Any], wait: str
) -> None:
    source = learned(sdk, sdk.memories.add(KIM))

    answer = http.get(f"/v1/sources/{source.id}", params={"wait": wait}, timeout=10)

    assert answer.json()["source"]["status"] == "learned"


@pytest.mark.statement(130)
def test_waiting_ends_with_the_learning(sdk: Any, http: httpx.Client, held_learning: Any) -> None:
    source = sdk.memories.add(KIM)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(http.get, f"/v1/sources/{source.id}", params={"wait": "30.0"}, timeout=25)
        assert http.get(f"/v1/sources/{source.id}").json()["source"]["status"] == "reading"
        held_learning.release()

        assert waiting.result().json()["source"]["status"] == "learned"


@pytest.mark.statement(130)
def test_waiting_ends_with_the_time_it_was_given(sdk: Any, http: httpx.Client, held_learning: Any) -> None:
    source = sdk.memories.add(KIM)

    answer = http.get(f"/v1/sources/{source.id}", params={"wait": "0.2"}, timeout=10)

    assert (answer.status_code, answer.json()["source"]["status"]) == (200, "reading")


@pytest.mark.statement(131)
@pytest.mark.parametrize("query", ["", "?wait=0.0", "?wait=0", "?wait=-1", "?wait=soon", "?wait=", "?wait=nan"])
def test_without_a_time_to_wait_a_reading_source_is_answered_at_once(
    sdk: Any, http: httpx.Client, held_learning: Any, query: str
) -> None:
    source = sdk.memories.add(KIM)

    answer = http.get(f"/v1/sources/{source.id}{query}", timeout=10)

    assert (answer.status_code, answer.json()["source"]["status"]) == (200, "reading")


@pytest.mark.statement(132)
@pytest.mark.parametrize("wait", ["999", "1e9", "inf"])
def test_a_wait_is_held_for_no_more_than_its_cap(
    sdk: Any, http: httpx.Client, held_learning: Any, shortened_wait: float, wait: str
) -> None:
    source = sdk.memories.add(KIM)

    answer = http.get(f"/v1/sources/{source.id}", params={"wait": wait}, timeout=20)

    assert (answer.status_code, answer.json()["source"]["status"]) == (200, "reading")
    assert shortened_wait == 30


@pytest.mark.statement(133)
def test_fifty_waits_do_not_hold_up_other_calls(
    sdk: Any, http: httpx.Client, base_url: str, held_learning: Any
) -> None:
    source = sdk.memories.add(KIM)
    limits = httpx.Limits(max_connections=60)
    with (
        httpx.Client(base_url=base_url, headers=http.headers, limits=limits, timeout=40) as many,
        ThreadPoolExecutor(50) as pool,
    ):
        waits = [pool.submit(many.get, f"/v1/sources/{source.id}", params={"wait": "30"}) for _ in range(50)]
        others = [http.get(path, timeout=20).status_code for path in ("/v1/me", "/v1/memories", "/v1/files?prefix=/")]
        written = http.put("/v1/files", json={"path": "/a.md", "text": "Tea at four."}, timeout=20)
        held_learning.release()
        statuses = [one.result().json()["source"]["status"] for one in waits]

    assert others == [200, 200, 200]
    assert written.status_code == 200
    assert statuses == ["learned"] * 50


@pytest.mark.statement(130)
async def test_a_long_source_does_not_hold_up_a_short_one(memory: Any, tell: Callable[..., Any]) -> None:
    long = await memory.memories.add("\n\n".join("." * 3_900 for _ in range(60)))

    short = await tell(memory, KIM)

    assert short.facts == 1
    assert (await memory.sources.get(long.id)).status == "reading"
    await memory.sources.delete(long.id)


@pytest.mark.statement(134)
@pytest.mark.parametrize(
    "name", ["0123456789abcdef0123456789abcdef", "x", "source:1", "%00", "' OR 1=1 --", "a" * 3000]
)
def test_an_unknown_source_is_404_for_every_verb(http: httpx.Client, name: str) -> None:
    for answer in (http.get(f"/v1/sources/{name}"), http.delete(f"/v1/sources/{name}")):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.statement(135)
async def test_deleting_a_source_takes_only_what_it_alone_taught(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    first = await tell(memory, f"{KIM}\n\n{ANA}")
    second = await tell(memory, KIM)

    await memory.sources.delete(first.id)

    (held,) = (await memory.memories.list()).memories
    assert held.text == KIM
    assert held.source.id == second.id
    assert "Porto" not in await memory.context("Where does Ana live?")


@pytest.mark.statement(135)
async def test_deleting_the_source_of_a_newer_value_makes_the_older_one_current_again(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(memory, "Kiran is on project Atlas.", said_at="2025-03-04")
    newer = await tell(memory, "Kiran moved to project Borealis.", said_at="2025-06-01")

    await memory.sources.delete(newer.id)

    (held,) = (await memory.memories.list()).memories
    assert (held.text, held.status) == ("Kiran is on project Atlas.", "current")


@pytest.mark.statement(136)
def test_deleting_a_source_is_200_then_404(sdk: Any, http: httpx.Client) -> None:
    source = sdk.memories.add(KIM)

    deleted = http.delete(f"/v1/sources/{source.id}")
    again = http.delete(f"/v1/sources/{source.id}")

    assert (deleted.status_code, deleted.json()) == (200, {"id": source.id, "deleted": True})
    assert (again.status_code, again.json()["error"]["code"]) == (404, "not_found")
    assert http.get(f"/v1/sources/{source.id}").status_code == 404


@pytest.mark.statement(136)
async def test_a_source_deleted_while_it_is_read_teaches_nothing(
    memory: Any, held_learning: Any, texts: Callable[..., Any], tell: Callable[..., Any]
) -> None:
    source = await memory.memories.add(KIM)
    await memory.sources.delete(source.id)
    held_learning.release()

    await tell(memory, ANA)

    assert await texts(memory) == [ANA]


@pytest.mark.statement(137)
async def test_a_source_that_failed_is_listed_with_why(memory: Any) -> None:
    from geniffy import UnreadableError

    with pytest.raises(UnreadableError) as refused:
        await memory.memories.add(url=UNREADABLE, title="A page")

    (listed,) = (await memory.sources.list()).sources
    assert listed.id == refused.value.source["id"]
    assert (listed.kind, listed.status, listed.url, listed.title) == ("link", "failed", UNREADABLE, "A page")
    assert listed.error.strip()
    assert (await memory.sources.wait(listed.id)).status == "failed"


@pytest.mark.statement(137)
async def test_a_file_that_can_not_be_read_is_listed_with_why(memory: Any) -> None:
    from geniffy import UnreadableError

    with pytest.raises(UnreadableError) as refused:
        await memory.memories.add_file(b"\x00\x01\x02", filename="naïve.bin", labels={"a": "b"})

    (listed,) = (await memory.sources.list()).sources
    assert (refused.value.status, refused.value.code) == (422, "unreadable")
    assert (listed.kind, listed.status, listed.file_name, listed.size_bytes) == ("file", "failed", "naïve.bin", 3)
    assert listed.error.strip()


async def test_sources_are_listed_newest_first_in_pages(memory: Any, http: Any) -> None:
    items = [{"text": "thanks!", "external_id": str(number)} for number in range(7)]
    await memory.memories.add_many(items)

    first = http.get("/v1/sources", params={"limit": 5}).json()
    second = http.get("/v1/sources", params={"limit": 5, "cursor": first["next"]}).json()

    listed = [one["external_id"] for one in first["sources"] + second["sources"]]
    assert listed == ["6", "5", "4", "3", "2", "1", "0"]
    assert (first["total"], first["next"], second["next"]) == (7, 5, None)


async def test_a_source_says_which_key_or_app_added_it(memory: Any) -> None:
    assert (await memory.memories.add(KIM)).added_by


@pytest.mark.statement(98)
async def test_a_source_that_held_a_secret_says_that_something_was_withheld(
    memory: Any, http: Any, tell: Callable[..., Any]
) -> None:
    plain = await tell(memory, ANA)
    secret = await tell(memory, f"{KIM} 密钥sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9です")

    shown = {one["id"]: one["withheld"] for one in http.get("/v1/sources").json()["sources"]}
    assert not shown[plain.id]
    assert shown[secret.id]
