"""How calls reach their routes, and how what they can't do is said."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest


def raw(base_url: str, request: bytes) -> bytes:
    """What the server answers to bytes that no client library sends."""
    parts = urlsplit(base_url)
    with socket.create_connection((parts.hostname, parts.port), 30) as connection:
        connection.sendall(request)
        chunks = []
        while chunk := connection.recv(65536):
            chunks.append(chunk)
    return b"".join(chunks)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("customer%201042%2F..%2Fx", 422),
        ("..%2Fmemories%2F1", 422),
        ("%2e%2e", 422),
        ("a%2Fb", 422),
        ("a%252Fb", 422),
        ("%00", 422),
        ("%ff", 422),
        ("a%20b", 422),
        ("a/b", 404),
        ("a/", 404),
        ("", 404),
        ("%6Dine", 200),
    ],
)
def test_the_name_of_a_space_is_decoded_once_and_never_another_route(
    http: httpx.Client, base_url: str, api_key: str, sent: str, status: int
) -> None:
    http.post("/v1/memories", json={"text": "Tea."}, headers={"X-Geniffy-Space": "x"})
    head = (
        f"DELETE /v1/spaces/{sent} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {api_key}\r\nConnection: close\r\n\r\n"
    )

    answer = raw(base_url, head.encode())

    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    if status == 422:
        assert b'"bad_space"' in answer
    assert [one["space"] for one in http.get("/v1/spaces").json()["spaces"]] == ["x"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/memories", {"GET", "POST"}),
        ("POST", "/v1/files", {"GET", "PUT", "DELETE"}),
        ("POST", "/v1/memories/7", {"GET", "PATCH", "DELETE"}),
        ("GET", "/v1/spaces/x", {"DELETE"}),
        ("GET", "/v1/briefing", {"POST"}),
    ],
)
def test_a_method_that_is_not_offered_is_told_those_that_are(
    http: httpx.Client, method: str, path: str, allowed: set[str]
) -> None:
    answer = http.request(method, path)

    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
    assert set(answer.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize("authorization", ["bearer {}", "BEARER   {}", "Bearer {}"])
def test_the_scheme_of_a_key_is_read_in_any_case_and_its_blanks_are_dropped(
    base_url: str, api_key: str, authorization: str
) -> None:
    assert httpx.get(base_url + "/v1/me", headers={"Authorization": authorization.format(api_key)}).status_code == 200


def test_a_refused_key_is_told_the_scheme(base_url: str) -> None:
    assert httpx.get(base_url + "/v1/me").headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=x"])
def test_json_is_read_whatever_it_is_called(http: httpx.Client, kind: str) -> None:
    answer = http.post("/v1/search", content=b'{"q": "tea"}', headers={"Content-Type": kind})

    assert answer.status_code == 200


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_body_beyond_32_mib_is_413(http: httpx.Client, is_announced: bool) -> None:
    body = b'{"text": "' + b"x" * (32 << 20) + b'"}'
    sent = body if is_announced else (body[at : at + (1 << 20)] for at in range(0, len(body), 1 << 20))
    answer = http.post("/v1/memories", content=sent)

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_body_without_a_key_is_not_waited_for(base_url: str) -> None:
    head = b"POST /v1/memories HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n"

    assert raw(base_url, head).startswith(b"HTTP/1.1 401 ")


def test_a_prefix_is_served_with_and_without_it_and_nothing_looks_like_it(fresh_server: Callable[..., Any]) -> None:
    url = fresh_server(public_url="https://memory.example/mem/v2").base_url
    served = {path: httpx.get(url + path).status_code for path in ("/healthz", "/mem/v2/healthz", "/mem/v2/v1/me")}

    assert served == {"/healthz": 200, "/mem/v2/healthz": 200, "/mem/v2/v1/me": 401}
    assert {
        httpx.get(url + path).status_code for path in ("/mem/v2", "/mem/v2/", "/mem/healthz", "/mem/v2x/healthz")
    } == {404}
    assert httpx.get(url + "/mem/v2/v1/openapi.json").json()["servers"] == [{"url": "/mem/v2"}]


@pytest.mark.parametrize("path", ["/v1/me", "/v1/nope"])
def test_a_page_of_any_origin_may_read_an_answer_and_no_cookie_counts(base_url: str, path: str) -> None:
    answer = httpx.get(base_url + path, headers={"Origin": "https://app.example", "Cookie": "a=b"})

    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert "Set-Cookie" not in answer.headers


def test_the_search_of_a_page_may_be_asked_before_with_any_header_it_sends(base_url: str) -> None:
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "PUT"}
    answer = httpx.options(base_url + "/v1/files", headers=asked)

    assert (answer.status_code, answer.content) == (204, b"")
    assert "if-match" in answer.headers["Access-Control-Allow-Headers"].lower()


def test_a_tool_door_is_not_opened_to_every_origin(base_url: str) -> None:
    answer = httpx.post(base_url + "/mcp", headers={"Origin": "https://evil.example"}, json={})

    assert answer.headers.get("Access-Control-Allow-Origin") != "*"


def test_calls_that_are_not_offered_yet_say_so_only_to_who_has_a_key(http: httpx.Client, base_url: str) -> None:
    calls = {
        ("POST", "/v1/briefing"): "not_switched_on",
        ("GET", "/v1/now"): "not_switched_on",
        ("GET", "/v1/episodes"): "not_switched_on",
        ("GET", "/v1/lessons"): "not_switched_on",
        ("GET", "/v1/intentions"): "not_switched_on",
        ("POST", "/v1/intentions/7"): "not_switched_on",
        ("GET", "/v1/brief"): "not_found",
        ("GET", "/v1/graph"): "not_found",
        ("GET", "/v1/profile/sections"): "not_found",
        ("POST", "/v1/profile/sections"): "not_found",
        ("DELETE", "/v1/profile/sections/7"): "not_found",
    }
    for (method, path), code in calls.items():
        answer = http.request(method, path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, code)
        assert httpx.request(method, base_url + path).status_code == 401


def test_a_write_goes_on_while_a_file_has_none_of_the_versions_it_names(http: httpx.Client) -> None:
    old = http.put("/v1/files", json={"path": "/a.md", "text": "one"}).headers["ETag"]

    refused = http.put("/v1/files", json={"path": "/a.md", "text": "two"}, headers={"If-None-Match": f"W/{old}"})
    written = http.put("/v1/files", json={"path": "/a.md", "text": "two"}, headers={"If-None-Match": '"another"'})
    weak = http.put(
        "/v1/files", json={"path": "/a.md", "text": "three"}, headers={"If-Match": f"W/{written.headers['ETag']}"}
    )

    assert (refused.status_code, refused.json()["error"]["code"]) == (412, "changed")
    assert (written.status_code, weak.status_code) == (200, 412)
    assert http.get("/v1/files?path=/a.md").json()["text"] == "two"


def test_a_conditional_read_is_answered_whole(http: httpx.Client) -> None:
    tag = http.put("/v1/files", json={"path": "/a.md", "text": "one"}).headers["ETag"]
    answer = http.get("/v1/files?path=/a.md", headers={"If-None-Match": tag})

    assert (answer.status_code, answer.headers["ETag"], answer.json()["text"]) == (200, tag, "one")


async def test_a_large_export_is_one_json_document(server: Any, asdk: Any) -> None:
    lines = "\n\n".join(f"Person Number{n} works at Acme as guide {n}." for n in range(450))
    source = await asdk.memories.add(lines)
    assert (await asdk.sources.wait(source.id)).status == "learned"
    await asyncio.gather(*(asdk.files.put(f"/memories/{n}.md", "") for n in range(3)))

    copy = await asdk.export()

    assert [one["path"] for one in copy["files"]] == [f"/memories/{n}.md" for n in range(3)]
    assert len(copy["sources"]) == 4
    ids = [one["id"] for one in copy["memories"]]
    assert len(set(ids)) == len(ids) >= 200
    assert json.dumps(copy)
    assert all(one["quote"] in lines for one in copy["memories"])


def test_the_log_names_the_route_the_space_and_the_outcome(
    http: httpx.Client, space: str, logged: Callable[[str], Any]
) -> None:
    answer = http.get("/v1/memories/123456789")

    row = logged(answer.headers["X-Request-ID"])
    assert (row.door, row.route, row.status, row.outcome) == ("rest", "GET /v1/memories/{memory_id}", 404, "not_found")
    assert (row.space, row.app) == (space, "contract")


def test_the_owner_sees_in_the_log_when_a_key_tried_another_space(
    http: httpx.Client, base_url: str, logged: Callable[[str], Any]
) -> None:
    key = http.post("/v1/keys", json={"name": "Phone"}).json()
    headers = {"Authorization": f"Bearer {key['key']}", "X-Geniffy-Space": "victim"}

    answer = httpx.get(base_url + "/v1/memories", headers=headers)

    row = logged(answer.headers["X-Request-ID"])
    assert (row.status, row.outcome, row.key_id, row.space) == (403, "wrong_space", key["id"], key["space"])
