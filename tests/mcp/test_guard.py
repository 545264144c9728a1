"""What stands before `/mcp`: methods, hosts, origins, keys and sizes, over plain HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_memories", "arguments": {}}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "Lemon", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
MODERN = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "search"}


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """An answer's status and the code of its envelope."""
    error = answer.json()["error"]
    assert error["message"].endswith(".")
    return answer.status_code, error["code"]


@pytest.mark.statement(239)
async def test_without_a_token_the_answer_says_where_the_metadata_is(raw: Any, base_url: str, server: Any) -> None:
    answer = await raw.post("/mcp", json=CALL, headers={"Authorization": ""})

    metadata = f"{server.ports.public_url}/.well-known/oauth-protected-resource/mcp"
    assert refusal(answer) == (401, "bad_key")
    assert answer.headers["WWW-Authenticate"] == f'Bearer resource_metadata="{metadata}"'
    assert answer.headers["X-Request-ID"]


@pytest.mark.parametrize("sent", ["Bearer nope", "Bearer gnf_at_nope", "bearer gnf_live_" + "x" * 43])
async def test_a_token_that_is_not_good_is_401_and_says_invalid_token(raw: Any, sent: str) -> None:
    answer = await raw.post("/mcp", json=CALL, headers={"Authorization": sent})

    assert refusal(answer) == (401, "bad_key")
    assert answer.headers["WWW-Authenticate"].startswith('Bearer error="invalid_token", resource_metadata="')


@pytest.mark.parametrize("path", ["/mcp", "/mcp/omi"])
async def test_an_address_with_a_slash_behind_it_is_the_same_door(raw: Any, path: str) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    plain, slashed = [await raw.post(at, json=listing) for at in (path, f"{path}/")]
    unsigned = await raw.post(f"{path}/", json=listing, headers={"Authorization": ""})

    assert slashed.status_code == plain.status_code == 200
    assert slashed.json() == plain.json()
    assert unsigned.headers["WWW-Authenticate"].endswith(f'/.well-known/oauth-protected-resource{path}"')


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD"])
async def test_only_post_is_answered(raw: Any, method: str) -> None:
    answer = await raw.request(method, "/mcp")

    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST, OPTIONS"
    assert method == "HEAD" or refusal(answer) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    "origin", ["http://localhost:6274", "http://127.0.0.1:3000", "http://[::1]:9", "https://localhost"]
)
async def test_a_page_on_this_machine_may_call_and_read_the_answer(raw: Any, origin: str) -> None:
    asked = await raw.options("/mcp", headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
    answered = await raw.post("/mcp", json=CALL, headers={"Origin": origin})
    refused = await raw.post("/mcp", json=CALL, headers={"Origin": origin, "Authorization": ""})

    assert (asked.status_code, asked.content) == (204, b"")
    assert {"POST"} <= set(asked.headers["Access-Control-Allow-Methods"].split(", "))
    allowed = {name.strip().lower() for name in asked.headers["Access-Control-Allow-Headers"].split(",")}
    assert {"authorization", "content-type", "mcp-protocol-version", "mcp-session-id", "x-geniffy-space"} <= allowed
    assert (answered.status_code, refused.status_code) == (200, 401)
    for answer in (asked, answered, refused):
        assert answer.headers.get_list("Access-Control-Allow-Origin") == [origin]
        exposed = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
        assert {"Mcp-Session-Id", "WWW-Authenticate", "X-Request-ID", "Retry-After"} <= exposed


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://localhost.evil.example", "file://", "http://127.0.0.1.evil.example", "x"],
)
async def test_a_page_of_another_origin_is_refused_before_its_key_is_read(raw: Any, origin: str) -> None:
    for method in ("POST", "OPTIONS"):
        answer = await raw.request(method, "/mcp", json=CALL, headers={"Origin": origin, "Authorization": ""})

        assert refusal(answer) == (403, "not_allowed")
        assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "10.0.0.1", "127.0.0.1.nip.io:8787", "["])
async def test_a_host_that_is_not_ours_is_refused(raw: Any, host: str) -> None:
    answer = await raw.post("/mcp", json=CALL, headers={"Host": host})

    assert refusal(answer) == (403, "not_allowed")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:8787"])
