"""What each call sends: the wire contract's own table, and the same as the published client sends."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from types import MappingProxyType
from typing import Any

import geniffy
import httpx
import pytest

from tests.sdk.capture import BASE_URL, KEY, Wire, body_of, ordered, outcome, shown

Call = Callable[[Any], Any]
CHAT = [{"role": "user", "content": "hi"}]

# The table of captured requests: a call, and the one line it sends.
TABLE: list[tuple[Call, str]] = [
    (
        lambda c: c.memories.add("héllo", title="T", external_id="x/1", labels={"a:b": "c d&e"}),
        'POST /pre/v1/memories {"text":"héllo","title":"T","external_id":"x/1","labels":{"a:b":"c d&e"}}',
    ),
    (lambda c: c.memories.add(url="http://x"), 'POST /pre/v1/memories {"url":"http://x"}'),
    (
        lambda c: c.memories.add(messages=CHAT, session="42", labels={"p": "q"}, title="t"),
        'POST /pre/v1/memories {"messages":[{"role":"user","content":"hi"}],"session":"42","labels":{"p":"q"},'
        '"title":"t"}',
    ),
    (lambda c: c.memories.add_many([{"text": "a"}]), 'POST /pre/v1/memories/batch {"items":[{"text":"a"}]}'),
    (
        lambda c: c.memories.list(labels={"channel": ["email", "c h"], "a": "b:c:d"}, kind="people"),
        "GET /pre/v1/memories?limit=50&cursor=0&label=channel%3Aemail&label=channel%3Ac+h&label=a%3Ab%3Ac%3Ad"
        "&kind=people",
    ),
    (lambda c: c.memories.get(3), "GET /pre/v1/memories/3"),
    (lambda c: c.memories.correct(3, "t"), 'PATCH /pre/v1/memories/3 {"text":"t"}'),
    (lambda c: c.memories.delete(3), "DELETE /pre/v1/memories/3"),
    (
        lambda c: c.sources.list(labels={"channel": "gmail"}),
        "GET /pre/v1/sources?limit=100&cursor=0&label=channel%3Agmail",
    ),
    (
        lambda c: c.sources.get(external_id="file:/memories/a b.md"),
        "GET /pre/v1/sources?external_id=file%3A%2Fmemories%2Fa+b.md",
    ),
    (lambda c: c.sources.get("abc"), "GET /pre/v1/sources/abc"),
    (lambda c: c.sources.wait("abc"), "GET /pre/v1/sources/abc?wait=30.0"),
    (lambda c: c.sources.delete("abc"), "DELETE /pre/v1/sources/abc"),
    (lambda c: c.sources.delete(external_id="x&y"), "DELETE /pre/v1/sources?external_id=x%26y"),
    (
        lambda c: c.sources.delete_labelled({"channel": ["a", "b"]}),
        "DELETE /pre/v1/sources?label=channel%3Aa&label=channel%3Ab",
    ),
    (
        lambda c: c.files.put("/m/a.md", "x\0y 😀"),
        'PUT /pre/v1/files {"path":"/m/a.md","text":"x\\u0000y 😀"}',
    ),
    (lambda c: c.files.get("/m/a b%2e.md"), "GET /pre/v1/files?path=%2Fm%2Fa+b%252e.md"),
    (lambda c: c.files.list("/m/"), "GET /pre/v1/files?prefix=%2Fm%2F&limit=100&cursor=0"),
    (lambda c: c.files.delete("/m/a"), "DELETE /pre/v1/files?path=%2Fm%2Fa"),
    (lambda c: c.files.delete_prefix("/m/"), "DELETE /pre/v1/files?prefix=%2Fm%2F"),
    (lambda c: c.files.move("/a", "/b"), 'POST /pre/v1/files/move {"from":"/a","to":"/b"}'),
    (
        lambda c: c.search("q", kind="all", labels={"a": ["b", "c"]}),
        'POST /pre/v1/search {"q":"q","limit":10,"kind":"all","labels":{"a":["b","c"]}}',
    ),
    (
        lambda c: c.context("q"),
        'POST /pre/v1/context {"question":"q","limit":12,"kind":null,"with_sources":true}',
    ),
    (lambda c: c.ask("q"), 'POST /pre/v1/ask {"question":"q"}'),
    (lambda c: c.profile("A B"), "GET /pre/v1/profile?subject=A+B"),
    (lambda c: c.brief(), "GET /pre/v1/brief?limit=60"),
    (lambda c: c.graph(), "GET /pre/v1/graph"),
    (
        lambda c: c.briefing(project="p"),
        'POST /pre/v1/briefing {"cue":"","budget_chars":6000,"project":"p"}',
    ),
    (lambda c: c.now(), "GET /pre/v1/now"),
    (lambda c: c.episodes("p"), "GET /pre/v1/episodes?limit=20&project=p"),
    (lambda c: c.lessons(), "GET /pre/v1/lessons?limit=50"),
    (lambda c: c.intentions(), "GET /pre/v1/intentions?status=open&limit=50"),
    (lambda c: c.set_intention(3, "dropped"), 'POST /pre/v1/intentions/3 {"status":"dropped"}'),
    (lambda c: c.memory_health(), "GET /pre/v1/memory-health"),
    (lambda c: c.export(), "GET /pre/v1/export"),
    (lambda c: c.me(), "GET /pre/v1/me"),
    (lambda c: c.usage(), "GET /pre/v1/usage"),
    (lambda c: c.spaces(), "GET /pre/v1/spaces"),
    (lambda c: c.forget_space("a/b"), "DELETE /pre/v1/spaces/a%2Fb"),
    (lambda c: c.keys.create(), "POST /pre/v1/keys {}"),
    (lambda c: c.keys.list(), "GET /pre/v1/keys"),
    (lambda c: c.keys.revoke(3), "DELETE /pre/v1/keys/3"),
    (lambda c: c.sections.list(), "GET /pre/v1/profile/sections"),
    (
        lambda c: c.sections.create("N", keywords=["k"]),
        'POST /pre/v1/profile/sections {"name":"N","description":"","keywords":["k"],"topics":[]}',
    ),
    (lambda c: c.sections.delete(3), "DELETE /pre/v1/profile/sections/3"),
]

# More calls whose requests have to be the published client's.
MORE: list[Call] = [
    lambda c: c.memories.add("t", labels={}),
    lambda c: c.memories.add("t", title=""),
    lambda c: c.memories.add("t", said_at=date(2025, 3, 4)),
    lambda c: c.memories.add("t", said_at=datetime(2025, 3, 4, 9, 30)),
    lambda c: c.memories.add("t", said_at=datetime(2025, 3, 4, 15, tzinfo=timezone(timedelta(hours=5, minutes=30)))),
    lambda c: c.memories.add(messages=CHAT, said_at="2025-03-04T09:30:00.000Z", external_id="e"),
    lambda c: c.memories.add_file(b"%PDF", filename="naïve.txt", title="T", external_id="e", labels={"a": "b"}),
    lambda c: c.memories.add_file(b"hello"),
    lambda c: c.memories.add_file(io.BytesIO(b"hello"), labels={}),
    lambda c: c.memories.add_file(__file__),
    lambda c: c.memories.add_file(Path(__file__), filename="notes.md"),
    lambda c: c.memories.iter(),
    lambda c: c.memories.iter(kind="pref", page_size=7, labels={"a": "b"}),
    lambda c: c.memories.list(limit=3, cursor=9),
    lambda c: c.memories.get("12"),
    lambda c: c.sources.list(limit=3, cursor=9),
    lambda c: c.sources.wait("abc", timeout=3.0),
    lambda c: c.sources.wait("abc", timeout=0),
    lambda c: c.sources.delete_labelled({"a": "b"}, keep={"x/1"}),
    lambda c: c.sources.delete_labelled({"a": "b"}, keep=[]),
    lambda c: c.files.put("/m/a.md", "", labels={}),
    lambda c: c.files.put("/m/a.md", "\ufeffa\r\n\tb  ", labels={"channel": "claude-memory"}),
    lambda c: c.files.list(),
    lambda c: c.files.list("/m", limit=200, cursor=200),
    lambda c: c.search("q", limit=3),
    lambda c: c.search_full("q", labels={"a": "b"}),
    lambda c: c.context_full("q", limit=3, kind="pref", with_sources=False, labels={"a": ["b"]}),
    lambda c: c.ask("q", labels={"a": "b"}),
    lambda c: c.profile(),
    lambda c: c.brief("Kim", limit=5, labels={"a": ["b", "c"]}),
    lambda c: c.briefing_full(cue="Hello?", budget_chars=500),
    lambda c: c.now("p"),
    lambda c: c.episodes(limit=3),
    lambda c: c.lessons("p", limit=3),
    lambda c: c.intentions(status="done", limit=3),
    lambda c: c.set_intention(3),
    lambda c: c.forget_space(42),
    lambda c: c.forget_space("customer 1042/../x"),
    lambda c: c.keys.create(name="phone", rpm=60, expires_at=date(2027, 1, 31)),
    lambda c: c.keys.create(expires_at=datetime(2027, 1, 31, tzinfo=UTC)),
    lambda c: c.sections.create("N", topics=["t"], description="d"),
    lambda c: c.session("s-1", title="T", labels={"a": "b"}).save(CHAT),
    lambda c: c.session(42).save(CHAT * 501),
]


def published(wire: Wire, *, space: str | None = None) -> geniffy.Geniffy:
    return geniffy.Geniffy(KEY, base_url=BASE_URL, http_client=wire.http(), space=space)


@pytest.mark.parametrize(("call", "line"), TABLE, ids=[line.split()[0] + " " + line.split()[1] for _, line in TABLE])
async def test_each_call_sends_its_line_of_the_contract_from_both_clients(call: Call, line: str) -> None:
    blocking, waiting = Wire(), Wire()

    await outcome(call(blocking.client(space="42")))
    await outcome(call(waiting.async_client(space="42")))

    assert blocking.lines == waiting.lines == [ordered(line)]
    for request in (*blocking.sent, *waiting.sent):
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["accept"] == "application/json"
        assert request.headers["x-geniffy-space"] == "42"
        assert request.headers["user-agent"].startswith("geniffy-agents/")


@pytest.mark.parametrize("call", [call for call, _ in TABLE] + MORE)
async def test_each_call_sends_what_the_published_client_sends(call: Call) -> None:
    theirs, blocking, waiting = Wire(), Wire(), Wire()

    await outcome(call(published(theirs)))
    await outcome(call(blocking.client()))
    await outcome(call(waiting.async_client()))

    assert theirs.lines
    assert blocking.lines == theirs.lines
    assert waiting.lines == theirs.lines
    assert [one.headers.get("content-type", "").partition(";")[0] for one in blocking.sent] == [
        one.headers.get("content-type", "").partition(";")[0] for one in theirs.sent
    ]


@pytest.mark.parametrize("call", [call for call, _ in TABLE] + MORE)
async def test_each_call_returns_what_the_published_client_returns(call: Call) -> None:
    def plain(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [plain(each) for each in value]
        if isinstance(value, dict):
            return {name: plain(each) for name, each in value.items()}
        return (
            {name: plain(each) for name, each in vars(value).items()}
            if hasattr(value, "__dataclass_fields__")
            else value
        )

    def within(known: Any, ours: Any) -> bool:
        """Whether every field of the published result is in ours, with the same value."""
        if isinstance(known, dict) and isinstance(ours, dict):
            return all(name in ours and within(value, ours[name]) for name, value in known.items())
        if isinstance(known, list) and isinstance(ours, list):
            return len(known) == len(ours) and all(map(within, known, ours))
        return bool(known == ours)

    theirs = plain(await outcome(call(published(Wire()))))
    blocking = plain(await outcome(call(Wire().client())))
    waiting = plain(await outcome(call(Wire().async_client())))

    assert within(theirs, blocking), (theirs, blocking)
    assert blocking == waiting


async def test_a_document_is_sent_with_its_fields_before_it() -> None:
    wire = Wire()

    wire.client().memories.add_file(b"hello", filename="naïve.txt", title="T", external_id="e", labels={"a": "b"})

    assert wire.lines == [
        'POST /pre/v1/memories/file --| Content-Disposition: form-data; name="title"  T '
        '--| Content-Disposition: form-data; name="external_id"  e '
        '--| Content-Disposition: form-data; name="labels"  {"a": "b"} '
        '--| Content-Disposition: form-data; name="file"; filename="naïve.txt" Content-Type: text/plain  hello --|--'
    ]


def test_json_is_compact_and_in_raw_utf_8() -> None:
    wire = Wire()

    wire.client().files.put("/m/a.md", "x\0y 😀")

    assert wire.sent[0].content == '{"path":"/m/a.md","text":"x\\u0000y 😀"}'.encode()


def test_a_client_without_a_space_sends_no_space() -> None:
    wire = Wire()

    wire.client().me()

    assert "x-geniffy-space" not in wire.sent[0].headers


@pytest.mark.parametrize("source_id", ["../memories/3", "a/b", "x?label=a", "x#y", "é"])
def test_no_source_id_reaches_another_route(source_id: str) -> None:
    wire = Wire()

    wire.client().sources.delete(source_id)

    path = wire.sent[0].url.raw_path.decode()
    assert path.startswith("/pre/v1/sources/")
    assert path.count("/") == 4
    assert "?" not in path


@pytest.mark.parametrize("source_id", ["", " ", ".", ".."])
def test_what_is_no_source_id_is_refused_before_anything_is_sent(source_id: str) -> None:
    wire = Wire()

    with pytest.raises(ValueError, match="not an id"):
        wire.client().sources.delete(source_id)

    assert wire.sent == []


def test_a_memory_id_is_never_rounded_to_another_one() -> None:
    with pytest.raises(TypeError):
        Wire().client().memories.delete(3.7)  # type: ignore[arg-type]


def test_half_of_a_surrogate_pair_is_refused_in_a_sentence() -> None:
    wire = Wire()

    with pytest.raises(ValueError, match="surrogate pair"):
        wire.client().files.put("/a.md", "x\ud800")

    assert wire.sent == []


def test_a_repeated_upload_sends_the_whole_document_again() -> None:
    busy = httpx.Response(429, headers={"Retry-After": "0"}, json={"error": {"code": "busy", "message": "Later."}})
    replies = iter([busy, httpx.Response(201, json={"source": {"id": "a"}})])
    wire = Wire(lambda request: next(replies))

    wire.client().memories.add_file(io.BytesIO(b"hello"), filename="a.txt")

    assert [b"hello" in request.content for request in wire.sent] == [True, True]
    assert shown(wire.sent[0]) == shown(wire.sent[1])


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"text": "t", "url": "http://x"},
        {"text": "t", "messages": CHAT},
        {"url": "http://x", "said_at": "2025-03-04"},
        {"text": "t", "session": "s"},
        {"url": "http://x", "session": "s"},
        {"messages": CHAT, "session": "s", "external_id": "e"},
        {"messages": CHAT, "session": "s", "said_at": "2025-03-04"},
    ],
)
async def test_an_add_that_means_nothing_is_refused_before_anything_is_sent(arguments: dict[str, Any]) -> None:
    blocking, waiting = Wire(), Wire()

    with pytest.raises(ValueError, match=r"\.$"):
        blocking.client().memories.add(**arguments)
    with pytest.raises(ValueError, match=r"\.$"):
        await waiting.async_client().memories.add(**arguments)

    assert blocking.sent == waiting.sent == []


def test_a_message_that_is_no_object_is_refused_with_what_one_looks_like() -> None:
    with pytest.raises(TypeError, match=r"\{'role': 'user'"):
        Wire().client().memories.add(messages=["hello"])  # type: ignore[list-item]


def test_times_in_messages_and_items_are_sent_as_iso_8601() -> None:
    wire = Wire()
    when = datetime(2025, 3, 4, 9, 30, tzinfo=UTC)

    wire.client().memories.add(messages=[MappingProxyType({"role": "user", "content": "hi", "time": when})])
    wire.client().memories.add_many([{"text": "a", "said_at": date(2025, 3, 4), "space": 42}])

    assert body_of(wire.sent[0])["messages"] == [{"role": "user", "content": "hi", "time": "2025-03-04T09:30:00+00:00"}]
    assert body_of(wire.sent[1])["items"] == [{"text": "a", "said_at": "2025-03-04", "space": "42"}]


def test_what_json_has_no_word_for_is_refused_in_a_sentence() -> None:
    with pytest.raises(TypeError, match="type set can't be sent"):
        Wire().client().memories.add(messages=[{"role": "user", "content": {"a"}}])


def test_a_document_opened_as_text_is_refused() -> None:
    with pytest.raises(TypeError, match="'rb'"):
        Wire().client().memories.add_file(io.StringIO("hello"))  # type: ignore[arg-type]
