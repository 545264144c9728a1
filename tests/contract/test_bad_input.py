"""Whatever is sent, the answer is an envelope a client can read: a code, a sentence, a request id, never a 5xx."""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SETTINGS = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

BODIES: dict[tuple[str, str], tuple[str, ...]] = {
    ("POST", "/v1/memories"): (
        "text",
        "url",
        "messages",
        "title",
        "said_at",
        "external_id",
        "labels",
        "session",
    ),
    ("POST", "/v1/memories/batch"): ("items",),
    ("POST", "/v1/memories/file"): (),
    ("PATCH", "/v1/memories/1"): ("text",),
    ("PUT", "/v1/files"): ("path", "text", "labels"),
    ("POST", "/v1/files/move"): ("from", "to"),
    ("POST", "/v1/search"): ("q", "limit", "kind", "labels"),
    ("POST", "/v1/context"): ("question", "limit", "kind", "with_sources", "labels"),
    ("POST", "/v1/ask"): ("question", "labels"),
    ("POST", "/v1/keys"): ("name", "rpm", "expires_at"),
    ("POST", "/v1/briefing"): ("cue", "budget_chars", "project"),
    ("POST", "/v1/intentions/1"): ("status",),
    ("POST", "/v1/profile/sections"): ("name", "description", "keywords", "topics"),
}
GOOD: dict[str, Any] = {"q": "tea", "question": "tea", "path": "/a.md", "from": "/a.md", "to": "/b.md"}
WRONG: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    2.5,
    10**9,
    10**400,
    -(10**30),
    "",
    " ",
    "5",
    "a\x00b",
    "x" * 5000,
    [],
    {},
    [[]],
    [None],
    {"$ne": None},
    {"a": {"b": 1}},
    "' OR 1=1 --",
    'a*b:"(',
    "%s %n {} ${x}",
    "\u202e\ufeff",
]
DEEP = "[" * 100_000 + "]" * 100_000


def check(answer: httpx.Response) -> None:
    """A reply that a client can read: a success, or a refusal in the one envelope."""
    assert 200 <= answer.status_code < 500, answer.text[:300]
    assert not 300 <= answer.status_code < 400
    assert str(UUID(answer.headers["X-Request-ID"])) == answer.headers["X-Request-ID"]
    body = answer.json()
    assert isinstance(body, dict)
    assert "detail" not in body
    if answer.status_code >= 400:
        assert isinstance(body["error"]["code"], str)
        assert body["error"]["code"]
        assert body["error"]["message"].strip()
        assert "\n" not in body["error"]["message"]


def _json(body: Any) -> bytes:
    return json.dumps(body).encode()


@pytest.fixture
def send(http: httpx.Client) -> Iterator[Callable[..., httpx.Response]]:
    """Sends a body as JSON, whatever it is: `send("POST", "/v1/ask", b"{}")`."""

    def sent(method: str, path: str, content: bytes, kind: str = "application/json") -> httpx.Response:
        return http.request(method, path, content=content, headers={"Content-Type": kind})

    yield sent
    # Whatever came before, the next honest write works.
    assert http.put("/v1/files", json={"path": "/still.md", "text": "works"}).status_code == 200
    assert http.get("/v1/files?path=/still.md").json()["text"] == "works"


@pytest.mark.statement(3, 6, 7)
@pytest.mark.parametrize(("method", "path"), BODIES)
def test_a_wrong_type_in_any_field_is_refused_in_the_envelope(send: Any, method: str, path: str) -> None:
    for field in BODIES[method, path]:
        for wrong in WRONG:
            check(send(method, path, _json({**GOOD, field: wrong})))


@pytest.mark.statement(6, 7)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"true",
        b"7",
        b'"text"',
        b"[]",
        b"[{}]",
        b"{",
        b"{}",
        b"NaN",
        b'{"q": NaN, "question": Infinity}',
        b'{"text": "a", "text": "b", "q": "a", "q": 1}',
        b"\xef\xbb\xbf{}",
        b"\xff\xfe",
        b"--x\r\n\r\n--x--",
        rb'{"text": "\ud800", "q": "\ud800", "question": "\udc00", "path": "/\ud800", "from": "/\ud800"}',
        rb'{"text": "\u0000", "q": "\u0000", "question": "\u0000", "path": "/\u0000", "from": "/\u0000"}',
        rb'{"\ud800": "x", "text": "a", "labels": {"\ud800": "\u0000"}}',
        DEEP.encode(),
        b'{"text": "a", "labels": ' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}",
        b'{"limit": 1e400, "q": "x", "question": "x", "rpm": 1e400}',
        b'{"limit": ' + b"9" * 5000 + b', "q": "x", "question": "x"}',
    ],
)
def test_a_body_of_any_shape_is_answered_in_the_envelope(send: Any, content: bytes) -> None:
    for method, path in BODIES:
        check(send(method, path, content))


