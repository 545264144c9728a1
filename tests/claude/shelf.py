"""`/v1/files` in memory, for tests that make very many calls or that step in between two of them.

`test_shelf.py` shows that it answers as the server does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from geniffy_agents import AsyncGeniffy, Geniffy


@dataclass(frozen=True)
class Asked:
    """One request. `headers` are in lower case."""

    method: str
    path: str
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    content: bytes = b""

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.content)
        return body


@dataclass(frozen=True)
class Answered:
    """One answer, with as much of a response as the SDK reads."""

    status_code: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return json.dumps(self.body).encode()


@dataclass
class Shelf:
    """Texts by path. `before` is called with every request, ahead of its answer; the requests are kept in `sent`."""

    texts: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    before: Callable[[Asked], Answered | None] = lambda asked: None
    sent: list[Asked] = field(default_factory=list)

    def answer(self, asked: Asked) -> Answered:
        self.sent.append(asked)
        stepped_in = self.before(asked)
        if stepped_in is not None:
            return stepped_in
        if asked.method == "POST":
            return self._move(asked.body["from"], asked.body["to"])
        if asked.method == "PUT":
            return self._put(asked)
        if "path" in asked.query:
            return self._one(asked.method, asked.query["path"])
        return self._many(asked.method, asked.query)

    def client(self, *, max_retries: int = 0) -> Geniffy:
        """A client of it that goes the whole way through httpx."""
        http = httpx.Client(transport=httpx.MockTransport(self._carried))
        return Geniffy("gnf_test", max_retries=max_retries, http_client=http)

    def async_client(self) -> AsyncGeniffy:
        http = httpx.AsyncClient(transport=httpx.MockTransport(self._carried))
        return AsyncGeniffy("gnf_test", max_retries=0, http_client=http)

    def quick_client(self) -> Geniffy:
        """A client of it without httpx in between, for calls by the hundred thousand."""
        http: Any = _Quick(self)
        return Geniffy("gnf_test", max_retries=0, http_client=http)

    def _carried(self, request: httpx.Request) -> httpx.Response:
        request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = Asked(request.method, request.url.path, request.url.params, headers, request.content)
        done = self.answer(asked)
        return httpx.Response(done.status_code, headers=dict(done.headers), json=dict(done.body))

    def _one(self, method: str, path: str) -> Answered:
        if path not in self.texts:
            return refused(404, "not_found", f"There is no file at {path}.")
        if method == "DELETE":
            del self.texts[path]
            return Answered(200, {"deleted": 1})
        text = self.texts[path]
        return Answered(200, {"path": path, "text": text, "size": len(text)}, {"etag": tag(text)})

    def _many(self, method: str, query: Mapping[str, Any]) -> Answered:
        under = sorted(path for path in self.texts if path.startswith(query["prefix"]))
        if method == "DELETE":
            for path in under[:100]:
                del self.texts[path]
            return Answered(200, {"deleted": len(under[:100]), "more": len(under) > 100})
        cursor, after = int(query["cursor"]), int(query["cursor"]) + int(query["limit"])
        page = [{"path": path, "size": len(self.texts[path])} for path in under[cursor:after]]
        return Answered(200, {"files": page, "total": len(under), "next": after if after < len(under) else None})

    def _put(self, asked: Asked) -> Answered:
        path, text, held = asked.body["path"], asked.body["text"], self.texts.get(asked.body["path"])
        expected, absent = asked.headers.get("if-match"), asked.headers.get("if-none-match")
        if text != held:
            if expected is not None and (held is None or expected != tag(held)):
                return refused(412, "changed", f"{path} was changed.")
            if absent is not None and held is not None:
                return refused(412, "changed", f"There is a file at {path} already.")
        self.texts[path] = text
        self.labels[path] = asked.body.get("labels", self.labels.get(path, {}))
        return Answered(200, {"path": path, "size": len(text), "created": held is None}, {"etag": tag(text)})

    def _move(self, origin: str, to: str) -> Answered:
        paths = [origin] if origin in self.texts else [path for path in self.texts if path.startswith(f"{origin}/")]
        if not paths:
            return refused(404, "not_found", f"There is no file at {origin} and none beneath it.")
        moves = {path: to + path[len(origin) :] for path in paths}
        leaving = paths if origin != to else []
        if any(target in self.texts and target not in leaving for target in moves.values()):
            return refused(409, "conflict", "There is a file already, so nothing was moved.")
        self.texts.update({target: self.texts.pop(path) for path, target in moves.items()})
        return Answered(200, {"moved": len(paths)})


class _Quick:
    """As much of an httpx.Client as the SDK asks for."""

    timeout = httpx.Timeout(None)
    is_closed = False

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def request(self, method: str, url: str, params: Any, headers: Mapping[str, str], content: bytes = b"") -> Answered:
        lowered = {name.lower(): value for name, value in headers.items()}
        path = url.removeprefix("http://127.0.0.1:8787")
        return self._shelf.answer(Asked(method, path, dict(params or {}), lowered, content))


def tag(text: str) -> str:
    return f'"{hashlib.sha256(text.encode()).hexdigest()}"'


def refused(status: int, code: str, message: str) -> Answered:
    """An answer that refuses."""
    return Answered(status, {"error": {"code": code, "message": message}})
