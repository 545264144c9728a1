"""`client.files`: text kept exactly, under a path."""

from __future__ import annotations

from typing import Any

from geniffy_agents._flow import Async, Calls, Flow, Item, Stream, Sync, call, stream
from geniffy_agents._reading import count_in
from geniffy_agents._request import Params, Reply
from geniffy_agents._sources import MOST_CALLS
from geniffy_agents._wire import labels_of, next_cursor
from geniffy_agents.types import File, FileInfo, FilePage, Labels


class FilesCalls(Calls):
    """Texts that come back exactly as they were written, each under a path such as `/memories/notes.md`.

    What they say is learned like a note titled by the path. A path starts with `/`, has up to 255 characters, and
    no part of it is empty, `.` or `..`; one that breaks a rule is a BadRequestError with code `bad_path`.
    """

    @call
    def put(
        self,
        path: str,
        text: str,
        *,
        labels: Labels | None = None,
        if_match: str | None = None,
        if_none_match: str | None = None,
    ) -> Flow[FileInfo]:
        """Create a file or replace its whole text; only what changed is learned.

        `labels` replace the file's own; left out they stay, `{}` clears them. `if_match` is the `etag` of the text
        that is expected there, and `if_none_match="*"` expects no file: otherwise ChangedError is raised and
        nothing is written. Text that is there already is never a change, so a repeat is safe.
        """
        body: dict[str, Any] = {"path": path, "text": text}
        if labels is not None:
            body["labels"] = labels_of(labels)
        conditions = {"If-Match": if_match, "If-None-Match": if_none_match}
        headers = {name: _quoted(tag) for name, tag in conditions.items() if tag is not None}
        reply = yield from self._send("PUT", "/v1/files", json=body, headers=headers)
        return FileInfo.from_json(reply.body, _etag(reply))

    @call
    def get(self, path: str) -> Flow[File]:
        """A file with its exact text. Raises NotFoundError."""
        reply = yield from self._send("GET", "/v1/files", params=[("path", path)])
        return File.from_json(reply.body, _etag(reply))

    @call
    def list(self, prefix: str = "/", *, limit: int = 100, cursor: int = 0) -> Flow[FilePage]:
        """One page, 200 at most, of the files whose paths start with `prefix`, in path order, without their texts."""
        return (yield from self._page(prefix, limit, cursor))

    @stream
    def iterate(self, prefix: str = "/", *, page_size: int = 100) -> Stream[FileInfo]:
        """Every file whose path starts with `prefix`, in path order, without its text, fetched a page at a time."""
        cursor: int | None = 0
        while cursor is not None:
            page = yield from self._page(prefix, page_size, cursor)
            for file in page.files:
                yield Item(file)
            cursor = next_cursor(cursor, page.next)

    @call
    def delete(self, path: str) -> Flow[None]:
        """Delete a file, its text and what it alone taught. Raises NotFoundError."""
        yield from self._send("DELETE", "/v1/files", params=[("path", path)])

    @call
    def delete_prefix(self, prefix: str) -> Flow[int]:
        """Delete every file whose path starts with `prefix`, such as `/memories/`; returns how many there were."""
        deleted = 0
        for _ in range(MOST_CALLS):
            reply = yield from self._send("DELETE", "/v1/files", params=[("prefix", prefix)])
            deleted += count_in(reply.body, "deleted")
            if not reply.body.get("more"):
                break
        return deleted

    @call
    def move(self, from_path: str, to_path: str) -> Flow[int]:
        """Move a file, or everything beneath a directory, with what it taught; returns how many files moved.

        Raises NotFoundError when nothing is there, and BadRequestError (`conflict`) when a file is in the way: then
        nothing moves.
        """
        reply = yield from self._send("POST", "/v1/files/move", json={"from": from_path, "to": to_path})
        return count_in(reply.body, "moved")

    def _page(self, prefix: str, limit: int, cursor: int) -> Flow[FilePage]:
        params: Params = [("prefix", prefix), ("limit", limit), ("cursor", cursor)]
        reply = yield from self._send("GET", "/v1/files", params=params)
        return FilePage.from_json(reply.body)


class Files(FilesCalls, Sync):
    """`Geniffy.files`."""


class AsyncFiles(FilesCalls, Async):
    """`AsyncGeniffy.files`."""


def _etag(reply: Reply) -> str | None:
    """The tag without its quotes; a proxy that compresses marks it weak, but it stands for the same text."""
    tag = reply.headers.get("etag")
    return tag.removeprefix("W/").strip('"') if tag else None


def _quoted(tag: str) -> str:
    """A tag as RFC 9110 8.8.3 writes it; `*` stands for any."""
    return tag if tag == "*" or tag.startswith(('"', "W/")) else f'"{tag}"'
