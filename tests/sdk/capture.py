"""A server in the place of the network: it notes what is sent and answers from a script."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from geniffy_agents import AsyncGeniffy, Geniffy

BASE_URL = "http://h:1/pre"
KEY = "gnf_test"

SOURCE_ID = "6f1c0a3e9b2d4c8e8a7f5b3d2e1c0f9a"
MEMORY = {
    "id": 3,
    "text": "Priya Nair signs the renewal.",
    "kind": "plan",
    "about": "Priya Nair",
    "status": "current",
    "learned_at": "2026-10-06T11:00:01.204913+00:00",
    "said_at": "2026-10-06T11:00:00+00:00",
    "source": {"id": SOURCE_ID, "kind": "note", "title": "Lumen", "labels": {"team": "sales"}},
    "quote": "Priya Nair signs the renewal.",
}
SOURCE = {
    "id": SOURCE_ID,
    "kind": "note",
    "title": "Lumen",
    "status": "learned",
    "error": None,
    "facts": 1,
    "added_at": "2026-10-06T11:00:00+00:00",
    "external_id": "x/1",
    "labels": {"team": "sales"},
}
# One answer that has what every call needs to see.
ANSWER: dict[str, Any] = {
    "id": 3,
    "name": "Kim",
    "space": "42",
    "memory": MEMORY,
    "history": [],
    "source": SOURCE,
    "sources": [SOURCE],
    "memories": [MEMORY],
    "files": [{"path": "/m/a.md", "size": 1, "updated_at": "2026-10-06T11:00:00+00:00"}],
    "path": "/m/a.md",
    "text": "x",
    "size": 1,
    "counts": {"all": 1},
    "total": 1,
    "next": None,
    "question": "q",
    "answer": "May.",
    "context": "- Priya Nair signs the renewal.",
    "briefing": "Where things stand:",
    "intention": {"id": 3, "status": "dropped"},
    "deleted": 1,
    "moved": 1,
}

Answerer = Callable[[httpx.Request], httpx.Response]


@dataclass
class Wire:
    """A transport for either client. `answer` is asked for every request; the requests are kept in `sent`."""

    answer: Answerer = lambda request: httpx.Response(200, json=ANSWER)
    sent: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.sent.append(request)
        return self.answer(request)

    def http(self, timeout: float | None = 60.0) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self), timeout=timeout)

    def async_http(self, timeout: float | None = 60.0) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self), timeout=timeout)

    def client(self, **options: Any) -> Geniffy:
        return Geniffy(KEY, base_url=BASE_URL, http_client=self.http(), **options)

    def async_client(self, **options: Any) -> AsyncGeniffy:
        return AsyncGeniffy(KEY, base_url=BASE_URL, http_client=self.async_http(), **options)

    @property
    def lines(self) -> list[str]:
        """What was sent, one line a request: method, address and body."""
        return [shown(request) for request in self.sent]


def script(*replies: httpx.Response | Exception) -> Answerer:
    """An answerer that gives each of `replies` once, in order, and fails the test when there is no more."""
    left = iter(replies)

    def answer(request: httpx.Request) -> httpx.Response:
        reply = next(left)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return answer


def shown(request: httpx.Request) -> str:
    """A request as one line: JSON in one order of keys, multipart without its boundary, which is random."""
    body = request.content
    kind = request.headers.get("content-type", "")
    if kind.startswith("multipart/"):
        body = body.replace(kind.partition("boundary=")[2].encode(), b"|").replace(b"\r\n", b" ")
    return ordered(f"{request.method} {request.url.raw_path.decode()} {body.decode()}".rstrip())


def ordered(line: str) -> str:
    """A line of `shown`, its JSON with sorted keys."""
    head, brace, rest = line.partition(" {")
    if not brace or "multipart" in head or "--|" in head:
        return line
    return f"{head} {json.dumps(json.loads('{' + rest), sort_keys=True, ensure_ascii=False)}"


def body_of(request: httpx.Request) -> Any:
    return json.loads(request.content)


async def outcome(result: Any) -> Any:
    """What a call of either client comes to: awaited, or collected, where it has to be."""
    if inspect.isawaitable(result):
        return await result
    if isinstance(result, AsyncIterator):
        return [each async for each in result]
    if isinstance(result, Iterator):
        return list(result)
    return result
