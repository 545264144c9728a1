"""Endpoints that only resemble OpenAI's, that refuse, break or hang: what comes back is a completion, or none."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from geniffy_server.commands.doctor import findings
from geniffy_server.models.openai_compatible import OpenAICompatible
from geniffy_server.ports import Away, Completion, Task
from tests.language_model.conftest import Endpoint, told

TASK = Task("facts", "List the facts.", {"passages": ["Kim says hi"]}, {"type": "object"}, 50)


async def _ask(endpoint: Endpoint, *, times: int = 1, **more: Any) -> Completion | Away:
    model = OpenAICompatible(endpoint.base_url, "small", **more)
    try:
        for _ in range(times - 1):
            await model.complete(TASK)
        return await model.complete(TASK)
    finally:
        await model.close()


async def test_a_task_is_sent_as_structured_output_with_its_data_apart(endpoint: Endpoint) -> None:
    endpoint.script = lambda body: told({"facts": []}, tokens=42)

    assert await _ask(endpoint, api_key="sk-test") == Completion({"facts": []}, 42)
    (body,) = endpoint.asked
    assert endpoint.keys == ["Bearer sk-test"]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("small", 0, 50)
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert body["response_format"]["json_schema"]["schema"] == TASK.schema
    assert "Kim" not in body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("takes", "refusal"),
    [
        (lambda body: body.get("response_format", {}).get("type") == "json_object", "json_schema is not supported"),
        (lambda body: "response_format" not in body, "response_format is not supported"),
        (lambda body: "max_completion_tokens" in body, "Use 'max_completion_tokens' instead of 'max_tokens'."),
        (lambda body: "temperature" not in body, "temperature does not support 0"),
    ],
)
async def test_what_an_endpoint_refuses_is_left_out_and_not_sent_again(
    endpoint: Endpoint, takes: Any, refusal: str
) -> None:
    def script(body: Mapping[str, Any]) -> Any:
        return told({"facts": []}) if takes(body) else (400, {"error": {"message": refusal}})

    endpoint.script = script

    assert isinstance(await _ask(endpoint, times=2), Completion)
    assert takes(endpoint.asked[-1])
    assert sum(not takes(body) for body in endpoint.asked) <= 2  # the second call begins where the first one ended


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"facts": []}\n```',
        '<think>{"no": 1}</think>\n{"facts": []}',
        'Here you are: {"facts": []} Good luck!',
    ],
)
async def test_an_object_is_found_between_thoughts_fences_and_words(endpoint: Endpoint, text: str) -> None:
    endpoint.script = lambda body: told(text, tokens=None)

    assert await _ask(endpoint) == Completion({"facts": []}, None)


@pytest.mark.parametrize(
    "reply",
    [
        told("I can't do that."),
        told('{"facts": [{"quote": "cut of'),
        told("[1, 2]"),
        told("{" * 10_000 + "}" * 10_000),
        told("x" * 500_000),
        (200, {"choices": []}),
        (200, {"choices": [{"message": {"content": None}}]}),
        (200, {"choices": [{}]}),
        (200, {"choices": "many"}),
        (200, []),
        (200, "<html>"),
        (400, {"error": {"message": "no"}}),
        (401, {"error": {"message": "wrong key"}}),
        (404, "not here"),
        (422, {"detail": "no"}),
    ],
)
async def test_an_answer_that_is_of_no_use_is_told_as_away(endpoint: Endpoint, reply: Any) -> None:
    endpoint.script = lambda body: reply

    got = await _ask(endpoint)

    assert isinstance(got, Away)
    assert got.was_asked


async def test_a_call_that_fails_for_a_moment_is_tried_again(endpoint: Endpoint) -> None:
    endpoint.script = lambda body: told({"facts": []}) if len(endpoint.asked) > 1 else (503, {"error": "busy"})

    assert isinstance(await _ask(endpoint), Completion)


async def test_an_endpoint_that_is_away_is_left_alone_for_a_while(endpoint: Endpoint) -> None:
    endpoint.script = lambda body: (401, {"error": {"message": "wrong key"}})

    got = await _ask(endpoint, times=5)

    assert got == Away("it failed a moment ago", was_asked=False)
    assert len(endpoint.asked) == 1


async def test_an_endpoint_that_hangs_is_waited_for_no_longer_than_it_may_take(endpoint: Endpoint) -> None:
    enough = threading.Event()

    def hang(body: Mapping[str, Any]) -> Any:
        enough.wait(20)
        return 500, {}

    endpoint.script = hang
    got = await _ask(endpoint, timeout_s=0.3)
    enough.set()

    assert isinstance(got, Away)


async def test_being_away_is_logged_once_and_without_what_was_said(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.script = lambda body: (200, {"choices": [{"message": {"content": "Kim said"}}]})
    with caplog.at_level(logging.INFO, "geniffy_server"):
        await _ask(endpoint, times=3)

    (record,) = [one for one in caplog.records if one.name.startswith("geniffy_server")]
    assert "the built-in way goes on" in record.getMessage()
    assert "Kim" not in caplog.text


@dataclass
class Rude:
    """What an endpoint may answer beside JSON: where else to ask, or more than anyone reads."""

    headers: Mapping[str, str]
    status: int = 200
    chunks: int = 0
    sent: int = 0


@pytest.fixture
def rude() -> Iterator[Callable[[Rude], str]]:
    """Starts an endpoint that answers as it is told; gives its address."""
    started: list[ThreadingHTTPServer] = []

    def start(answer: Rude) -> str:
        class Door(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                with contextlib.suppress(ConnectionError):
                    for _ in range(answer.chunks):
                        self.wfile.write(b" " * 1_000_000)
                        answer.sent += 1

            def log_message(self, format: str, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}/v1"

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_what_people_said_is_sent_to_no_other_endpoint_that_one_names(
    endpoint: Endpoint, rude: Callable[[Rude], str], status: int
) -> None:
    endpoint.script = lambda body: told({"facts": []})
    where = {"Location": f"{endpoint.base_url}/chat/completions", "Content-Length": "0"}
    model = OpenAICompatible(rude(Rude(where, status)), "scripted")

    got = await model.complete(TASK)
    await model.close()

    assert isinstance(got, Away)
    assert endpoint.asked == []


async def test_no_more_of_a_reply_is_read_than_an_answer_may_have(rude: Callable[[Rude], str]) -> None:
    answer = Rude({"Content-Type": "application/json", "Connection": "close"}, chunks=200)
    model = OpenAICompatible(rude(answer), "scripted")

    got = await model.complete(TASK)
    await model.close()

    assert isinstance(got, Away)
    assert answer.sent < 3 * 50  # of three tries, with what sockets hold


async def test_a_compressed_reply_is_not_unpacked(rude: Callable[[Rude], str]) -> None:
    model = OpenAICompatible(rude(Rude({"Content-Encoding": "gzip", "Connection": "close"}, chunks=1)), "scripted")

    got = await model.complete(TASK)
    await model.close()

    assert isinstance(got, Away)


async def test_no_other_services_account_is_sent_to_an_endpoint(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "of-another-service")
    endpoint.script = lambda body: told({"facts": []})

    await _ask(endpoint)

    assert "of-another-service" not in str(endpoint.headers)


def test_doctor_says_that_a_language_model_answers(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script = lambda body: told({"ok": True})
    for name, value in endpoint.settings.items():
        monkeypatch.setenv(f"GENIFFY_{name.upper()}", value)
    found = {one.about: one for one in findings(tmp_path / "data")}

    assert found["language_model"].state == "ok"
