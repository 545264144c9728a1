"""What a call fails with."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import geniffy
import httpx
import pytest

import geniffy_agents
from geniffy_agents import (
    APIConnectionError,
    AuthenticationError,
    BadRequestError,
    ChangedError,
    GeniffyError,
    InternalServerError,
    NotFoundError,
    RateLimitError,
    UnreadableError,
    UsageLimitError,
)
from tests.sdk.capture import BASE_URL, KEY, SOURCE, Wire, outcome, script

CODES = [
    (401, "bad_key", AuthenticationError),
    (402, "allowance_used", UsageLimitError),
    (403, "wrong_space", AuthenticationError),
    (403, "not_allowed", AuthenticationError),
    (404, "not_found", NotFoundError),
    (404, "not_switched_on", NotFoundError),
    (405, "method_not_allowed", GeniffyError),
    (409, "conflict", BadRequestError),
    (412, "changed", ChangedError),
    (413, "too_long", BadRequestError),
    (413, "too_large", BadRequestError),
    (422, "invalid_request", BadRequestError),
    (422, "bad_path", BadRequestError),
    (422, "bad_external_id", BadRequestError),
    (422, "bad_space", BadRequestError),
    (422, "bad_labels", BadRequestError),
    (422, "bad_date", BadRequestError),
    (422, "unreadable", UnreadableError),
    (429, "busy", RateLimitError),
    (500, "internal", InternalServerError),
    (502, "memory_unavailable", InternalServerError),
    (503, "memory_unavailable", InternalServerError),
]


def refusal(status: int, code: str | None, **extra: Any) -> httpx.Response:
    error = {"code": code, "message": "It was refused.", **extra}
    return httpx.Response(status, headers={"X-Request-ID": "r-1", "Retry-After": "0"}, json={"error": error})


@pytest.mark.parametrize(("status", "code", "expected"), CODES)
async def test_each_code_of_the_contract_has_its_class_on_both_clients(
    status: int, code: str, expected: type[GeniffyError]
) -> None:
    wire = Wire(lambda request: refusal(status, code))

    for client in (wire.client(max_retries=0), wire.async_client(max_retries=0)):
        with pytest.raises(GeniffyError) as raised:
            await outcome(client.me())
        assert type(raised.value) is expected
        assert (raised.value.status, raised.value.code) == (status, code)
        assert raised.value.message == "It was refused."
        assert raised.value.request_id == "r-1"
        assert str(raised.value) == "It was refused. (request r-1)"
        assert raised.value.body["error"]["code"] == code


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [(409, "changed", ChangedError), (400, "unreadable", UnreadableError), (400, "not_found", NotFoundError)],
)
def test_the_code_decides_before_the_status(status: int, code: str, expected: type[GeniffyError]) -> None:
    with pytest.raises(expected):
        Wire(lambda request: refusal(status, code)).client().me()


@pytest.mark.parametrize(
    ("status", "code"),
    [(status, code) for status, code, _ in CODES if status != 412]
    + list(
        itertools.product([400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 422, 429, 500, 503, 599], [None, "new"])
    ),
)
def test_the_class_has_the_name_that_the_published_client_has_for_it(status: int, code: str | None) -> None:
    wire = Wire(lambda request: refusal(status, code))
    theirs = geniffy.Geniffy(KEY, base_url=BASE_URL, http_client=wire.http(), max_retries=0)

    with pytest.raises(geniffy.GeniffyError) as known:
        theirs.me()
    with pytest.raises(GeniffyError) as raised:
        wire.client(max_retries=0).me()

    assert type(raised.value).__name__ == type(known.value).__name__
    assert str(raised.value) == str(known.value)
    assert (raised.value.status, raised.value.code) == (known.value.status, known.value.code)


def test_every_class_of_the_published_client_has_one_here_in_the_same_place() -> None:
    for name in geniffy.__all__:
        theirs = getattr(geniffy, name)
        if isinstance(theirs, type) and issubclass(theirs, Exception):
            ours = getattr(geniffy_agents, name)
            assert {each.__name__ for each in ours.__mro__} >= {each.__name__ for each in theirs.__mro__}


def test_what_could_not_be_read_names_the_source_it_left() -> None:
    failed = {**SOURCE, "status": "failed", "error": "It is a scan."}
    wire = Wire(lambda request: refusal(422, "unreadable", source=failed))

    with pytest.raises(UnreadableError) as raised:
        wire.client().memories.add(url="https://example.com")

    assert raised.value.source == failed


def test_an_error_that_left_no_source_names_none() -> None:
    assert GeniffyError("x").source is None
    assert GeniffyError("x", body={"error": "x"}).source is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"detail": "Not here."}', "Not here."),
        (b"{}", "The server answered 418."),
        (b"", "The server answered 418."),
        (b"[]", "The server answered 418: []"),
        (b"<h1>Bad\ngateway</h1>", "The server answered 418: <h1>Bad gateway</h1>"),
        (b"\xff\xfe", "The server answered 418: \ufffd\ufffd"),
    ],
)
def test_an_answer_from_something_else_is_told_as_far_as_it_goes(body: bytes, message: str) -> None:
    wire = Wire(lambda request: httpx.Response(418, content=body))

    with pytest.raises(GeniffyError) as raised:
        wire.client().me()

    assert str(raised.value) == message


@pytest.mark.parametrize("body", [b"<html></html>", b"[]", b'"x"', b"\xff"])
def test_a_success_that_is_not_a_json_object_is_an_error(body: bytes) -> None:
    wire = Wire(lambda request: httpx.Response(200, content=body, headers={"X-Request-ID": "r-1"}))

    with pytest.raises(GeniffyError, match="base_url") as raised:
        wire.client().me()

    assert raised.value.code == "bad_response"
    assert raised.value.request_id == "r-1"


def test_an_empty_success_is_an_empty_object() -> None:
    assert Wire(lambda request: httpx.Response(204)).client().spaces() == []


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.memories.add("t"),
        lambda client: client.memories.add_file(b"t"),
        lambda client: client.memories.get(3),
        lambda client: client.sources.get("abc"),
        lambda client: client.files.get("/a"),
        lambda client: client.context("q"),
        lambda client: client.briefing(),
        lambda client: client.set_intention(3),
        lambda client: client.keys.create(),
        lambda client: client.session("s").save([{"role": "user", "content": "hi"}]),
    ],
)
def test_an_answer_without_its_main_part_is_an_error_and_not_a_missing_key(call: Any) -> None:
    wire = Wire(lambda request: httpx.Response(200, json={}))

    with pytest.raises(GeniffyError, match="without") as raised:
        call(wire.client())

    assert raised.value.code == "bad_response"


@pytest.mark.parametrize(
    ("call", "body"),
    [
        (lambda client: client.memories.add("t"), {"source": "x"}),
        (lambda client: client.memories.get(3), {"memory": []}),
        (lambda client: client.memories.get(3), {"memory": {"id": 3}, "history": 5}),
        (lambda client: client.memories.list(), {"memories": 5}),
        (lambda client: client.memories.list(), {"memories": [None]}),
        (lambda client: client.memories.list(), {"memories": [], "counts": [1]}),
        (lambda client: client.search("q"), {"memories": [{"id": "0b5e-uuid"}]}),
        (lambda client: client.search("q"), {"memories": [{"id": 3, "source": {"labels": "x"}}]}),
        (lambda client: client.search_full("q"), {"memories": [], "lessons": 5}),
        (lambda client: list(client.sources.iterate()), {"sources": [], "next": "z"}),
        (lambda client: client.sources.list(), {"sources": [], "total": "q"}),
        (lambda client: client.sources.delete_labelled({"a": "b"}), {"sources_deleted": "x"}),
        (lambda client: client.files.get("/a"), {"text": 5}),
        (lambda client: client.files.list(), {"files": {"path": "/a"}}),
        (lambda client: client.files.move("/a", "/b"), {"moved": "all"}),
        (lambda client: client.context("q"), {"context": ["a line"]}),
        (lambda client: client.briefing(), {"briefing": {}}),
        (lambda client: client.keys.create(), {"id": []}),
        (lambda client: client.spaces(), {"spaces": "x"}),
    ],
)
def test_an_answer_of_another_shape_is_an_error_of_this_client_so_that_it_stops_no_agent(
    call: Any, body: dict[str, Any]
) -> None:
    wire = Wire(lambda request: httpx.Response(200, json=body))

    with pytest.raises(GeniffyError, match=r"as '.*base_url") as raised:
        call(wire.client())

    assert raised.value.code == "bad_response"


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (httpx.ConnectError("refused"), r"Nothing answers at http://h:1/pre \(refused\)"),
        (httpx.ConnectTimeout(""), r"No answer in time from http://h:1/pre \(ConnectTimeout\)"),
        (httpx.ReadTimeout(""), r"No answer in time from http://h:1/pre \(ReadTimeout\)"),
        (httpx.RemoteProtocolError("closed"), r"The connection to http://h:1/pre broke \(closed\)"),
        (httpx.DecodingError("bad gzip"), r"The connection to http://h:1/pre broke \(bad gzip\)"),
    ],
)
async def test_no_answer_says_where_and_why(failure: Exception, words: str) -> None:
    wire = Wire(script(failure, failure))

    for client in (wire.client(max_retries=0), wire.async_client(max_retries=0)):
        with pytest.raises(APIConnectionError, match=words) as raised:
            await outcome(client.me())
        assert raised.value.status is None
        assert raised.value.request_id is None


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_an_add_is_sent_once_whatever_the_server_fails_with(status: int) -> None:
    wire = Wire(lambda request: refusal(status, "internal"))

    for client in (wire.client(), wire.async_client()):
        with pytest.raises(InternalServerError):
            await outcome(client.memories.add("t"))
    assert len(wire.sent) == 2


async def test_an_add_that_broke_off_is_sent_once() -> None:
    wire = Wire(script(httpx.ReadError("reset"), httpx.ReadTimeout("")))

    for client in (wire.client(), wire.async_client()):
        with pytest.raises(APIConnectionError):
            await outcome(client.memories.add("t"))
    assert len(wire.sent) == 2


async def test_a_busy_server_is_asked_again_also_for_an_add() -> None:
    for made in (Wire.client, Wire.async_client):
        wire = Wire(script(refusal(429, "busy"), refusal(429, "busy"), httpx.Response(201, json={"source": SOURCE})))

        assert (await outcome(made(wire).memories.add("t"))).status == "learned"

        assert len(wire.sent) == 3


def test_max_retries_0_sends_once() -> None:
    wire = Wire(lambda request: refusal(503, "memory_unavailable"))

    with pytest.raises(InternalServerError):
        wire.client(max_retries=0).me()

    assert len(wire.sent) == 1


@pytest.mark.parametrize("copied", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_survives_being_copied_and_pickled(copied: Any) -> None:
    error = NotFoundError("Gone.", status=404, code="not_found", body={"error": {}}, request_id="r-1")

    again = copied(error)

    assert type(again) is NotFoundError
    assert (str(again), again.status, again.code, again.body) == (str(error), 404, "not_found", {"error": {}})