async def test_this_machine_s_own_names_are_answered_on_any_port(raw: Any, host: str) -> None:
    assert (await raw.post("/mcp", json=CALL, headers={"Host": host})).status_code == 200


async def test_the_public_url_and_chosen_origins_are_answered_beneath_its_prefix(
    fresh_server: Callable[..., Any], make_account: Callable[..., Any]
) -> None:
    server = fresh_server(
        public_url="https://x.example/mem", allowed_origins="https://app.example, http://b.example:81"
    )
    key = make_account(server).key
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json", "Host": "x.example"}
    async with httpx.AsyncClient(base_url=server.base_url, headers=headers) as raw:
        for path in ("/mem/mcp", "/mcp"):
            assert (await raw.post(path, json=CALL)).status_code == 200
            for origin in ("https://x.example", "https://app.example", "http://b.example:81", "https://x.example:443"):
                assert (await raw.post(path, json=CALL, headers={"Origin": origin})).status_code == 200
            for origin in ("http://x.example", "https://app.example:444", "http://b.example"):
                assert (await raw.post(path, json=CALL, headers={"Origin": origin})).status_code == 403
        refused = await raw.post("/mem/mcp", json=CALL, headers={"Authorization": ""})

    assert '"https://x.example/mem/.well-known/oauth-protected-resource/mcp"' in refused.headers["WWW-Authenticate"]


@pytest.mark.parametrize("space", ["", "a:b", "..", "x" * 129])
async def test_a_blank_or_malformed_space_header_is_422(raw: Any, space: str) -> None:
    assert refusal(await raw.post("/mcp", json=CALL, headers={"X-Geniffy-Space": space})) == (422, "bad_space")


async def test_two_space_headers_are_refused(raw: Any) -> None:
    headers = [*raw.headers.items(), ("X-Geniffy-Space", "ana"), ("X-Geniffy-Space", "ben")]

    assert refusal(await raw.post("/mcp", json=CALL, headers=headers)) == (422, "bad_space")


async def test_a_limited_key_with_another_space_in_the_header_is_403(raw: Any, client: Any) -> None:
    key = client.space("ana").keys.create(name="Ana's phone").key

    answer = await raw.post("/mcp", json=CALL, headers={"Authorization": f"Bearer {key}", "X-Geniffy-Space": "ben"})

    assert refusal(answer) == (403, "wrong_space")


async def test_over_the_key_s_rate_the_answer_is_429_with_a_time_to_come_back(raw: Any, client: Any) -> None:
    key = client.space("ana").keys.create(name="slow", rpm=1).key
    headers = {"Authorization": f"Bearer {key}"}

    first = await raw.post("/mcp", json=CALL, headers=headers)
    second = await raw.post("/mcp", json=CALL, headers=headers)

    assert first.status_code == 200
    assert refusal(second) == (429, "busy")
    assert 1 <= int(second.headers["Retry-After"]) <= 60


async def test_a_revoked_key_is_refused_at_once(raw: Any, client: Any) -> None:
    made = client.space("ana").keys.create(name="old")
    headers = {"Authorization": f"Bearer {made.key}"}
    assert (await raw.post("/mcp", json=CALL, headers=headers)).status_code == 200

    client.space("ana").keys.revoke(made.id)

    assert refusal(await raw.post("/mcp", json=CALL, headers=headers)) == (401, "bad_key")


async def test_when_the_store_is_away_the_answer_is_503_with_a_time_to_come_back(
    fresh_server: Callable[..., Any], make_account: Callable[..., Any]
) -> None:
    server = fresh_server()
    headers = {"Authorization": f"Bearer {make_account(server).key}", "Accept": "application/json"}
    server.run(server.ports.store.close())

    async with httpx.AsyncClient(base_url=server.base_url, headers=headers) as raw:
        answer = await raw.post("/mcp", json=CALL)

    assert refusal(answer) == (503, "memory_unavailable")
    assert int(answer.headers["Retry-After"]) >= 1


