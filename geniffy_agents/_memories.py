"""`client.memories`: add, find, correct and forget."""

from __future__ import annotations

import io
import json
import mimetypes
import os
from collections.abc import Iterable, Mapping
from typing import IO, Any, SupportsIndex, TypeAlias, cast

from geniffy_agents._flow import Async, Calls, Flow, Item, Stream, Sync, call, stream
from geniffy_agents._reading import object_in
from geniffy_agents._request import Upload
from geniffy_agents._wire import When, given, instant, label_params, labels_of, next_cursor, number
from geniffy_agents.shapes import Batch, Correction
from geniffy_agents.space_names import space_name
from geniffy_agents.types import (
    Kind,
    LabelFilter,
    Labels,
    Memory,
    MemoryDetail,
    MemoryPage,
    Message,
    Source,
)

FileInput: TypeAlias = str | os.PathLike[str] | bytes | bytearray | IO[bytes]
"""A file to upload: its path, its bytes, or one that is open for reading bytes."""


class MemoriesCalls(Calls):
    """What a memory knows."""

    @call
    def add(
        self,
        text: str | None = None,
        *,
        url: str | None = None,
        messages: Iterable[Message] | None = None,
        title: str | None = None,
        said_at: When | None = None,
        external_id: str | None = None,
        labels: Labels | None = None,
        session: str | None = None,
    ) -> Flow[Source]:
        """Add a note, a web page that is read once now, or a conversation of up to 500 messages: one of the three.

        What it teaches is learned after the call returns; `sources.wait` waits for it. `said_at` dates a note or a
        conversation from the past. Under an `external_id` that was used before, that source is updated: only what
        changed is learned and what is gone is taken back; new `labels` replace the old, left out they stay, `{}`
        clears them. `session` appends messages to one source; `client.session(id).save` works out which are new.

        Raises UnreadableError when a page was saved but could not be read, and ValueError for a mix that means nothing.
        """
        reply = yield from self._send(
            "POST",
            "/v1/memories",
            json=added(text, url, messages, title, said_at, external_id, labels, session),
        )
        return Source.from_json(object_in(reply.body, "source", "an answer"))

    @call
    def add_many(self, items: Iterable[Mapping[str, Any]]) -> Flow[Batch]:
        """Add up to a hundred, each with the fields of `add` and, where it has its own, a `space`.

        A bad item doesn't fail the others: `results` says of each, in order, its source or why it was refused.
        """
        reply = yield from self._send("POST", "/v1/memories/batch", json={"items": [_item(each) for each in items]})
        return cast(Batch, reply.body)

    @call
    def add_file(
        self,
        file: FileInput,
        *,
        filename: str | None = None,
        title: str | None = None,
        external_id: str | None = None,
        labels: Labels | None = None,
    ) -> Flow[Source]:
        """Add a document: pdf, docx, pptx, xlsx, txt, md, csv or html, told apart by the name's ending.

        Raises UnreadableError when it was saved but no text was found in it.
        """
        name, content = _read(file)
        name = filename or name or "file"
        fields = given(title=title, external_id=external_id)
        if labels is not None:
            fields["labels"] = json.dumps(labels_of(labels))
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        reply = yield from self._send(
            "POST", "/v1/memories/file", upload=Upload(os.path.basename(name) or "file", content, media_type, fields)
        )
        return Source.from_json(object_in(reply.body, "source", "an answer"))

    @call
    def list(
        self, *, kind: Kind | None = None, limit: int = 50, cursor: int = 0, labels: LabelFilter | None = None
    ) -> Flow[MemoryPage]:
        """One page of memories, newest first; with `labels`, those that sources carrying them taught."""
        return (yield from self._page(kind, limit, cursor, labels))

    @stream
    def iterate(
        self, *, kind: Kind | None = None, page_size: int = 100, labels: LabelFilter | None = None
    ) -> Stream[Memory]:
        """Every memory, newest first, fetched a page at a time. What is deleted on the way moves the pages: collect
        first, then delete."""
        cursor: int | None = 0
        while cursor is not None:
            page = yield from self._page(kind, page_size, cursor, labels)
            for memory in page.memories:
                yield Item(memory)
            cursor = next_cursor(cursor, page.next)

    iter = iterate
    """The same call under the name that other Geniffy clients have for it."""

    @call
    def get(self, memory_id: SupportsIndex | str) -> Flow[MemoryDetail]:
        """A memory with the line it came from, and what it said before. Raises NotFoundError."""
        reply = yield from self._send("GET", f"/v1/memories/{number(memory_id)}")
        return MemoryDetail.from_json(reply.body)

    @call
    def correct(self, memory_id: SupportsIndex | str, text: str) -> Flow[Correction]:
        """Mark a memory wrong, never to be used again, and learn `text` in its place from a source of its own.

        Raises NotFoundError, also for one that was corrected or forgotten before.
        """
        reply = yield from self._send("PATCH", f"/v1/memories/{number(memory_id)}", json={"text": text})
        return cast(Correction, reply.body)

    @call
    def delete(self, memory_id: SupportsIndex | str) -> Flow[None]:
        """Forget a memory for good. Raises NotFoundError."""
        yield from self._send("DELETE", f"/v1/memories/{number(memory_id)}")

    def _page(self, kind: Kind | None, limit: int, cursor: int, labels: LabelFilter | None) -> Flow[MemoryPage]:
        params = [("limit", limit), ("cursor", cursor), *label_params(labels), *given(kind=kind).items()]
        reply = yield from self._send("GET", "/v1/memories", params=params)
        return MemoryPage.from_json(reply.body)