@pytest.mark.statement(6, 7)
@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "",
        "nonsense",
    ],
)
def test_a_body_of_another_content_type_is_answered_in_the_envelope(send: Any, kind: str) -> None:
    for method, path in BODIES:
        check(send(method, path, b'{"q": "tea", "question": "tea", "text": "Tea at four."}', kind))


@pytest.mark.statement(6, 7)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"--x",
        b"--x--\r\n",
        b'--x\r\nContent-Disposition: form-data; name="labels"\r\n\r\n{\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nnot a file\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a\x00.md"\r\n\r\n\xff\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="file"; filename=""\r\n\r\n\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="title"\r\n\r\n\xff\xfe\r\n--x--\r\n',
        b"--x\r\nnonsense\r\n\r\n\r\n--x--\r\n",
    ],
)
def test_an_upload_of_any_shape_is_answered_in_the_envelope(send: Any, content: bytes) -> None:
    check(send("POST", "/v1/memories/file", content, "multipart/form-data; boundary=x"))


QUERIES = ["limit", "cursor", "kind", "label", "external_id", "path", "prefix", "wait", "subject", "status", "project"]
VALUES = [
    "",
    "-1",
    "0",
    "1000000000",
    "5",
    "2.5",
    "true",
    "null",
    "9" * 400,
    "%00",
    "%ff",
    "a%00b",
    "%F0%9F",
    "x" * 2000,
]


@pytest.mark.statement(3, 6)
@pytest.mark.parametrize(
    "path",
    [
        "/v1/memories",
        "/v1/memories/1",
        "/v1/sources",
        "/v1/sources/0123456789abcdef0123456789abcdef",
        "/v1/files",
        "/v1/profile",
        "/v1/profile/sections",
        "/v1/brief",
        "/v1/graph",
        "/v1/now",
        "/v1/episodes",
        "/v1/lessons",
        "/v1/intentions",
        "/v1/memory-health",
        "/v1/export",
        "/v1/me",
        "/v1/usage",
        "/v1/spaces",
        "/v1/keys",
    ],
)
def test_a_query_of_any_shape_is_answered_in_the_envelope(http: httpx.Client, path: str) -> None:
    for number, name in enumerate(QUERIES):
        for value in VALUES:
            check(http.get(f"{path}?{name}={value}"))
        check(http.get(f"{path}?{name}=1&{name}=2&{QUERIES[number - 1]}=a"))
    check(http.get(path + "?" + "&".join(f"label=a:{n}" for n in range(300))))
    check(http.get(path + "?&&==&=a&%"))


@pytest.mark.parametrize("limit", [-1, 0, 10**9, "5", 2.5, True, 10**30, None])
def test_a_limit_is_clamped_or_refused(http: httpx.Client, limit: Any) -> None:
    for path, name in (("/v1/search", "q"), ("/v1/context", "question")):
        answer = http.post(path, json={name: "tea", "limit": limit})

        check(answer)
        if type(limit) is int or limit is None:
            assert answer.status_code == 200
        else:
            assert answer.json()["error"]["code"] == "invalid_request"


NUL = "a\x00b"


