"""Timing refreshes of tokens: what is refused is told, and nobody waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from geniffy_server.bench.signing_in import ConnectedApp, refreshes
from geniffy_server.errors import Unavailable


class Answering(BaseHTTPRequestHandler):
    """Refuses the token `spent`, and gives another for any other."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.answer(200, b"ok")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_spent = b"refresh_token=spent&" in body
        self.answer(400 if is_spent else 200, b'{"error": "invalid_grant"}' if is_spent else b'{"refresh_token": "x"}')

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as web:
        Thread(target=web.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{web.server_port}"
        web.shutdown()


def test_all_apps_refresh_as_often_as_the_bare_endpoint_is_called(address: str) -> None:
    (figure,) = refreshes(address, address, [ConnectedApp("one", "a"), ConnectedApp("two", "b")], 6)

    assert figure.value > 0
    assert "6 by 2 at once" in figure.note


def test_a_refresh_that_is_refused_is_told_and_nobody_waits_for_it(address: str) -> None:
    with pytest.raises(Unavailable, match="answered with 400"):
        refreshes(address, address, [ConnectedApp("one", "a"), ConnectedApp("two", "spent")], 6)