class Memories(MemoriesCalls, Sync):
    """`Geniffy.memories`."""


class AsyncMemories(MemoriesCalls, Async):
    """`AsyncGeniffy.memories`."""


def added(
    text: str | None,
    url: str | None,
    messages: Iterable[Message] | None,
    title: str | None,
    said_at: When | None,
    external_id: str | None,
    labels: Labels | None,
    session: str | None,
) -> dict[str, Any]:
    """The body of an add. Raises ValueError for what the API refuses, before anything is sent."""
    if sum(each is not None for each in (text, url, messages)) != 1:
        raise ValueError("Pass one of: the text of a note, url= for a web page, messages= for a conversation.")
    if url is not None and said_at is not None:
        raise ValueError("said_at goes with a note or a conversation; a web page is read as it is now.")
    if session is not None:
        if messages is None:
            raise ValueError("session goes with messages.")
        if external_id is not None:
            raise ValueError("Pass session or external_id: a session is its source's own id.")
        if said_at is not None:
            raise ValueError("said_at doesn't go with session: each message is dated as it arrives.")
    body: dict[str, Any] = {"text": text} if text is not None else {"url": url}
    if messages is not None:
        body = {"messages": [_message(each) for each in messages]}
    if title:
        body["title"] = title
    if session is not None:
        body["session"] = str(session)
    if external_id is not None:
        body["external_id"] = str(external_id)
    if labels is not None:
        body["labels"] = labels_of(labels)
    if said_at is not None:
        body["said_at"] = instant(said_at)
    return body


def _message(message: Message) -> dict[str, Any]:
    if not isinstance(message, Mapping):
        raise TypeError(
            f"A message is an object such as {{'role': 'user', 'content': 'Hello'}}, not {type(message).__name__}."
        )
    return dict(message)


def _item(item: Mapping[str, Any]) -> dict[str, Any]:
    body = dict(item)
    if "space" in body:  # a user without an id must not land in the memory this client works in
        body["space"] = space_name(body["space"], "The space of an item")
    return body


def _read(file: FileInput) -> tuple[str, bytes]:
    if isinstance(file, bytes | bytearray):
        return "", bytes(file)
    if isinstance(file, str | os.PathLike):
        with open(file, "rb") as opened:
            return os.fspath(file), opened.read()
    if isinstance(file, io.TextIOBase):
        raise TypeError("Open the file for reading bytes: open(path, 'rb').")
    name = getattr(file, "name", "")
    return name if isinstance(name, str) else "", file.read()
