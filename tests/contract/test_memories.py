"""Reading, correcting and forgetting memories: contract 7.H."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx
import pytest

KIM = "Kim Park works at Acme as CFO."
ANA = "My sister Ana lives in Porto."
WHATSAPP = "I prefer WhatsApp, never email."


def _facts(first: int, last: int) -> str:
    """A note of one fact a paragraph."""
    return "\n\n".join(f"Box {number} holds {number * 7} red bricks." for number in range(first, last))


@pytest.mark.statement(116)
async def test_a_list_is_newest_first_with_counts_total_and_next(
    memory: Any, http: Any, tell: Callable[..., Any]
) -> None:
    await tell(memory, KIM)
    await tell(memory, ANA)
    await tell(memory, WHATSAPP)

    page = http.get("/v1/memories").json()
    assert [one["text"] for one in page["memories"]] == [WHATSAPP, ANA, KIM]
    assert page["total"] == page["counts"]["all"] == 3
    assert sum(page["counts"][kind] for kind in ("people", "plan", "pref", "detail")) == 3
    assert "next" in page
    assert page["next"] is None


@pytest.mark.statement(116)
async def test_a_memory_on_the_wire_has_every_field(memory: Any, http: Any, tell: Callable[..., Any]) -> None:
    source = await tell(memory, KIM, title="Contacts")

    (held,) = http.get("/v1/memories").json()["memories"]
    assert set(held) >= {"id", "text", "kind", "about", "status", "learned_at", "said_at", "source"}
    assert type(held["id"]) is int
    assert (held["about"], held["status"], held["kind"]) == ("Kim Park", "current", "people")
    assert held["source"] == {"id": source.id, "kind": "note", "title": "Contacts", "labels": {}}
    for name in ("learned_at", "said_at"):
        assert datetime.fromisoformat(held[name]).tzinfo is not None


@pytest.mark.statement(116, 117)
async def test_walking_with_next_yields_each_memory_once(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, _facts(1, 121))

    first = await memory.memories.list()
    second = await memory.memories.list(cursor=first.next)
    walked = [one.id for one in await memory.memories.iter(page_size=7)]
    assert (len(first.memories), first.next, first.total) == (50, 50, 120)
    assert (len(second.memories), second.next) == (50, 100)
    assert len(walked) == len(set(walked)) == 120
    assert walked == sorted(walked, reverse=True)


@pytest.mark.statement(117)
@pytest.mark.parametrize(("limit", "rows"), [("0", 1), ("-1", 1), ("1000000000", 120), ("500", 120), ("3", 3)])
async def test_a_limit_out_of_range_is_clamped(
    sdk: Any, http: Any, learned: Callable[..., Any], limit: str, rows: int
) -> None:
    learned(sdk, sdk.memories.add(_facts(1, 121)))

    answer = http.get("/v1/memories", params={"limit": limit})

    assert answer.status_code == 200
    assert len(answer.json()["memories"]) == rows


@pytest.mark.statement(117)
async def test_a_cursor_behind_the_end_is_an_empty_last_page(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, KIM)

    page = await memory.memories.list(cursor=10**9)

    assert (page.memories, page.next, page.total) == ([], None, 1)


@pytest.mark.statement(118)
async def test_a_kind_lists_only_its_own_and_counts_stay_whole(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, f"{KIM}\n\n{WHATSAPP}\n\nI'll send the invoice in two weeks.")

    prefs = await memory.memories.list(kind="pref")
    every = await memory.memories.list(kind="all")
    assert [one.text for one in prefs.memories] == [WHATSAPP]
    assert (prefs.total, prefs.counts["all"], prefs.counts["pref"]) == (1, 3, 1)
    assert every.total == 3
    assert {one.kind for one in every.memories} == {"people", "pref", "plan"}


@pytest.mark.statement(119)
@pytest.mark.parametrize("kind", ["nope", "PREF", " pref", "pref,plan", ""])
def test_an_unknown_kind_is_422(http: httpx.Client, kind: str) -> None:
    for answer in (
        http.get("/v1/memories", params={"kind": kind}),
        http.post("/v1/search", json={"q": "x", "kind": kind}),
        http.post("/v1/context", json={"question": "x", "kind": kind}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")


@pytest.mark.statement(120)
async def test_a_memory_is_shown_with_its_quote_and_history(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, KIM + " He joined in 2019.")

    held = {one.text: one for one in (await memory.memories.list()).memories}
    detail = await memory.memories.get(held[KIM].id)
    assert (detail.memory.quote, detail.history) == (KIM, [])
    joined = next(one for text, one in held.items() if "2019" in text)
    assert (await memory.memories.get(joined.id)).memory.quote == "He joined in 2019."


@pytest.mark.statement(120)
@pytest.mark.parametrize("name", ["999999999", "0", "-1", "abc", "1.5", "9" * 40, "memory:1", "%00", "1e3", "١"])
def test_an_unknown_memory_is_404_for_every_verb(http: httpx.Client, name: str) -> None:
    for answer in (
        http.get(f"/v1/memories/{name}"),
        http.delete(f"/v1/memories/{name}"),
        http.patch(f"/v1/memories/{name}", json={"text": KIM}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.statement(121)
async def test_a_changed_value_keeps_the_earlier_one_in_its_history_only(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(memory, "Kiran is on project Atlas.", said_at="2025-03-04")
    await tell(memory, "Kiran moved to project Borealis.", said_at="2025-06-01")

    (held,) = (await memory.memories.list()).memories
    detail = await memory.memories.get(held.id)
    assert held.text == "Kiran moved to project Borealis."
    assert [(one.text, one.status) for one in detail.history] == [("Kiran is on project Atlas.", "replaced")]
    assert "Atlas" not in " ".join(one.text for one in await memory.search("Kiran project"))


@pytest.mark.statement(121)
async def test_history_is_oldest_first(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, "The budget is 1 million euros.", said_at="2025-01-01")
    await tell(memory, "The budget is 2 million euros.", said_at="2025-02-01")
    await tell(memory, "The budget is 3 million euros.", said_at="2025-03-01")

    (held,) = (await memory.memories.list()).memories
    history = [one.text for one in (await memory.memories.get(held.id)).history]
    assert held.text == "The budget is 3 million euros."
    assert history == ["The budget is 1 million euros.", "The budget is 2 million euros."]


@pytest.mark.statement(122)
async def test_a_contradiction_with_no_later_side_is_a_clash_of_both(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, "The budget is 1 million euros.", said_at="2025-03-04")
    await tell(memory, "The budget is 2 million euros.", said_at="2025-03-04")

    page = await memory.memories.list()
    assert [one.status for one in page.memories] == ["clash", "clash"]
    assert page.total == 2


@pytest.mark.statement(123)
async def test_a_corrected_memory_is_never_used_again(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(memory, KIM)
    wrong = (await memory.memories.list()).memories[0]

    done = await memory.memories.correct(wrong.id, "Kim Park works at Globex as CFO.")
    await memory.sources.wait(done["source"]["id"])

    assert (done["id"], done["corrected"]) == (wrong.id, True)
    assert await texts(memory) == ["Kim Park works at Globex as CFO."]
    assert [one.text for one in await memory.search("Where does Kim Park work? Acme")] == [
        "Kim Park works at Globex as CFO."
    ]
    assert "Acme" not in await memory.context("Where does Kim Park work?")
    asked = await memory.ask("Where does Kim Park work?")
    assert "Globex" in asked.answer
    assert "Acme" not in asked.answer


@pytest.mark.statement(124)
async def test_a_correction_is_learned_whole_as_a_source_of_its_own(memory: Any, tell: Callable[..., Any]) -> None:
    source = await tell(memory, KIM)
    wrong = (await memory.memories.list()).memories[0]
    right = "She works at Globex. Not as CFO, but as CEO!"

    done = await memory.memories.correct(wrong.id, right)
    learned = await memory.sources.wait(done["source"]["id"])

    (held,) = (await memory.memories.list()).memories
    assert (learned.kind, learned.status, learned.facts) == ("note", "learned", 1)
    assert learned.id != source.id
    assert (held.text, held.about, held.kind) == (right, "Kim Park", "people")
    assert held.source.id == learned.id
    assert (await memory.memories.get(held.id)).memory.quote == right


@pytest.mark.statement(123)
async def test_a_corrected_memory_stays_wrong_when_its_source_is_sent_again(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(memory, KIM, external_id="crm/1")
    wrong = (await memory.memories.list()).memories[0]
    done = await memory.memories.correct(wrong.id, "Kim Park works at Globex as CFO.")
    await memory.sources.wait(done["source"]["id"])

    await tell(memory, KIM, external_id="crm/1")
    await tell(memory, KIM)

    assert await texts(memory) == ["Kim Park works at Globex as CFO."]


@pytest.mark.statement(125)
async def test_correcting_twice_or_after_forgetting_is_404(memory: Any, tell: Callable[..., Any]) -> None:
    from geniffy import NotFoundError

    await tell(memory, f"{KIM}\n\n{ANA}")
    ana, kim = (await memory.memories.list()).memories
    await memory.memories.correct(kim.id, "Kim Park works at Globex.")
    await memory.memories.delete(ana.id)

    for gone in (kim.id, ana.id, 999_999_999):
        with pytest.raises(NotFoundError) as refused:
            await memory.memories.correct(gone, "Something else.")
        assert refused.value.code == "not_found"


@pytest.mark.statement(123, 125)
@pytest.mark.parametrize("body", [{}, {"text": ""}, {"text": "  "}, {"text": None}, {"text": 7}, {"text": ["a"]}, []])
def test_a_blank_correction_is_422_and_the_memory_stays(
    sdk: Any, http: httpx.Client, learned: Callable[..., Any], body: Any
) -> None:
    learned(sdk, sdk.memories.add(KIM))
    held = sdk.memories.list().memories[0]

    answer = http.patch(f"/v1/memories/{held.id}", json=body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")
    assert [one.text for one in sdk.memories.list().memories] == [KIM]


@pytest.mark.statement(126)
def test_forgetting_is_200_then_404(sdk: Any, http: httpx.Client, learned: Callable[..., Any]) -> None:
    learned(sdk, sdk.memories.add(KIM))
    held = sdk.memories.list().memories[0]

    forgotten = http.delete(f"/v1/memories/{held.id}")

    assert (forgotten.status_code, forgotten.json()["id"], forgotten.json()["deleted"]) == (200, held.id, True)
    assert http.get(f"/v1/memories/{held.id}").status_code == 404
    assert http.delete(f"/v1/memories/{held.id}").status_code == 404


@pytest.mark.statement(127)
async def test_a_forgotten_memory_is_absent_from_every_answer_at_once(memory: Any, tell: Callable[..., Any]) -> None:
    from geniffy import NotFoundError

    await tell(memory, f"{KIM}\n\n{ANA}", title="Contacts")
    await memory.search("Where does Kim Park work?")
    kim = next(one for one in await memory.memories.iter() if one.text == KIM)

    await memory.memories.delete(kim.id)

    assert [one.text for one in await memory.search("Where does Kim Park work?")] == [ANA]
    assert "Acme" not in await memory.context("Where does Kim Park work?")
    asked = await memory.ask("Where does Kim Park work?")
    assert (asked.answer, asked.memories) == (None, [])
    assert (await memory.memories.list()).total == 1
    assert "Acme" not in json.dumps(await memory.profile("Kim Park"))
    assert "Acme" not in json.dumps(await memory.export())
    with pytest.raises(NotFoundError):
        await memory.memories.get(kim.id)


@pytest.mark.statement(127)
async def test_no_byte_of_a_forgotten_memory_is_left_in_the_store(
    memory: Any, tell: Callable[..., Any], files_holding: Callable[[str], list[str]]
) -> None:
    await tell(memory, "The launch word is xylophantasm.\n\nAna lives in Porto.")
    held = next(one for one in await memory.memories.iter() if "xylophantasm" in one.text)
    assert files_holding("xylophantasm")

    await memory.memories.delete(held.id)

    assert files_holding("xylophantasm") == []


@pytest.mark.statement(128)
async def test_sending_the_unchanged_source_again_does_not_bring_it_back(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(memory, f"{KIM}\n\n{ANA}", external_id="crm/1")
    kim = next(one for one in await memory.memories.iter() if one.text == KIM)
    await memory.memories.delete(kim.id)

    await tell(memory, f"{KIM}\n\n{ANA}", external_id="crm/1")

    assert await texts(memory) == [ANA]


@pytest.mark.statement(127)
async def test_forgetting_the_newer_value_does_not_bring_the_older_one_back_into_answers(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(memory, "Kiran is on project Atlas.", said_at="2025-03-04")
    await tell(memory, "Kiran moved to project Borealis.", said_at="2025-06-01")
    (newer,) = (await memory.memories.list()).memories

    await memory.memories.delete(newer.id)

    assert "Borealis" not in json.dumps(await memory.export())
    assert "Borealis" not in " ".join(await texts(memory))
