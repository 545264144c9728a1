"""A Messages API that follows a script: every request is kept, and answered with the next message."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anthropic
import httpx2

MODEL = "claude-sonnet-5-5"
Block = dict[str, Any]


def says(text: str) -> list[Block]:
    """The end of a turn."""
    return [{"type": "text", "text": text}]


def uses(*commands: dict[str, Any]) -> list[Block]:
    """A message that uses the memory tool, once or several times."""
    return [
        {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": command}
        for number, command in enumerate(commands)
    ]


@dataclass
class Scripted:
    """Answers each request with the next of `messages`."""

    messages: Sequence[list[Block]]
    sent: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append(json.loads(request.content))
        return httpx2.Response(200, json=self.answer(len(self.sent) - 1))

    def answer(self, number: int) -> dict[str, Any]:
        """The message that answers a request, by its number from 0."""
        content = self.messages[number]
        stop = "tool_use" if content[0]["type"] == "tool_use" else "end_turn"
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    def client(self) -> anthropic.Anthropic:
        http = httpx2.Client(transport=httpx2.MockTransport(self))
        return anthropic.Anthropic(api_key="scripted", http_client=http, max_retries=0)

    def async_client(self) -> anthropic.AsyncAnthropic:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        return anthropic.AsyncAnthropic(api_key="scripted", http_client=http, max_retries=0)

    @property
    def results(self) -> list[tuple[str, bool]]:
        """What the model was told by the tool, in order: the words, and whether they are an error."""
        told = []
        for request in self.sent[1:]:
            last = request["messages"][-1]
            told += [(block["content"], bool(block.get("is_error"))) for block in last["content"]]
        return told


@contextmanager
def listening(scripted: Scripted) -> Iterator[str]:
    """The address that the scripted API answers at while the block runs, for code that makes its own client."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            scripted.sent.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            body = json.dumps(scripted.answer(len(scripted.sent) - 1)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name="scripted")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
