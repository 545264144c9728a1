"""Addresses, headers and errors: contract 7.A."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx
import pytest

ERRORS = [
    ("GET", "/v1/me", {"headers": {"Authorization": ""}}, 401, "bad_key"),
    ("GET", "/v1/me", {"headers": {"Authorization": "Bearer gnf_live_nobody"}}, 401, "bad_key"),
    ("GET", "/v1/nope", {}, 404, "not_found"),
    ("GET", "/nope", {}, 404, "not_found"),
    ("DELETE", "/v1/search", {}, 405, "method_not_allowed"),
    ("PUT", "/v1/memories", {}, 405, "method_not_allowed"),
    ("POST", "/v1/memories", {"content": b'{"text": '}, 422, "invalid_request"),
    ("POST", "/v1/memories", {"content": b"\xff\xfe{}"}, 422, "invalid_request"),
    ("POST", "/v1/search", {"json": ["q"]}, 422, "invalid_request"),
    ("POST", "/v1/search", {"content": b""}, 422, "invalid_request"),
    ("GET", "/v1/memories/999999999", {}, 404, "not_found"),
    ("GET", "/v1/sources/0123456789abcdef0123456789abcdef", {}, 404, "not_found"),
    ("GET", "/v1/files?path=/none.md", {}, 404, "not_found"),
]


def _is_request_id(text: str) -> bool:
    return str(UUID(text)) == text


@pytest.mark.statement(1)
async def test_a_base_url_with_a_path_prefix_serves_the_api_under_it(
    fresh_server: Callable[..., Any], make_account: Callable[..., Any], tell: Callable[..., Any]
) -> None:
    from geniffy import Geniffy

    server = fresh_server(public_url="https://memory.example/mem")
    with Geniffy(make_account(server).key, base_url=server.base_url + "/mem/", max_retries=0) as client:
        mine = client.space("priya")
        mine.sources.wait(mine.memories.add("Kim Park works at Acme as CFO.").id)
        mine.files.put("/memories/a.md", "Tea at four.")

        assert mine.search("Where does Kim work?")[0].text == "Kim Park works at Acme as CFO."
        assert mine.files.get("/memories/a.md").text == "Tea at four."
        assert mine.me()["space"] == "priya"


@pytest.mark.statement(1)
def test_every_route_of_the_api_is_served_under_the_prefix(
    fresh_server: Callable[..., Any], make_account: Callable[..., Any]
) -> None:
    server = fresh_server(public_url="https://memory.example/mem")
    headers = {"Authorization": f"Bearer {make_account(server).key}"}
    with httpx.Client(base_url=server.base_url, headers=headers) as http:
        paths = http.get("/mem/v1/openapi.json").json()["paths"]
        templates = [path if path.startswith("/mem") else "/mem" + path for path in paths]

        served = {path: http.request("TRACE", path.replace("{", "").replace("}", "")).status_code for path in templates}

    assert len(served) >= 20
    assert {path for path, status in served.items() if status != 405} == set()


@pytest.mark.statement(2)
def test_no_route_redirects_with_or_without_a_trailing_slash(http: httpx.Client) -> None:
    paths = [path for path in http.get("/v1/openapi.json").json()["paths"] if path.startswith("/v1/")]
    answers = {
        (method, path, slash): http.request(method, path.replace("{", "").replace("}", "") + slash)
        for path in paths
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        for slash in ("", "/")
    }

    assert {key for key, answer in answers.items() if 300 <= answer.status_code < 400} == set()
    assert {key for key, answer in answers.items() if key[2] and answer.status_code != 404} == set()


@pytest.mark.statement(3, 6)
@pytest.mark.parametrize(("method", "path", "sent", "status", "code"), ERRORS)
def test_every_error_has_a_code_a_sentence_and_a_request_id(
    http: httpx.Client, method: str, path: str, sent: dict[str, Any], status: int, code: str
) -> None:
    answer = http.request(method, path, **sent)

    assert answer.status_code == status
    assert answer.json()["error"]["code"] == code
    assert answer.json()["error"]["message"].strip()
    assert "detail" not in answer.json()
    assert _is_request_id(answer.headers["X-Request-ID"])


@pytest.mark.statement(3)
@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/me"), ("GET", "/healthz"), ("GET", "/v1/openapi.json")])
def test_every_success_has_a_request_id(http: httpx.Client, method: str, path: str) -> None:
    answer = http.request(method, path)

    assert answer.status_code == 200
    assert _is_request_id(answer.headers["X-Request-ID"])


@pytest.mark.statement(3, 16)
def test_a_fault_of_the_server_is_500_internal_with_a_request_id_and_when_to_retry(
    server: Any, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: Any, work: Any) -> Any:
        raise RuntimeError("a secret detail of the server")

    monkeypatch.setattr(type(server.ports.store), "read", broken)
    answer = http.get("/v1/memories")

    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert "secret detail" not in answer.text
    assert _is_request_id(answer.headers["X-Request-ID"])
    assert 0 <= float(answer.headers["Retry-After"]) <= 60


@pytest.mark.statement(16)
def test_a_store_that_does_not_answer_is_503_and_says_when_to_retry(
    server: Any, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from geniffy_server.errors import Unavailable

    async def away(self: Any, work: Any) -> Any:
        raise Unavailable("The store did not answer; try again in a moment.")

    monkeypatch.setattr(type(server.ports.store), "read", away)
    answer = http.get("/v1/memories")

    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "memory_unavailable"
    assert 0 <= float(answer.headers["Retry-After"]) <= 60


@pytest.mark.statement(4)
def test_two_calls_never_share_a_request_id_even_when_the_client_sends_one(http: httpx.Client) -> None:
    sent = {"X-Request-ID": "7d9f8f0e-3c1f-4f0c-9a2b-111111111111"}
    ids = [http.get("/v1/me", headers=sent).headers["X-Request-ID"] for _ in range(20)]

    assert len({*ids, sent["X-Request-ID"]}) == 21


@pytest.mark.statement(5)
def test_an_unknown_route_is_404_not_found(http: httpx.Client) -> None:
    answer = http.get("/v1/nope")

    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.statement(7)
@pytest.mark.parametrize("content", [b"{", b"nonsense", b'{"text": "a"', b"{'text': 'a'}", b'{"text": "a"} x', b"\xff"])
@pytest.mark.parametrize("path", ["/v1/memories", "/v1/search", "/v1/context", "/v1/ask", "/v1/files/move", "/v1/keys"])
def test_malformed_json_is_422_invalid_request(http: httpx.Client, path: str, content: bytes) -> None:
    answer = http.post(path, content=content, headers={"Content-Type": "application/json"})

    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "invalid_request"
    assert "detail" not in answer.json()


@pytest.mark.statement(8)
def test_unknown_fields_of_a_request_are_ignored(http: httpx.Client) -> None:
    extra = {"colour": "blue", "nested": {"a": [1, 2]}}

    assert http.post("/v1/memories", json={"text": "Tea at four.", **extra}).status_code == 201
    assert http.post("/v1/search", json={"q": "tea", **extra}).status_code == 200
    assert http.post("/v1/context", json={"question": "tea", **extra}).status_code == 200
    assert http.post("/v1/ask", json={"question": "tea", **extra}).status_code == 200
    assert http.put("/v1/files", json={"path": "/a.md", "text": "", **extra}).status_code == 200
    assert http.post("/v1/keys", json=extra).status_code == 201
    assert http.get("/v1/memories?colour=blue&colour=red").status_code == 200


@pytest.mark.statement(9)
def test_null_is_the_same_as_left_out(http: httpx.Client, learned: Callable[..., Any], sdk: Any) -> None:
    nothing: dict[str, Any] = {
        "url": None,
        "messages": None,
        "title": None,
        "said_at": None,
        "external_id": None,
        "labels": None,
        "session": None,
    }
    added = http.post("/v1/memories", json={"text": "Kim Park works at Acme as CFO.", **nothing})
    assert added.status_code == 201
    http.get(f"/v1/sources/{added.json()['source']['id']}?wait=30")

    found = http.post("/v1/search", json={"q": "Kim", "limit": None, "kind": None, "labels": None}).json()
    context = http.post(
        "/v1/context",
        json={"question": "Where does Kim work?", "limit": None, "kind": None, "with_sources": None, "labels": None},
    ).json()

    assert [one["text"] for one in found["memories"]] == ["Kim Park works at Acme as CFO."]
    assert context["used"] == 1
    assert "[note, " in context["context"]
    asked = http.post("/v1/ask", json={"question": "Where does Kim work?", "labels": None, "project": None})
    assert asked.json()["answer"]
    assert http.post("/v1/keys", json={"name": None, "rpm": None, "expires_at": None}).status_code == 201


@pytest.mark.statement(10, 11)
@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "bearer x y",
        "Bearer gnf_live_" + "A" * 43,
        "gnf_live_" + "A" * 43,
        "Basic Zm9vOmJhcg==",
        "Bearer " + "x" * 5000,
        "Bearer clé",
    ],
)
def test_a_missing_or_unknown_key_is_401_bad_key(base_url: str, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization.encode()}
    answer = httpx.get(base_url + "/v1/me", headers=headers)

    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "bad_key"


@pytest.mark.statement(11)
async def test_the_client_raises_its_authentication_error_for_an_unknown_key(base_url: str) -> None:
    from geniffy import AuthenticationError, Geniffy

    with Geniffy("gnf_live_unknown", base_url=base_url) as client, pytest.raises(AuthenticationError) as refused:
        client.me()

    assert (refused.value.status, refused.value.code) == (401, "bad_key")


@pytest.mark.statement(12)
async def test_a_revoked_key_is_refused_on_the_very_next_call(memory: Any, base_url: str) -> None:
    from geniffy import AuthenticationError, Geniffy

    key = await memory.keys.create(name="phone")
    with Geniffy(key.key, base_url=base_url, max_retries=0) as phone:
        assert phone.me()["space"] == memory.space_id
        await memory.keys.revoke(key.id)

        with pytest.raises(AuthenticationError) as refused:
            phone.me()
    assert (refused.value.status, refused.value.code) == (401, "bad_key")


@pytest.mark.statement(13)
@pytest.mark.parametrize(
    ("expires_at", "last", "after"),
    [
        ("2031-05-04", datetime(2031, 5, 4, 23, 59, 59, tzinfo=UTC), datetime(2031, 5, 5, 0, 0, 1, tzinfo=UTC)),
        (
            "2031-05-04T12:00:00+02:00",
            datetime(2031, 5, 4, 9, 59, 59, tzinfo=UTC),
            datetime(2031, 5, 4, 10, 0, 1, tzinfo=UTC),
        ),
    ],
)
def test_a_key_works_until_it_expires_and_a_day_is_whole(
    clocked: Any, expires_at: str, last: datetime, after: datetime
) -> None:
    made = clocked.client.space("priya").keys.create(expires_at=expires_at)
    phone = {"Authorization": f"Bearer {made.key}"}

    clocked.set_clock(last)
    assert httpx.get(clocked.base_url + "/v1/me", headers=phone).status_code == 200
    clocked.set_clock(after)
    refused = httpx.get(clocked.base_url + "/v1/me", headers=phone)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "bad_key")


@pytest.mark.statement(14)
def test_a_token_of_a_connected_app_is_refused_by_the_api(with_key: Callable[..., Any]) -> None:
    answer = with_key("gnf_at_" + "A" * 43).get("/v1/me")

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "bad_key")


@pytest.mark.statement(15, 17)
def test_the_61st_call_in_a_minute_of_a_key_with_60_is_429_and_another_key_is_not_held_up(
    sdk: Any, with_key: Callable[..., Any]
) -> None:
    limited, other = sdk.keys.create(rpm=60), sdk.keys.create(rpm=60)
    phone = with_key(limited.key)
    allowed = [phone.get("/v1/me").status_code for _ in range(60)]
    over = phone.get("/v1/me")
    elsewhere = with_key(other.key).get("/v1/me")

    assert allowed == [200] * 60
    assert (over.status_code, over.json()["error"]["code"]) == (429, "busy")
    assert 0 <= float(over.headers["Retry-After"]) <= 60
    assert elsewhere.status_code == 200


@pytest.mark.statement(18)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_a_browser_may_send_the_headers_of_every_client(base_url: str, method: str) -> None:
    asked = "authorization, content-type, x-geniffy-space, x-geniffy-client"
    answer = httpx.options(
        base_url + "/v1/memories",
        headers={
            "Origin": "https://app.example",
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": asked,
        },
    )

    allowed = {name.strip().lower() for name in answer.headers["Access-Control-Allow-Headers"].split(",")}
    assert answer.status_code in (200, 204)
    assert set(asked.split(", ")) <= allowed
    assert method in answer.headers["Access-Control-Allow-Methods"]
    assert answer.headers["Access-Control-Allow-Origin"] in ("*", "https://app.example")
    assert answer.headers.get("Access-Control-Allow-Credentials") != "true"


@pytest.mark.statement(18)
@pytest.mark.parametrize("path", ["/v1/me", "/v1/nope"])
def test_a_browser_may_read_the_request_id_and_when_to_retry(http: httpx.Client, path: str) -> None:
    answer = http.get(path, headers={"Origin": "https://app.example"})

    exposed = {name.strip().lower() for name in answer.headers["Access-Control-Expose-Headers"].split(",")}
    assert {"x-request-id", "retry-after"} <= exposed


@pytest.mark.statement(19)
@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({"X-Geniffy-Client": "geniffy-js/0.4.0 geniffy-ai-sdk/0.2.0"}, "geniffy-ai-sdk"),
        ({"User-Agent": "geniffy-python/0.5.1 langchain-geniffy/0.2.0"}, "langchain-geniffy"),
    ],
)
def test_the_request_log_shows_which_integration_called(
    http: httpx.Client, logged: Callable[[str], Any], headers: dict[str, str], name: str
) -> None:
    answer = http.get("/v1/me", headers=headers)

    call = logged(answer.headers["X-Request-ID"])
    assert name in call.app
    assert call.status == 200


@pytest.mark.statement(20)
async def test_the_client_shows_the_request_id_behind_the_sentence(memory: Any) -> None:
    from geniffy import NotFoundError

    with pytest.raises(NotFoundError) as refused:
        await memory.files.get("/memories/none.md")

    assert refused.value.request_id
    assert str(refused.value).endswith(f"(request {refused.value.request_id})")


def test_the_description_of_the_api_is_openapi_3_1_and_names_every_noun(http: httpx.Client) -> None:
    described = json.loads(http.get("/v1/openapi.json").text)

    assert described["openapi"].startswith("3.1")
    assert {"/v1/memories", "/v1/sources", "/v1/files", "/v1/search", "/v1/keys"} <= set(described["paths"])
