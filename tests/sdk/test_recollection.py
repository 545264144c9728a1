"""What is recalled for a moment of a conversation: the briefing, or what bears on the user's words."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from geniffy_agents import APIConnectionError, Geniffy, InternalServerError
from geniffy_agents.recollection import KEEP_S, MAX_CUE_CHARS, TRY_BRIEFING_AGAIN_S, Recollections
from tests.sdk.capture import Wire, body_of, outcome

NOTHING = "There is nothing stored about this yet. Say so rather than guessing."


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def off(request: httpx.Request) -> httpx.Response:
    """A server without briefings."""
    if request.url.path.endswith("/briefing"):
        return httpx.Response(404, json={"error": {"code": "not_switched_on", "message": "Not switched on."}})
    known = "Ana" in body_of(request)["question"]
    return httpx.Response(200, json={"context": "- Ana lives in Porto." if known else NOTHING, "empty": not known})


def paths(wire: Wire) -> list[str]:
    return [request.url.path.rpartition("/")[2] for request in wire.sent]


@pytest.fixture(params=["blocking", "asyncio"])
def reads(request: pytest.FixtureRequest) -> Any:
    """Reads through either client: `await reads(recollections, wire, cue)`."""

    async def read(recollections: Recollections, wire: Wire, cue: str, **options: Any) -> str:
        if request.param == "blocking":
            return recollections.read(wire.client(max_retries=0, **options), cue)
        return await outcome(recollections.aread(wire.async_client(max_retries=0, **options), cue))

    return read


async def test_the_briefing_is_asked_with_the_users_words(reads: Any, clock: Clock) -> None:
    wire = Wire()

    text = await reads(Recollections(project="lumen", budget_chars=900, clock=clock), wire, "Who signs?")

    assert text == "Where things stand:"
    assert body_of(wire.sent[0]) == {"cue": "Who signs?", "budget_chars": 900, "project": "lumen"}


async def test_without_briefings_what_bears_is_read_and_the_briefing_is_tried_again_later(
    reads: Any, clock: Clock
) -> None:
    wire, recollections = Wire(off), Recollections(clock=clock)

    assert await reads(recollections, wire, "Where is Ana?") == "- Ana lives in Porto."
    await reads(recollections, wire, "And Ana's son?")
    assert paths(wire) == ["briefing", "context", "context"]
    clock.now += TRY_BRIEFING_AGAIN_S
    await reads(recollections, wire, "Where is Ana?")
    assert paths(wire)[3:] == ["briefing", "context"]


async def test_that_nothing_bears_is_told_in_the_servers_words_and_not_as_an_empty_memory(
    reads: Any, clock: Clock
) -> None:
    assert await reads(Recollections(clock=clock), Wire(off), "thanks!") == NOTHING


async def test_without_briefings_a_blank_cue_asks_nothing(reads: Any, clock: Clock) -> None:
    wire = Wire(off)

    assert await reads(Recollections(clock=clock), wire, " ") == ""
    assert paths(wire) == ["briefing"]


async def test_the_same_words_in_the_same_space_are_asked_once_until_they_are_old(reads: Any, clock: Clock) -> None:
    wire, recollections = Wire(off), Recollections(clock=clock)

    for space in ("a", "a", "b"):
        await reads(recollections, wire, "Where is Ana?", space=space)
    assert paths(wire) == ["briefing", "context", "briefing", "context"]
    clock.now += KEEP_S
    await reads(recollections, wire, "Where is Ana?", space="a")
    assert paths(wire)[4:] == ["context"]


async def test_what_was_kept_of_a_space_is_dropped_when_something_was_saved_there(reads: Any, clock: Clock) -> None:
    wire, recollections = Wire(), Recollections(clock=clock)

    await reads(recollections, wire, "Where is Ana?", space="a")
    recollections.forget(wire.client(space="a"))
    await reads(recollections, wire, "Where is Ana?", space="a")

    assert len(wire.sent) == 2


async def test_two_accounts_never_see_what_was_kept_for_the_other(clock: Clock) -> None:
    wire, recollections = Wire(), Recollections(clock=clock)

    recollections.read(Geniffy("gnf_one", http_client=wire.http()), "Where is Ana?")
    recollections.read(Geniffy("gnf_two", http_client=wire.http()), "Where is Ana?")

    assert len(wire.sent) == 2


async def test_what_was_read_while_something_was_saved_is_not_kept(reads: Any, clock: Clock) -> None:
    def saving(request: httpx.Request) -> httpx.Response:
        recollections.forget(wire.client(space="a"))
        return httpx.Response(200, json={"briefing": "From before."})

    wire, recollections = Wire(saving), Recollections(clock=clock)

    for _ in range(2):
        await reads(recollections, wire, "Where is Ana?", space="a")
    assert len(wire.sent) == 2


async def test_a_server_that_is_away_is_asked_once_for_the_same_words(reads: Any, clock: Clock) -> None:
    def away(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    wire, recollections = Wire(away), Recollections(clock=clock)

    for _ in range(3):
        with pytest.raises(APIConnectionError):
            await reads(recollections, wire, "Where is Ana?")
    assert len(wire.sent) == 1
    clock.now += KEEP_S
    with pytest.raises(APIConnectionError):
        await reads(recollections, wire, "Where is Ana?")
    assert len(wire.sent) == 2


async def test_a_failing_briefing_is_no_reason_to_read_something_else(reads: Any, clock: Clock) -> None:
    broken = {"error": {"code": "memory_unavailable", "message": "Away."}}
    wire = Wire(lambda request: httpx.Response(503, json=broken))

    with pytest.raises(InternalServerError):
        await reads(Recollections(clock=clock), wire, "Where is Ana?")
    assert paths(wire) == ["briefing"]


async def test_a_cue_that_no_call_can_carry_is_asked_without_what_it_can_not_carry(reads: Any, clock: Clock) -> None:
    wire = Wire()

    await reads(Recollections(clock=clock), wire, "Where\ud800 is\x00 Ana?")

    assert body_of(wire.sent[0])["cue"] == "Where\ufffd is\ufffd Ana?"


async def test_a_long_cue_is_cut_rather_than_refused(reads: Any, clock: Clock) -> None:
    wire = Wire()

    await reads(Recollections(clock=clock), wire, "x" * 60_000)

    assert len(body_of(wire.sent[0])["cue"]) == MAX_CUE_CHARS


async def test_what_is_read_instead_of_a_briefing_keeps_to_whole_lines_within_the_budget(
    reads: Any, clock: Clock
) -> None:
    lines = "\n".join(f"- Ana, memory {n}." for n in range(100))

    def long(request: httpx.Request) -> httpx.Response:
        reply = off(request)
        return reply if reply.status_code == 404 else httpx.Response(200, json={"context": lines, "empty": False})

    text = await reads(Recollections(budget_chars=500, clock=clock), Wire(long), "Where is Ana?")

    assert len(text) <= 500
    assert lines.startswith(text + "\n")
