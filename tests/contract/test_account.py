"""The account: whose key it is, what was used, and a copy of everything. Contract 7.N."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx
import pytest

KIM = "Kim Park works at Acme as CFO."


@pytest.mark.statement(219)
async def test_me_says_whose_memory_it_is(memory: Any) -> None:
    me = await memory.me()

    assert me == {"name": "Zoë Ferreira", "memory": "personal", "space": memory.space_id}


@pytest.mark.statement(220)
async def test_usage_has_every_field_with_its_type(person: Any) -> None:
    usage = await person.usage()

    types = {
        "plan": str,
        "trial": bool,
        "period_start": str,
        "period_end": str,
        "learned_tokens": int,
        "included_tokens": int,
        "waiting_tokens": int,
        "answers": int,
        "included_answers": int,
        "extra_on": bool,
        "extra_cap_usd": (int, float),
        "extra_used_usd": (int, float),
        "state": str,
    }
    assert usage.keys() >= types.keys()
    assert {name for name, kind in types.items() if not isinstance(usage[name], kind)} == set()
    assert {name for name in ("learned_tokens", "answers", "extra_cap_usd") if isinstance(usage[name], bool)} == set()
    assert usage["state"] == "ok"
    start, end = (datetime.fromisoformat(usage[name]) for name in ("period_start", "period_end"))
    assert start < datetime.now(tz=start.tzinfo) < end


@pytest.mark.statement(220)
async def test_usage_counts_what_was_learned_and_answered_over_all_spaces(
    person: Any, tell: Callable[..., Any]
) -> None:
    await tell(person.space("left"), KIM)
    one = await person.usage()
    await tell(person.space("right"), KIM)
    await person.space("right").ask("Where does Kim Park work?")
    await person.space("right").context("Where does Kim Park work?")
    await person.space("right").search("Where does Kim Park work?")

    two = await person.space("right").usage()
    assert 0 < one["learned_tokens"] < two["learned_tokens"]
    assert (one["answers"], two["answers"]) == (0, 2)


@pytest.mark.statement(223)
async def test_an_export_has_every_part(memory: Any, http: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, KIM, title="Contacts", labels={"a": "b"})
    await memory.files.put("/a.md", "")

    answer = http.get("/v1/export")
    copy = answer.json()
    assert answer.status_code == 200
    assert copy.keys() >= {
        "exported_at",
        "stored_in",
        "memories",
        "sources",
        "files",
        "episodes",
        "lessons",
        "intentions",
        "now",
    }
    assert datetime.fromisoformat(copy["exported_at"]).tzinfo is not None
    assert copy["stored_in"].strip()
    assert {len(copy["memories"]), len(copy["files"])} == {1}
    assert {one["title"] for one in copy["sources"]} == {"Contacts", "/a.md"}
    assert {type(copy[part]) for part in ("episodes", "lessons", "intentions", "now")} == {list}


@pytest.mark.statement(223)
async def test_an_export_of_an_empty_memory_is_empty(memory: Any) -> None:
    copy = await memory.export()

    assert copy["memories"] == copy["sources"] == copy["files"] == []


@pytest.mark.statement(224)
async def test_an_export_shows_every_memory_with_its_status_and_quote(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, "Kiran is on project Atlas.", said_at="2025-03-04")
    await tell(memory, "Kiran moved to project Borealis.", said_at="2025-06-01")
    await tell(memory, KIM)
    wrong = next(one for one in await memory.memories.iter() if one.text == KIM)
    done = await memory.memories.correct(wrong.id, "Kim Park works at Globex as CFO.")
    await memory.sources.wait(done["source"]["id"])

    shown = {one["quote"]: one["status"] for one in (await memory.export())["memories"]}
    assert shown == {
        "Kiran is on project Atlas.": "replaced",
        "Kiran moved to project Borealis.": "current",
        KIM: "wrong",
        "Kim Park works at Globex as CFO.": "current",
    }


@pytest.mark.statement(22, 223)
async def test_an_export_holds_one_space_only(person: Any, tell: Callable[..., Any]) -> None:
    await tell(person.space("left"), KIM)
    await tell(person, "My sister Ana lives in Porto.")

    assert "Acme" not in str(await person.export())
    assert "Porto" not in str(await person.space("left").export())


@pytest.mark.parametrize("path", ["/v1/now", "/v1/episodes", "/v1/lessons", "/v1/intentions"])
def test_the_briefing_family_says_that_it_is_not_switched_on(http: httpx.Client, path: str) -> None:
    for answer in (http.get(path), http.post("/v1/briefing", json={"cue": "", "budget_chars": 6000})):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_switched_on")


def test_memory_health_before_any_test_is_empty(http: httpx.Client) -> None:
    health = http.get("/v1/memory-health").json()

    assert (health["health"], health["tested_at"], health["asked"], health["items"]) == (None, None, 0, [])