@pytest.mark.parametrize("is_announced", [True, False])
async def test_a_body_over_the_limit_is_413(raw: Any, is_announced: bool) -> None:
    body = b'"' + b"x" * (1 << 20) + b'"'

    async def chunks() -> Any:
        for start in range(0, len(body), 1 << 16):
            yield body[start : start + (1 << 16)]

    answer = await raw.post("/mcp", content=body if is_announced else chunks())

    assert refusal(answer) == (413, "too_large")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"nope", -32700),
        (b"[" * 5000, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":"x"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"nope"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"prompts/list"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}', -32601),
    ],
)
async def test_a_malformed_request_is_a_json_rpc_error(raw: Any, body: bytes, code: int) -> None:
    answer = await raw.post("/mcp", content=body)

    assert answer.status_code < 500
    assert answer.json()["error"]["code"] == code
    assert b"Traceback" not in answer.content


PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}


@pytest.mark.parametrize(
    ("sent", "code", "named", "sentence"),
    [
        ([PING], -32600, None, "A message is one object; several are sent one by one."),
        (None, -32600, None, "A message is one object; several are sent one by one."),
        (PING | {"jsonrpc": "1.0"}, -32600, 7, "'jsonrpc' must be \"2.0\"."),
        (PING | {"id": None}, -32600, None, "'id' must be a string or a whole number."),
        (PING | {"id": 1.5}, -32600, None, "'id' must be a string or a whole number."),
        (PING | {"id": True}, -32600, None, "'id' must be a string or a whole number."),
        (PING | {"id": "a\ud83d"}, -32600, None, "'id' holds half of a surrogate pair; leave it out."),
        (PING | {"id": "a", "method": 5}, -32600, "a", "'method' must be the name of a method."),
        (PING | {"params": []}, -32602, 7, "'params' must be an object."),
    ],
)
async def test_what_is_no_message_is_said_in_one_sentence(
    raw: Any, sent: Any, code: int, named: Any, sentence: str
) -> None:
    answer = await raw.post("/mcp", content=json.dumps(sent))

    assert answer.status_code == 400
    assert answer.json() == {"jsonrpc": "2.0", "id": named, "error": {"code": code, "message": sentence}}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/omi"])
@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        (None, "'name' must be the name of a tool."),
        ({"arguments": {}}, "'name' must be the name of a tool."),
        ({"name": 5}, "'name' must be the name of a tool."),
        ({"name": "get_memories", "arguments": []}, "'arguments' must be an object."),
        ({"name": "get_memories", "arguments": "sort"}, "'arguments' must be an object."),
    ],
)
async def test_a_call_that_names_no_tool_or_has_no_object_of_arguments_is_told_so(
    raw: Any, path: str, params: Any, sentence: str
) -> None:
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"} | ({} if params is None else {"params": params})

    answer = await raw.post(path, json=call)

    error = {"code": -32602, "message": sentence, "data": {"code": "invalid_arguments"}}
    assert answer.json() == {"jsonrpc": "2.0", "id": 7, "error": error}


async def test_a_message_of_another_content_type_is_a_json_rpc_error(raw: Any) -> None:
    answer = await raw.post("/mcp", content=json.dumps(PING), headers={"Content-Type": "text/plain"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)
    assert "'text/plain'" in answer.json()["error"]["message"]
    assert (await raw.post("/mcp", json=PING)).json()["result"] == {}


async def test_half_a_pair_in_a_call_of_an_older_revision_is_answered_under_its_id(raw: Any) -> None:
    body = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"ask","arguments":{"question":"a\\ud83d"}}}'

    answer = (await raw.post("/mcp", content=body)).json()

    assert (answer["id"], answer["error"]["code"]) == (9, -32602)
    assert "half of a surrogate pair" in answer["error"]["message"]