def test_nul_in_any_text_is_refused_and_nothing_is_stored(http: httpx.Client) -> None:
    turn = {"role": "user", "content": "Tea."}
    refused = [
        http.post("/v1/memories", json={"text": NUL}),
        http.post("/v1/memories", json={"text": "Tea.", "title": NUL}),
        http.post("/v1/memories", json={"text": "Tea.", "labels": {"a": NUL}}),
        http.post("/v1/memories", json={"text": "Tea.", "labels": {NUL: "a"}}),
        http.post("/v1/memories", json={"text": "Tea.", "external_id": NUL}),
        http.post("/v1/memories", json={"messages": [{"role": "user", "content": NUL}]}),
        http.post("/v1/memories", json={"messages": [turn], "session": NUL}),
        http.post("/v1/keys", json={"name": NUL}),
        http.put("/v1/files", json={"path": "/a.md", "text": NUL}),
        http.put("/v1/files", json={"path": f"/{NUL}", "text": "Tea."}),
        http.get("/v1/files", params={"prefix": f"/{NUL}"}),
        http.get("/v1/sources", params={"external_id": NUL}),
        http.get("/v1/memories", params={"label": f"a:{NUL}"}),
        http.post("/v1/search", json={"q": NUL}),
        http.post("/v1/context", json={"question": NUL}),
        http.post("/v1/ask", json={"question": NUL}),
    ]

    codes = {"invalid_request", "bad_path", "bad_labels", "bad_external_id"}
    assert [(one.status_code, one.json()["error"]["code"] in codes) for one in refused] == [(422, True)] * len(refused)
    assert http.get("/v1/sources").json()["total"] == 0
    assert http.get("/v1/keys").json()["keys"] == []


def test_a_batch_item_of_any_shape_fails_alone(send: Any) -> None:
    items = [*WRONG, *({"text": wrong} for wrong in WRONG), *({"text": "Tea.", "space": wrong} for wrong in WRONG)]
    answer = send("POST", "/v1/memories/batch", _json({"items": [*items[:99], {"text": "Tea at four."}]}))

    check(answer)
    results = answer.json()["results"]
    assert answer.status_code == 202
    assert len(results) == len(items[:99]) + 1
    assert results[-1]["error"] is None
    assert all((one["source"] is None) != (one["error"] is None) for one in results)


MESSAGES: list[Any] = [
    *WRONG,
    {"role": 7, "content": "a"},
    {"role": None, "content": "a"},
    {"content": "a"},
    {"role": "user"},
    {"role": "user", "content": 7},
    {"role": "user", "content": {"text": "a"}},
    {"role": "user", "content": [7, None, [], "a", {"type": "text"}, {"type": "text", "text": 7}, {"type": 7}]},
    {"role": "user", "parts": 7},
    {"role": "user", "parts": [{"text": None}, {"text": 7}, 7]},
    {"role": "assistant", "tool_calls": 7},
    {"role": "assistant", "tool_calls": [7, None, {"function": 7}, {"function": {"name": 7, "arguments": 7}}]},
    {"role": "tool", "content": {"a": [1]}, "tool_call_id": 7, "name": []},
    {"role": "user", "content": "a", "name": 7},
    {"role": "user", "content": "a", "time": 7},
    {"role": "user", "content": "a", "time": "soon"},
    {"type": "human", "data": 7},
    {"lc": 1, "id": 7, "kwargs": 7},
    {"type": "function_call", "name": 7, "arguments": {}},
    {"role": "user", "content": "a\x00b"},
    {"role": "x" * 5000, "content": "a"},
]


@pytest.mark.statement(6)
def test_a_message_of_any_shape_is_kept_or_refused_in_the_envelope(send: Any) -> None:
    for message in MESSAGES:
        check(send("POST", "/v1/memories", _json({"messages": [message]})))
        check(send("POST", "/v1/memories", _json({"messages": [message], "session": "run-42"})))


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=()), max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@SETTINGS
@given(data=st.data(), route=st.sampled_from(sorted(BODIES)))
def test_no_json_breaks_any_route(send: Any, data: st.DataObject, route: tuple[str, str]) -> None:
    fields = {name: data.draw(anything, label=name) for name in BODIES[route]}
    # A quarter of the fields hold what the route expects, so that the others are read at all.
    body = {
        name: GOOD.get(name, value) if data.draw(st.integers(0, 3)) == 0 else value for name, value in fields.items()
    }

    check(send(*route, json.dumps(body).encode("utf-8", "surrogatepass")))


@SETTINGS
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    segments=st.lists(st.text(string.ascii_letters + string.digits + "%.:;@ &=+$,'~é\u0001", max_size=12), max_size=4),
)
def test_no_path_breaks_the_server(http: httpx.Client, method: str, segments: list[str]) -> None:
    path = "/v1/" + "/".join(quote(one, safe="%.:;@&=+$,'~") for one in segments)

    check(http.request(method, http.base_url.copy_with(raw_path=path.encode())))


def test_a_body_that_is_too_large_is_413(http: httpx.Client) -> None:
    answer = http.post("/v1/memories", content=iter([b'{"text": "', *[b"x" * 1_000_000] * 40, b'"}']))

    check(answer)
    assert answer.status_code == 413
