"""An endpoint that speaks OpenAI's chat completions with scripted replies, over a real socket."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Reply = tuple[int, Any]
Script = Callable[[Mapping[str, Any]], Reply]


@dataclass
class Endpoint:
    """A scripted endpoint: `script` answers a request's body with a status and a body; `asked` holds the requests."""

    base_url: str
    script: Script
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def settings(self) -> dict[str, Any]:
        return {"llm_base_url": self.base_url, "llm_model": "scripted"}


def told(content: Any, tokens: int | None = 100) -> Reply:
    """A completion whose text is `content`, as JSON unless it is text already."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    message = {"role": "assistant", "content": text}
    body: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }
    if tokens is not None:
        body["usage"] = {"prompt_tokens": tokens - 1, "completion_tokens": 1, "total_tokens": tokens}
    return 200, body


def data_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """The data that a request handed over beside its instructions."""
    found: dict[str, Any] = json.loads(body["messages"][-1]["content"])
    return found


def task_of(body: Mapping[str, Any]) -> str:
    """Whether a request asks for `facts` or an `answer`."""
    return "facts" if "passages" in data_of(body) else "answer"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A scripted endpoint on 127.0.0.1; it answers 500 until a test gives it a script."""
    started: list[Endpoint] = []

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            started[0].asked.append(body)
            started[0].keys.append(self.headers["Authorization"])
            started[0].headers.append(dict(self.headers))
            status, reply = started[0].script(body)
            raw = reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()
            with contextlib.suppress(BrokenPipeError):  # who asked did not wait
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    started.append(Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1", lambda body: (500, {"error": "none"})))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield started[0]
    server.shutdown()
    server.server_close()
    thread.join(10)
