"""As lean a client as HTTP/1.1 allows, so that what is measured is the server: one connection, kept open."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from geniffy_server.errors import Unavailable

_TIMEOUT_S: Final = 60.0
_CALLS_A_KEY: Final = 500  # a key may make 600 calls a minute


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call was answered with."""

    status: int
    body: bytes

    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)


class Client:
    """One open connection. Of its keys it uses the next one before the last would be refused for its rate.

    Raises Unavailable when the server goes away, or answers in a way that has no length.
    """

    def __init__(self, base_url: str, keys: Sequence[str] = (), space: str | None = None) -> None:
        parts = urlsplit(base_url)
        address = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._host = f"{address[0]}:{address[1]}"
        self._keys = keys
        self._space = space
        self._calls = 0
        self._socket = socket.create_connection(address, timeout=_TIMEOUT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        space: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """The bytes of a call, made ready before anything is timed. `body` is sent as JSON."""
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self._host}", f"Content-Length: {len(data)}"]
        if body is not None:
            lines.append("Content-Type: application/json")
        if self._keys:
            lines.append(f"Authorization: Bearer {self._keys[self._calls // _CALLS_A_KEY % len(self._keys)]}")
        if space or self._space:
            lines.append(f"X-Geniffy-Space: {space or self._space}")
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self._calls += 1
        return "\r\n".join([*lines, "", ""]).encode() + data

    def send(self, request: bytes) -> Reply:
        """Send a call, and wait for its whole answer."""
        try:
            self._socket.sendall(request)
            return self._answer()
        except OSError as fault:
            raise Unavailable(f"The server at {self._host} does not answer: {fault}.") from fault

    def call(self, method: str, path: str, body: Any = None, space: str | None = None) -> Reply:
        """Make a call."""
        return self.send(self.request(method, path, body, space))

    def good(self, method: str, path: str, body: Any = None, space: str | None = None) -> Any:
        """The JSON of an answer. Raises Unavailable when it is not 2xx."""
        reply = self.call(method, path, body, space)
        if not 200 <= reply.status < 300:
            raise Unavailable(f"{method} {path} was answered with {reply.status}: {reply.body[:200]!r}")
        return reply.json()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _answer(self) -> Reply:
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._more()
        head, received = received[:end], received[end + 4 :]
        length = _length(head)
        parts, have = [received], len(received)
        while have < length:
            parts.append(self._more())
            have += len(parts[-1])
        return Reply(int(head[9:12]), b"".join(parts))

    def _more(self) -> bytes:
        received = self._socket.recv(65_536)
        if not received:
            raise Unavailable(f"The server at {self._host} closed the connection.")
        return received


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    if head[9:12] in (b"204", b"304"):
        return 0
    raise Unavailable("The server sent an answer without its length.")