@pytest.mark.parametrize("text", ["a\\ud83d", "a\\u0000", "\\udc00"])
async def test_what_can_t_be_kept_is_an_error_and_the_next_call_works(raw: Any, text: str) -> None:
    params = f'{{"name":"remember","arguments":{{"text":"{text}"}},"_meta":{json.dumps(META)}}}'
    body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'

    answer = await raw.post("/mcp", content=body, headers=MODERN | {"Mcp-Name": "remember"})

    assert answer.json()["result"]["isError"] is True
    assert (await raw.post("/mcp", json=CALL)).json()["result"]["structuredContent"]["total"] == 0


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_each_handshake_revision_is_answered(raw: Any, version: str) -> None:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "Lemon", "version": "1"}}

    hello = await raw.post("/mcp", json={"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
    noted = await raw.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    called = await raw.post("/mcp", json=CALL, headers={"MCP-Protocol-Version": version})
    pinged = await raw.post("/mcp", json={"jsonrpc": "2.0", "id": 2, "method": "ping"})

    result = hello.json()["result"]
    assert result["protocolVersion"] == version
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert result["serverInfo"]["name"] == "geniffy-agents"
    assert "don't know" in result["instructions"]
    assert noted.status_code == 202
    assert called.json()["result"]["structuredContent"]["total"] == 0
    assert pinged.json()["result"] == {}
    assert "mcp-session-id" not in hello.headers


async def test_the_revision_without_a_handshake_is_answered(raw: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}}

    found = await raw.post("/mcp", json=body, headers=MODERN | {"Mcp-Method": "server/discover"})
    unknown = await raw.post("/mcp", json=CALL, headers=MODERN | {"MCP-Protocol-Version": "1999-01-01"})
    mismatched = await raw.post("/mcp", json={**CALL, "params": {**CALL["params"], "_meta": META}}, headers=MODERN)

    result = found.json()["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert unknown.status_code == 400
    assert mismatched.status_code == 400


async def test_a_call_is_logged_with_its_tool_its_key_and_its_app(raw: Any, server: Any, account: Any) -> None:
    params = {"name": "search", "arguments": {"query": "x", "space": "ana"}, "_meta": META}
    refused = {"name": "search", "arguments": {}, "_meta": META}
    for one in (params, refused):
        assert (await raw.post("/mcp", json={**CALL, "params": one}, headers=MODERN)).status_code == 200

    server.run(server.ports.calls.flush())
    calls, _ = server.run(server.ports.calls.page(account.id, limit=10))

    assert [(one.door, one.route, one.space, one.app, one.outcome) for one in calls] == [
        ("mcp", "POST /mcp search", "", "Lemon", "invalid_request"),
        ("mcp", "POST /mcp search", "ana", "Lemon", "ok"),
    ]


@pytest.mark.parametrize(
    ("agent", "named"),
    [
        ("claude-code/2.1.332 (cli)", "claude-code"),
        ("Lemon", "Lemon"),
        ("python-httpx2/2.16.2", "contract"),
        ("", "contract"),
        ("x" * 500, "x" * 57 + "..."),
    ],
)
async def test_an_app_is_named_by_its_user_agent_or_else_by_its_key(raw: Any, agent: str, named: str) -> None:
    async def call(name: str, arguments: dict[str, Any]) -> Any:
        body = {**CALL, "params": {"name": name, "arguments": arguments}}
        return (await raw.post("/mcp", json=body, headers={"User-Agent": agent})).json()["result"]["structuredContent"]

    added = await call("remember", {"text": "ok"})

    assert (await call("fetch", {"id": added["source"]["id"]}))["metadata"]["added_by"] == named


async def test_a_client_s_name_is_kept_on_one_line_without_what_can_t_be_seen(raw: Any) -> None:
    meta = {**META, "io.modelcontextprotocol/clientInfo": {"name": "Le\u202emon\x00\n juice", "version": "1"}}

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        body = {**CALL, "params": {"name": name, "arguments": arguments, "_meta": meta}}
        answer = await raw.post("/mcp", json=body, headers=MODERN | {"Mcp-Name": name})
        return answer.json()["result"]["structuredContent"]

    added = await call("remember", {"text": "ok"})

    assert (await call("fetch", {"id": added["source"]["id"]}))["metadata"]["added_by"] == "Lemon juice"


async def test_white_space_around_a_header_s_value_is_no_part_of_it(base_url: str, api_key: str) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_memories", "_meta": META}}
    body = json.dumps(call)
    place = base_url.removeprefix("http://")
    headers = {
        **MODERN,
        "Mcp-Name": " list_memories \t",
        "Host": place,
        "Authorization": f"Bearer {api_key}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", body]

    host, _, port = place.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write("\r\n".join(lines).encode())
    answer = await asyncio.wait_for(reader.read(), 60)
    writer.close()

    assert answer.startswith(b"HTTP/1.1 200"), answer
