"""Conversations saved as they go."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import geniffy
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_agents import GeniffyError, InternalServerError
from tests.sdk.capture import BASE_URL, KEY, SOURCE, Wire, body_of, outcome

WAIT_S = 20.0
OVERLAP_S = 0.3  # how long a first save gives a second one to come in its way, were there no lock


def said(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text} for text in texts]


def texts_of(request: httpx.Request) -> list[str]:
    return [message["content"] for message in body_of(request)["messages"]]


@pytest.fixture(params=["blocking", "asyncio"])
def wire_and_client(request: pytest.FixtureRequest) -> tuple[Wire, Any]:
    wire = Wire()
    return wire, wire.client() if request.param == "blocking" else wire.async_client()


async def test_each_save_sends_only_what_is_new(wire_and_client: tuple[Wire, Any]) -> None:
    wire, client = wire_and_client
    session = client.session("run-42", title="Refunds", labels={"team": "sales"})

    first = await outcome(session.save(said("a", "b")))
    second = await outcome(session.save(said("a", "b", "c")))

    assert [texts_of(request) for request in wire.sent] == [["a", "b"], ["c"]]
    assert first.id == second.id == SOURCE["id"]
    for request in wire.sent:
        body = body_of(request)
        assert (body["session"], body["title"], body["labels"]) == ("run-42", "Refunds", {"team": "sales"})


async def test_a_save_of_nothing_new_calls_nothing_and_returns_none(wire_and_client: tuple[Wire, Any]) -> None:
    wire, client = wire_and_client
    session = client.session("run-42")

    assert await outcome(session.save([])) is None
    await outcome(session.save(said("a")))
    assert await outcome(session.save(said("a"))) is None
    assert len(wire.sent) == 1


async def test_a_message_that_is_said_again_is_new_each_time(wire_and_client: tuple[Wire, Any]) -> None:
    wire, client = wire_and_client
    session = client.session("run-42")

    await outcome(session.save(said("a", "Okay.")))
    await outcome(session.save(said("a", "Okay.", "b", "Okay.")))

    assert texts_of(wire.sent[1]) == ["b", "Okay."]


async def test_a_history_that_was_shortened_goes_on_after_the_last_message_sent(
    wire_and_client: tuple[Wire, Any],
) -> None:
    wire, client = wire_and_client
    session = client.session("run-42")

    await outcome(session.save(said("a", "b", "c", "d")))
    await outcome(session.save(said("(summary)", "c", "d", "e")))

    assert texts_of(wire.sent[1]) == ["e"]


async def test_a_history_that_was_rewritten_is_sent_whole(wire_and_client: tuple[Wire, Any]) -> None:
    wire, client = wire_and_client
    session = client.session("run-42")

    await outcome(session.save(said("a", "b")))
    await outcome(session.save(said("(summary)", "c")))

    assert texts_of(wire.sent[1]) == ["(summary)", "c"]


async def test_the_order_of_keys_in_a_message_makes_it_no_other_message(wire_and_client: tuple[Wire, Any]) -> None:
    session = wire_and_client[1].session("run-42")

    await outcome(session.save([{"role": "user", "content": "a"}]))

    assert await outcome(session.save([{"content": "a", "role": "user"}])) is None


async def test_a_long_conversation_goes_in_parts_of_500(wire_and_client: tuple[Wire, Any]) -> None:
    wire, client = wire_and_client

    await outcome(client.session("run-42").save(said(*map(str, range(1201)))))

    assert [len(texts_of(request)) for request in wire.sent] == [500, 500, 201]
    assert [text for request in wire.sent for text in texts_of(request)] == [str(n) for n in range(1201)]


async def test_after_a_part_that_failed_the_next_save_sends_it_and_what_follows() -> None:
    def fails_once(request: httpx.Request) -> httpx.Response:
        if len(wire.sent) == 2:
            return httpx.Response(500, json={"error": {"code": "internal", "message": "Broken."}})
        return httpx.Response(201, json={"source": SOURCE})

    for made in (Wire.client, Wire.async_client):
        wire = Wire(fails_once)
        session = made(wire).session("run-42")
        whole = said(*map(str, range(900)))

        with pytest.raises(InternalServerError):
            await outcome(session.save(whole))
        await outcome(session.save([*whole, *said("last")]))

        assert [len(texts_of(request)) for request in wire.sent] == [500, 400, 400, 1]
        assert texts_of(wire.sent[2])[0] == "500"


LOST, REFUSED = "lost", "refused"


@pytest.mark.parametrize(
    ("first", "then", "sent"),
    [
        pytest.param(LOST, said("a", "b", "c"), [["a", "b"], ["c"]], id="lost: it may have arrived"),
        pytest.param(LOST, said("a", "b"), [["a", "b"]], id="lost, and nothing was said since"),
        pytest.param(LOST, said("(summary)", "c"), [["(summary)", "c"]], id="lost, and rewritten since"),
        pytest.param(REFUSED, said("a", "b", "c"), [["a", "b", "c"]], id="refused: it is not there"),
    ],
)
async def test_what_was_sent_in_vain_goes_again_just_as_it_was_where_it_may_have_arrived(
    first: str, then: list[dict[str, Any]], sent: list[list[str]]
) -> None:
    def fails_once(request: httpx.Request) -> httpx.Response:
        if len(wire.sent) > 1:
            return httpx.Response(201, json={"source": SOURCE})
        if first == LOST:
            raise httpx.ReadTimeout(first)
        return httpx.Response(402, json={"error": {"code": "allowance_used", "message": "Used up."}})

    for made in (Wire.client, Wire.async_client):
        wire = Wire(fails_once)
        session = made(wire).session("run-42")

        with pytest.raises(GeniffyError):
            await outcome(session.save(said("a", "b")))
        await outcome(session.save(then))

        assert [texts_of(request) for request in wire.sent[1:]] == sent


histories = st.lists(st.lists(st.sampled_from("abc"), max_size=6), max_size=6)


@given(histories)
def test_any_course_of_histories_is_sent_as_the_published_client_sends_it(course: list[list[str]]) -> None:
    ours, theirs = Wire(), Wire()
    mine = ours.client().session("s")
    known = geniffy.Geniffy(KEY, base_url=BASE_URL, http_client=theirs.http()).session("s")

    for history in course:
        assert (mine.save(said(*history)) is None) == (known.save(said(*history)) is None)

    assert ours.lines == theirs.lines


@given(st.lists(st.lists(st.text("ab", min_size=1, max_size=2), max_size=4), max_size=5))
def test_a_conversation_that_only_grows_arrives_whole_and_once(additions: list[list[str]]) -> None:
    wire = Wire()
    session = wire.client().session("s")
    whole: list[str] = []

    for addition in additions:
        whole += addition
        session.save(said(*whole))

    assert [text for request in wire.sent for text in texts_of(request)] == whole


def test_saves_from_several_threads_wait_for_one_another() -> None:
    arrived, overlapped = threading.Event(), threading.Event()

    def slow(request: httpx.Request) -> httpx.Response:
        if arrived.is_set():
            overlapped.set()
        else:
            arrived.set()
            overlapped.wait(OVERLAP_S)
        return httpx.Response(201, json={"source": SOURCE})

    wire = Wire(slow)
    session = wire.client().session("run-42")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(session.save, said("a", "b"))
        assert arrived.wait(WAIT_S)
        second = pool.submit(session.save, said("a", "b", "c"))
        first.result(WAIT_S)
        second.result(WAIT_S)

    assert [texts_of(request) for request in wire.sent] == [["a", "b"], ["c"]]


async def test_saves_at_once_on_one_loop_wait_for_one_another() -> None:
    held = asyncio.Event()
    arrived = asyncio.Event()

    async def slow(request: httpx.Request) -> httpx.Response:
        sent.append(texts_of(request))
        arrived.set()
        await held.wait()
        return httpx.Response(201, json={"source": SOURCE})

    sent: list[list[str]] = []
    client = geniffy_async(slow)
    session = client.session("run-42")
    whole = said("a", "b")

    first = asyncio.create_task(session.save(whole))
    await asyncio.wait_for(arrived.wait(), WAIT_S)
    second = asyncio.create_task(session.save([*whole, *said("c")]))
    held.set()
    await asyncio.wait_for(asyncio.gather(first, second), WAIT_S)

    assert sent == [["a", "b"], ["c"]]


def geniffy_async(answer: Any) -> Any:
    from geniffy_agents import AsyncGeniffy

    return AsyncGeniffy(KEY, base_url=BASE_URL, http_client=httpx.AsyncClient(transport=httpx.MockTransport(answer)))


@pytest.mark.parametrize("session_id", ["", " ", "\n"])
def test_a_blank_session_is_refused(wire_and_client: tuple[Wire, Any], session_id: str) -> None:
    with pytest.raises(ValueError, match="blank"):
        wire_and_client[1].session(session_id)


@pytest.mark.parametrize("session_id", [None, True])
def test_a_missing_session_is_not_a_session_of_that_name(wire_and_client: tuple[Wire, Any], session_id: Any) -> None:
    with pytest.raises(TypeError, match="your id of a conversation"):
        wire_and_client[1].session(session_id)


@pytest.mark.parametrize(
    ("session_id", "name"),
    [(42, "42"), (UUID(int=1), "00000000-0000-0000-0000-000000000001"), ("thread/1", "thread/1")],
)
def test_a_session_is_known_by_the_words_of_its_id(
    wire_and_client: tuple[Wire, Any], session_id: Any, name: str
) -> None:
    assert wire_and_client[1].session(session_id).id == name


def test_what_is_no_message_is_refused_and_nothing_counts_as_sent() -> None:
    wire = Wire()
    session = wire.client().session("run-42")
    wrong: Iterable[Any] = ["hello"]

    with pytest.raises(TypeError, match="A message is an object"):
        session.save(wrong)
    session.save(said("hello"))

    assert [texts_of(request) for request in wire.sent] == [["hello"]]


def test_an_answer_without_a_source_counts_as_not_sent() -> None:
    replies = iter([httpx.Response(201, json={}), httpx.Response(201, json={"source": SOURCE})])
    wire = Wire(lambda request: next(replies))
    session = wire.client().session("run-42")

    with pytest.raises(GeniffyError):
        session.save(said("a"))
    session.save(said("a"))

    assert len(wire.sent) == 2
