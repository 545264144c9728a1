"""A line between a client and a running server that a test can cut."""

from __future__ import annotations

from typing import Literal

import httpx

from geniffy_agents import AsyncGeniffy, Geniffy

Cut = Literal["", "away", "answer lost"]


class Line(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Carries calls to the server, and keeps them in `sent`.

    While `cut` is "away" no connection opens. While it is "answer lost", what adds something arrives and its answer
    does not.
    """

    def __init__(self) -> None:
        self.cut: Cut = ""
        self.sent: list[httpx.Request] = []
        self._blocking, self._waiting = httpx.HTTPTransport(), httpx.AsyncHTTPTransport()

    def client(self, key: str, base_url: str) -> Geniffy:
        return Geniffy(key, base_url=base_url, max_retries=0, http_client=httpx.Client(transport=self, timeout=30))

    def async_client(self, key: str, base_url: str) -> AsyncGeniffy:
        http = httpx.AsyncClient(transport=self, timeout=30)
        return AsyncGeniffy(key, base_url=base_url, max_retries=0, http_client=http)

    @property
    def adds(self) -> int:
        """How many calls that add something were carried."""
        return sum(request.method == "POST" and request.url.path == "/v1/memories" for request in self.sent)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._before(request)
        response = self._blocking.handle_request(request)
        response.read()
        self._after(request)
        return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._before(request)
        response = await self._waiting.handle_async_request(request)
        await response.aread()
        self._after(request)
        return response

    def close(self) -> None:
        self._blocking.close()

    async def aclose(self) -> None:
        await self._waiting.aclose()

    def _before(self, request: httpx.Request) -> None:
        if self.cut == "away":
            raise httpx.ConnectError("cut", request=request)
        self.sent.append(request)

    def _after(self, request: httpx.Request) -> None:
        if self.cut == "answer lost" and request.method == "POST" and request.url.path == "/v1/memories":
            raise httpx.ReadTimeout("lost", request=request)
