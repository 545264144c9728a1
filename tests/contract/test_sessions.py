"""Sessions saved as they go: contract 7.F."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from geniffy_server.storage.sources import SourceRows


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def agent(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


ANA = user("My sister Ana lives in Porto.")
MIA = user("My friend Mia plays the violin.")


@pytest.mark.statement(78)
async def test_two_calls_with_one_session_are_one_source(memory: Any) -> None:
    first = await memory.memories.add(messages=[ANA, agent("Noted.")], session="run-42")
    second = await memory.memories.add(messages=[MIA], session="run-42")

    assert second.id == first.id
    assert (await memory.sources.list()).total == 1
    assert (await memory.sources.get(external_id="run-42")).id == first.id


@pytest.mark.statement(79)
async def test_saving_800_messages_makes_two_calls_and_one_source(memory: Any, turns: Callable[[str], Any]) -> None:
    talk = [(user if n % 2 == 0 else agent)(f"thanks! ({n})") for n in range(800)]

    source = await memory.session("long").save(talk)

    assert (await memory.sources.list()).total == 1
    assert [turn.text for turn in turns(source.id)] == [one["content"] for one in talk]


async def test_a_save_reads_no_more_of_its_session_than_the_turns_before_it(
    memory: Any, tell: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = [user(f"Nurse {n} works in ward {n}.") for n in range(60)]
    source = await tell(memory, messages=talk, session="run-42")
    read: list[int] = []
    for name, held in (("turns", SourceRows.turns), ("passages", SourceRows.passages)):

        def counted(*of: Any, rows: Callable[..., Any] = held) -> Any:
            found = rows(*of)
            if source.id in of:
                read.append(len(found))
            return found

        monkeypatch.setattr(SourceRows, name, counted)

    await tell(memory, messages=[ANA, MIA], session="run-42")

    assert read
    assert max(read) < 10


@pytest.mark.statement(79)
async def test_saving_a_conversation_again_sends_only_what_is_new(memory: Any, turns: Callable[[str], Any]) -> None:
    session = memory.session("run-42", title="A talk")
    source = await session.save([ANA, agent("Noted.")])

    assert await session.save([ANA, agent("Noted.")]) is None
    await session.save([ANA, agent("Noted."), MIA])

    assert [turn.text for turn in turns(source.id)] == [ANA["content"], "Noted.", MIA["content"]]


@pytest.mark.statement(81)
@pytest.mark.parametrize(
    "body",
    [
        {"messages": [ANA], "external_id": "crm/1"},
        {"messages": [ANA], "said_at": "2025-03-04"},
        {"text": "a note"},
        {"url": "http://127.0.0.1:1/page"},
        {},
    ],
)
def test_a_session_goes_with_messages_alone(http: httpx.Client, body: dict[str, Any]) -> None:
    answer = http.post("/v1/memories", json={"session": "run-42", **body})

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")
    assert http.get("/v1/sources").json()["total"] == 0


@pytest.mark.statement(82)
async def test_a_session_id_belongs_to_its_space(person: Any) -> None:
    left = await person.space("left").memories.add(messages=[ANA], session="run-42")
    right = await person.space("right").memories.add(messages=[MIA], session="run-42")

    assert left.id != right.id
    assert (await person.space("left").sources.list()).total == 1


@pytest.mark.statement(83)
async def test_what_was_said_in_both_calls_is_recalled_together(
    memory: Any, tell: Callable[..., Any], texts: Callable[..., Any]
) -> None:
    await tell(memory, messages=[ANA], session="run-42")
    source = await tell(memory, messages=[MIA], session="run-42")

    said = " ".join(await texts(memory))
    assert "Porto" in said
    assert "violin" in said
    assert source.facts == 2
    assert "Porto" in await memory.context("Where does Ana live?")
    assert "violin" in await memory.context("What does Mia play?")


@pytest.mark.statement(84)
async def test_words_said_again_in_later_turns_are_kept_each_time(memory: Any, turns: Callable[[str], Any]) -> None:
    okay = user("Okay.")
    session = memory.session("run-42")
    source = await session.save([okay, agent("First."), okay])
    await session.save([okay, agent("First."), okay, agent("Second."), okay])
    await memory.memories.add(messages=[okay], session="other")
    await memory.memories.add(messages=[agent("Third."), okay], session="run-42")

    assert [turn.text for turn in turns(source.id)] == [
        "Okay.",
        "First.",
        "Okay.",
        "Second.",
        "Okay.",
        "Third.",
        "Okay.",
    ]


@pytest.mark.statement(85)
async def test_a_compacted_history_sent_again_does_not_fail(
    memory: Any, tell: Callable[..., Any], turns: Callable[[str], Any]
) -> None:
    first = await tell(memory, messages=[ANA, agent("Noted."), MIA], session="run-42")
    again = await tell(memory, messages=[user("Summary: Ana and Mia were named."), MIA], session="run-42")

    assert again.id == first.id
    assert (await memory.memories.list()).total >= 2
    assert "Summary: Ana and Mia were named." in [turn.text for turn in turns(first.id)]


@pytest.mark.statement(85)
async def test_the_same_call_sent_twice_keeps_its_turns_once(memory: Any, turns: Callable[[str], Any]) -> None:
    talk = [ANA, agent("Noted, I'll remember where Ana lives.")]
    first = await memory.memories.add(messages=talk, session="run-42")
    await memory.memories.add(messages=talk, session="run-42")

    assert [turn.text for turn in turns(first.id)] == [one["content"] for one in talk]


@pytest.mark.statement(85)
async def test_one_long_message_sent_twice_is_kept_once(memory: Any, turns: Callable[[str], Any]) -> None:
    talk = [user("My sister Ana lives in Lisbon and works at the aquarium.")]
    first = await memory.memories.add(messages=talk, session="run-42")
    await memory.memories.add(messages=talk, session="run-42")

    assert [turn.text for turn in turns(first.id)] == [talk[0]["content"]]


async def test_the_same_words_under_other_labels_are_said_again(memory: Any, turns: Callable[[str], Any]) -> None:
    words = [user("Where is order 7, the one of Monday?"), agent("It was shipped on Tuesday.")]
    for saved in ("2", "4", "4"):  # the last call is the second one, sent again
        source = await memory.memories.add(messages=words, session="run-42", labels={"saved": saved})

    assert [turn.text for turn in turns(source.id)] == [one["content"] for one in words * 2]


@pytest.mark.statement(86)
def test_parallel_appends_to_one_session_lose_no_turn_and_never_interleave(
    sdk: Any, turns: Callable[[str], Any], learned: Callable[..., Any]
) -> None:
    def append(number: int) -> Any:
        part = [user(f"Question {number}.{n}?") for n in range(5)]
        return sdk.memories.add(messages=part, session="run-42")

    with ThreadPoolExecutor(8) as pool:
        sources = list(pool.map(append, range(16)))

    assert len({one.id for one in sources}) == 1
    kept = [turn.text for turn in turns(sources[0].id)]
    assert sorted(kept) == sorted(f"Question {number}.{n}?" for number in range(16) for n in range(5))
    assert all(
        [one.partition(".")[2] for one in kept[i : i + 5]] == ["0?", "1?", "2?", "3?", "4?"] for i in range(0, 80, 5)
    )
    assert learned(sdk, sources[0]).facts == 0


@pytest.mark.statement(100)
async def test_only_instructions_are_422_in_a_note_and_an_empty_source_in_a_session(
    memory: Any, http: Any, tell: Callable[..., Any]
) -> None:
    only = [{"role": "system", "content": "Be kind."}]

    refused = http.post("/v1/memories", json={"messages": only})
    source = await tell(memory, messages=only, session="run-42")

    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid_request")
    assert source.facts == 0
    assert (await memory.sources.list()).total == 1


@pytest.mark.statement(101)
async def test_the_first_title_of_a_session_is_kept(memory: Any) -> None:
    await memory.memories.add(messages=[ANA], session="run-42")
    first = await memory.memories.add(messages=[MIA], session="run-42", title="Where Ana lives")
    second = await memory.memories.add(messages=[user("And Ben?")], session="run-42", title="And Ben?")

    assert (first.title, second.title) == ("Where Ana lives", "Where Ana lives")


@pytest.mark.statement(66, 78)
async def test_labels_of_a_session_are_replaced_when_given_and_kept_when_not(memory: Any) -> None:
    first = await memory.memories.add(messages=[ANA], session="run-42", labels={"project": "apollo"})
    kept = await memory.memories.add(messages=[MIA], session="run-42")
    replaced = await memory.memories.add(messages=[user("Okay.")], session="run-42", labels={"project": "lumen"})

    assert [one.labels for one in (first, kept, replaced)] == [
        {"project": "apollo"},
        {"project": "apollo"},
        {"project": "lumen"},
    ]


@pytest.mark.statement(78)
async def test_after_its_source_is_deleted_a_session_starts_afresh(
    memory: Any, tell: Callable[..., Any], turns: Callable[[str], Any]
) -> None:
    first = await tell(memory, messages=[ANA], session="run-42")
    await memory.sources.delete(first.id)
    second = await tell(memory, messages=[MIA], session="run-42")

    assert second.id != first.id
    assert [turn.text for turn in turns(second.id)] == [MIA["content"]]


@pytest.mark.statement(78, 39)
async def test_a_session_that_grew_is_reading_until_it_is_learned(memory: Any, tell: Callable[..., Any]) -> None:
    await tell(memory, messages=[ANA], session="run-42")

    grown = await memory.memories.add(messages=[MIA], session="run-42")

    assert grown.status == "reading"
