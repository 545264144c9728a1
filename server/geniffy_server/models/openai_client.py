"""What clients of an OpenAI-compatible endpoint share: where their calls go, what they carry, what they may read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import httpx

NO_KEY: Final = "none"  # the library wants some key; endpoints on one's own machine ask for none
_MOST_REPLY_BYTES: Final = 8_000_000  # with the thoughts that some models send beside their answer


def http_client(timeout_s: float) -> httpx.Client:
    """A client that goes to no other address than the one it is given, and reads no endless reply."""
    return httpx.Client(timeout=timeout_s, follow_redirects=False, event_hooks={"response": [_bound]})


def async_http_client(timeout_s: float) -> httpx.AsyncClient:
    """The same, awaited."""
    return httpx.AsyncClient(timeout=timeout_s, follow_redirects=False, event_hooks={"response": [_bound_async]})


def own_headers() -> dict[str, Any]:
    """Headers that keep out what the library would read from the environment, which is of another service.

    Raises ImportError without the `llm` extra.
    """
    from openai import Omit

    return {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit(), "Accept-Encoding": "identity"}


def kind_of(fault: Exception) -> str:
    """The kind of a fault and its status; never the words of a reply, which may hold what was sent."""
    status = getattr(fault, "status_code", None)
    return f"{type(fault).__name__}{f' {status}' if status else ''}"


def _bound(response: httpx.Response) -> None:
    _check_encoding(response)
    assert isinstance(response.stream, httpx.SyncByteStream)
    response.stream = _Bounded(response.stream)


async def _bound_async(response: httpx.Response) -> None:
    _check_encoding(response)
    assert isinstance(response.stream, httpx.AsyncByteStream)
    response.stream = _AsyncBounded(response.stream)


def _check_encoding(response: httpx.Response) -> None:
    """Compressed replies, for which nobody asked, are not read: they may be any size."""
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise httpx.RemoteProtocolError("the reply is compressed")


class _Bounded(httpx.SyncByteStream):
    """A stream that breaks when it gives more than `_MOST_REPLY_BYTES`."""

    def __init__(self, stream: httpx.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        read = 0
        for chunk in self._stream:
            read = _added(read, chunk)
            yield chunk

    def close(self) -> None:
        self._stream.close()


class _AsyncBounded(httpx.AsyncByteStream):
    """The same, awaited."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._stream:
            read = _added(read, chunk)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _added(read: int, chunk: bytes) -> int:
    if read + len(chunk) > _MOST_REPLY_BYTES:
        raise httpx.RemoteProtocolError("the reply is too long")
    return read + len(chunk)
