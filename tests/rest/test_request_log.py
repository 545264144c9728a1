"""The request log around any app: ids, records, faults, and lines without secrets."""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from geniffy_server.caller import Caller
from geniffy_server.domain.account import KeyId
from geniffy_server.domain.space import AccountId
from geniffy_server.ports import CallRecord
from geniffy_server.request_log import MaskedFormatter, RequestLog, request_id

NOW = datetime(2026, 10, 6, 11, tzinfo=UTC)


class Calls:
    """A call log that keeps what it was given."""

    def __init__(self) -> None:
        self.rows: list[CallRecord] = []

    def record(self, call: CallRecord) -> None:
        self.rows.append(call)


class Meter:
    def __init__(self) -> None:
        self.seen: list[tuple[str, str, int]] = []

    def observe(self, door: str, route: str, status: int, duration_s: float) -> None:
        assert duration_s >= 0
        self.seen.append((door, route, status))


class App:
    """Answers as `work` does, with what Starlette would have put into the scope."""

    def __init__(self, work: Any, template: str | None = "/v1/memories/{memory_id}") -> None:
        self.calls, self.meter = Calls(), Meter()
        ports = SimpleNamespace(calls=self.calls, clock=SimpleNamespace(now=lambda: NOW))
        self.state = SimpleNamespace(ports=ports, meter=self.meter)
        self.ids: list[str] = []

        async def routed(scope: Scope, receive: Receive, send: Send) -> None:
            scope["app"] = self
            if template is not None:
                scope["route"] = SimpleNamespace(path_format=template)
            self.ids.append(request_id.get())
            await work(scope, receive, send)

        self.app = RequestLog(routed)

    async def get(self, path: str = "/v1/memories/7", **options: Any) -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://localhost") as client:
            return await client.request(options.pop("method", "GET"), path, **options)


async def fine(scope: Scope, receive: Receive, send: Send) -> None:
    scope["state"]["caller"] = Caller(AccountId(3), "priya", key_id=KeyId(5), app="geniffy-python/0.5.1")
    headers = [(b"content-type", b"text/plain"), (b"X-Request-ID", b"somebody else's")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok"})


async def broken(scope: Scope, receive: Receive, send: Send) -> None:
    raise RuntimeError("a secret detail of the server")


async def endless(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.Event().wait()


async def broken_late(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    raise RuntimeError("a secret detail of the server")


async def test_every_answer_carries_the_one_id_that_its_lines_and_its_record_have() -> None:
    app = App(fine)

    answer = await app.get(headers={"X-Request-ID": "7d9f8f0e-3c1f-4f0c-9a2b-111111111111"})

    assert answer.headers.get_list("x-request-id") == app.ids == [app.calls.rows[0].id]
    assert UUID(app.ids[0]).version == 4
    assert app.ids[0] != "7d9f8f0e-3c1f-4f0c-9a2b-111111111111"
    assert request_id.get() == "-"


async def test_a_record_says_who_called_what_and_how_it_ended_and_not_what_was_asked() -> None:
    app = App(fine)

    await app.get("/v1/memories/123456?label=team:sales")

    (row,) = app.calls.rows
    assert (row.door, row.route, row.status, row.outcome) == ("rest", "GET /v1/memories/{memory_id}", 200, "ok")
    assert (row.account_id, row.space, row.key_id, row.app) == (3, "priya", 5, "geniffy-python/0.5.1")
    assert row.at == NOW
    assert "123456" not in str(row)
    assert "sales" not in str(row)
    assert app.meter.seen == [("rest", "GET /v1/memories/{memory_id}", 200)]


async def test_a_fault_is_answered_in_the_envelope_and_logged_under_its_id(caplog: pytest.LogCaptureFixture) -> None:
    app = App(broken)

    with caplog.at_level(logging.ERROR):
        answer = await app.get()

    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "secret detail" not in answer.text
    assert answer.headers["retry-after"].isdecimal()
    assert answer.headers["x-request-id"] == app.ids[0]
    assert (app.calls.rows[0].status, app.calls.rows[0].outcome) == (500, "internal")
    assert "secret detail" in caplog.text


async def test_a_call_that_is_given_up_is_answered_with_a_time_to_come_back() -> None:
    app = App(endless)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    call = asyncio.create_task(app.app({"type": "http", "method": "GET", "path": "/"}, None, send))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    head, body = sent
    assert (head["status"], json.loads(body["body"])["error"]["code"]) == (503, "memory_unavailable")
    assert dict(head["headers"])[b"retry-after"].isdigit()
    assert dict(head["headers"])[b"x-request-id"].decode() == app.ids[0]
    assert (app.calls.rows[0].status, app.calls.rows[0].outcome) == (503, "memory_unavailable")


async def test_a_fault_behind_the_first_byte_is_recorded_as_one() -> None:
    app = App(broken_late)
    sent: list[str] = []

    async def send(message: Any) -> None:
        sent.append(message["type"])

    await app.app({"type": "http", "method": "GET", "path": "/"}, None, send)  # type: ignore[arg-type]

    assert sent == ["http.response.start"]  # the server closes the connection: the client sees it cut off
    assert (app.calls.rows[0].status, app.calls.rows[0].outcome) == (200, "internal")


@pytest.mark.parametrize("template", ["/healthz", "/readyz", "/metrics"])
async def test_probes_are_counted_and_not_recorded(template: str) -> None:
    app = App(fine, template)

    answer = await app.get(template)

    assert answer.headers["x-request-id"]
    assert app.calls.rows == []
    assert app.meter.seen == [("rest", f"GET {template}", 200)]


@pytest.mark.parametrize(
    ("template", "path", "door"),
    [
        ("/mcp", "/mcp", "mcp"),
        ("/mcp/omi", "/mcp/omi", "mcp"),
        ("/app/memories", "/app/memories", "page"),
        ("/oauth/token", "/oauth/token", "page"),
        (None, "/v1/nope", "rest"),
        (None, "/mcp/nope", "mcp"),
    ],
)
async def test_a_call_is_recorded_by_its_door(template: str | None, path: str, door: str) -> None:
    app = App(fine, template)

    await app.get(path)

    assert (app.calls.rows[0].door, app.calls.rows[0].route) == (door, f"GET {template or '(unknown)'}")


async def test_a_route_and_an_app_that_a_handler_names_are_recorded() -> None:
    async def named(scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"].update(route="/mcp", app="Claude", outcome="bad_key")
        await fine(scope, receive, send)

    app = App(named, None)
    await app.get("/somewhere")

    row = app.calls.rows[0]
    assert (row.door, row.route, row.app, row.outcome) == ("mcp", "GET /mcp", "Claude", "bad_key")


async def test_a_method_that_nobody_knows_is_not_recorded_by_its_name() -> None:
    app = App(fine)

    await app.get(method="X" * 2000)

    assert app.calls.rows[0].route == "OTHER /v1/memories/{memory_id}"


def test_a_line_holds_no_key_and_no_password_not_even_in_its_traceback() -> None:
    key = "gnf_live_" + "a1B2" * 10 + "xyz"
    try:
        raise ValueError(f"no key {key} here, nor gnf_at_short")
    except ValueError as fault:
        record = logging.LogRecord(
            "x", logging.ERROR, __file__, 1, "sent %s", (key,), (ValueError, fault, fault.__traceback__)
        )

    line = MaskedFormatter("%(request_id)s %(message)s").format(record)

    assert line.startswith("- sent █")
    assert "a1B2" not in line
    assert "gnf_at_short" not in line
    assert "Traceback" in line
