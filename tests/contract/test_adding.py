"""Adding notes, and what is learned from them: contract 7.C."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import httpx
import pytest

NOTE = "Priya Nair signs the Lumen renewal. Kim Park works at Acme as CFO."


def _refused(answer: httpx.Response, status: int, code: str) -> bool:
    return (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def _holds_nothing(http: httpx.Client) -> bool:
    return http.get("/v1/sources").json()["total"] == 0 and http.get("/v1/memories").json()["total"] == 0


@pytest.mark.statement(39)
async def test_a_note_is_201_with_its_source_still_reading(http: Any) -> None:
    answer = http.post("/v1/memories", json={"text": NOTE})

    source = answer.json()["source"]
    assert answer.status_code == 201
    assert re.fullmatch(r"[0-9a-f]{32}", source["id"])
    assert (source["kind"], source["status"], source["facts"], source["error"]) == ("note", "reading", None, None)
    assert set(source) >= {
        "id",
        "kind",
        "title",
        "status",
        "error",
        "facts",
        "url",
        "file_name",
        "file_type",
        "size_bytes",
        "added_by",
        "added_at",
        "external_id",
        "labels",
    }
    assert datetime.fromisoformat(source["added_at"]).tzinfo is not None


@pytest.mark.statement(39)
async def test_a_note_without_a_title_is_shown_by_its_beginning(memory: Any) -> None:
    source = await memory.memories.add("Kim Park works at Acme as CFO.\nShe joined in 2019.")

    assert source.title.startswith("Kim Park works at Acme as CFO.")
    assert "\n" not in source.title


@pytest.mark.statement(40)
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"title": "only a title"},
        {"text": None},
        {"text": "a note", "url": "http://example.com"},
        {"text": "a note", "messages": [{"role": "user", "content": "hi"}]},
        {"url": "http://example.com", "messages": [{"role": "user", "content": "hi"}]},
        {"text": "a", "url": "http://example.com", "messages": [{"role": "user", "content": "hi"}]},
    ],
)
def test_none_or_several_of_text_url_and_messages_is_422(http: httpx.Client, body: dict[str, Any]) -> None:
    assert _refused(http.post("/v1/memories", json=body), 422, "invalid_request")
    assert _holds_nothing(http)


@pytest.mark.statement(41)
@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u200b\u200b", "\u00a0", "\ufeff"])
def test_blank_text_is_422_and_nothing_is_stored(http: httpx.Client, text: str) -> None:
    assert _refused(http.post("/v1/memories", json={"text": text}), 422, "invalid_request")
    assert _holds_nothing(http)


@pytest.mark.statement(42)
def test_a_note_may_hold_two_million_characters_and_not_one_more(
    fresh_server: Callable[..., Any], make_account: Callable[..., Any]
) -> None:
    server = fresh_server()
    headers = {"Authorization": f"Bearer {make_account(server).key}"}
    longest = ("." * 99 + "\n") * 20_000
    with httpx.Client(base_url=server.base_url, headers=headers, timeout=60) as http:
        accepted = http.post("/v1/memories", json={"text": longest})
        refused = http.post("/v1/memories", json={"text": longest + "."})
        listed = http.get("/v1/sources").json()["total"]

    assert len(longest) == 2_000_000
    assert accepted.status_code == 201
    assert _refused(refused, 413, "too_long")
    assert listed == 1


@pytest.mark.statement(42)
async def test_the_one_fact_in_the_last_line_of_a_long_note_is_found(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, "." * 99_999 + "\n\n" + "Priya Nair signs the Lumen renewal.")

    assert (await memory.search("Who signs the Lumen renewal?"))[0].text == "Priya Nair signs the Lumen renewal."


@pytest.mark.statement(46)
async def test_a_title_is_kept_and_cited_by_context(memory: Any, tell: Callable[..., Any]) -> None:
    source = await tell(memory, "Priya Nair signs the Lumen renewal.", title="Contract notes")

    assert source.title == "Contract notes"
    context = await memory.context("Who signs the Lumen renewal?")
    assert re.fullmatch(r"- Priya Nair signs the Lumen renewal\.  \[Contract notes, \d{4}-\d\d-\d\d\]", context)


@pytest.mark.statement(47)
@pytest.mark.parametrize("said_at", ["2025-03-04", date(2025, 3, 4), datetime(2025, 3, 4, 9, 30, tzinfo=UTC)])
async def test_what_was_said_in_the_past_is_dated_by_it(memory: Any, tell: Callable[..., Any], said_at: Any) -> None:
    await tell(memory, "Priya Nair signs the Lumen renewal.", said_at=said_at)

    (held,) = (await memory.memories.list()).memories
    assert held.said_at.startswith("2025-03-04T")
    assert (await memory.context("Who signs the Lumen renewal?")).endswith("  [note, 2025-03-04]")


@pytest.mark.statement(48)
@pytest.mark.parametrize(
    ("said_at", "moment"),
    [
        ("2025-03-04T15:00:00+05:30", datetime(2025, 3, 4, 15, tzinfo=timezone(timedelta(hours=5, minutes=30)))),
        ("2025-03-04T09:30:00.000Z", datetime(2025, 3, 4, 9, 30, tzinfo=UTC)),
        ("2025-03-04T09:30:00", datetime(2025, 3, 4, 9, 30, tzinfo=UTC)),
        ("2025-03-04T23:30:00-08:00", datetime(2025, 3, 5, 7, 30, tzinfo=UTC)),
        ("2025-03-04T09:30:00.204913+00:00", datetime(2025, 3, 4, 9, 30, 0, 204913, tzinfo=UTC)),
    ],
)
async def test_every_form_of_a_date_is_the_moment_it_says(
    memory: Any, tell: Callable[..., Any], said_at: str, moment: datetime
) -> None:
    await tell(memory, "Priya Nair signs the Lumen renewal.", said_at=said_at)

    (held,) = (await memory.memories.list()).memories
    assert datetime.fromisoformat(held.said_at) == moment
    assert (await memory.context("Who signs the Lumen renewal?")).endswith("[note, 2025-03-04]")


@pytest.mark.statement(49)
@pytest.mark.parametrize(
    "said_at", ["yesterday", "", "2025-13-01", "2025-02-30", "04/03/2025", 1741080600, True, ["2025-03-04"], {}]
)
def test_a_date_that_is_none_is_422_bad_date_and_nothing_is_stored(http: httpx.Client, said_at: Any) -> None:
    answer = http.post("/v1/memories", json={"text": NOTE, "said_at": said_at})

    assert answer.status_code == 422
    assert answer.json()["error"]["code"] in ("bad_date", "invalid_request")
    assert _holds_nothing(http)


@pytest.mark.statement(49)
def test_a_string_that_is_no_date_has_the_code_bad_date(http: httpx.Client) -> None:
    assert _refused(http.post("/v1/memories", json={"text": NOTE, "said_at": "yesterday"}), 422, "bad_date")


@pytest.mark.statement(50)
def test_a_page_takes_no_said_at(http: httpx.Client) -> None:
    answer = http.post("/v1/memories", json={"url": "http://127.0.0.1:1/page", "said_at": "2025-03-04"})

    assert _refused(answer, 422, "invalid_request")
    assert _holds_nothing(http)


@pytest.mark.statement(51)
async def test_without_said_at_what_is_said_is_dated_now(memory: Any, tell: Callable[..., Any]) -> None:
    before = datetime.now(UTC)
    await tell(memory, "Priya Nair signs the Lumen renewal.")

    (held,) = (await memory.memories.list()).memories
    assert before <= datetime.fromisoformat(held.said_at) <= datetime.now(UTC)


@pytest.mark.statement(52)
async def test_what_was_learned_is_found(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, NOTE)

    assert (await memory.search("Where does Kim Park work?"))[0].text == "Kim Park works at Acme as CFO."
    assert (await memory.search("Lumen renewal"))[0].text == "Priya Nair signs the Lumen renewal."


@pytest.mark.statement(53)
async def test_facts_is_the_number_of_memories_the_source_teaches(memory: Any, tell: Callable[..., Any]) -> None:
    first = await tell(memory, NOTE + " My sister Ana lives in Porto.")
    second = await tell(memory, "Kim Park works at Acme as CFO. Mia plays the violin.")

    assert (first.facts, second.facts) == (3, 2)
    assert (await memory.memories.list()).total == 4


@pytest.mark.statement(53)
@pytest.mark.parametrize("text", ["ok", "thanks!", "How are you?", "..."])
async def test_words_without_a_fact_are_learned_with_none(memory: Any, tell: Callable[..., Any], text: str) -> None:
    assert (await tell(memory, text)).facts == 0
    assert (await memory.memories.list()).total == 0


@pytest.mark.statement(54)
@pytest.mark.parametrize(
    "text",
    [
        NOTE,
        "# Kim Park\n\n- **CFO** at Acme\n- He joined in 2019\r\n\n> Priya said the budget is 1.5 million.",
        "李雷住在北京。我喜欢绿茶。",
        "Lucía vive en Madrid. Su cumpleaños es el 12 de marzo.",
    ],
)
async def test_every_quote_is_text_of_the_source(memory: Any, tell: Callable[..., Any], text: str) -> None:
    source = await tell(memory, text)

    details = [await memory.memories.get(one.id) for one in (await memory.memories.list()).memories]
    assert details
    for detail in details:
        assert detail.memory.quote
        assert detail.memory.quote in text
        assert detail.memory.source.id == source.id


def test_the_same_fact_from_two_notes_is_one_memory(client: Any, learned: Callable[..., Any]) -> None:
    learned(client, client.memories.add("Kim Park works at Acme as CFO."))
    learned(client, client.memories.add("Kim Park  works at Acme as CFO"))

    assert client.memories.list().total == 1
    assert [one.facts for one in client.sources.list().sources] == [1, 1]


def test_text_that_context_returned_is_not_learned_again(client: Any, learned: Callable[..., Any]) -> None:
    learned(client, client.memories.add(NOTE, title="Contract notes"))
    echo = client.context("Who signs the Lumen renewal?")
    for _ in range(3):
        learned(client, client.memories.add(echo))

    assert client.memories.list().total == 2
