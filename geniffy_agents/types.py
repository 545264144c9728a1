"""What calls hand back, as frozen values. A field that this version does not know is kept in `raw`.

Times are ISO 8601 text as the server sent it, such as `2026-10-06T11:00:01.204913+00:00`. What comes back as a plain
JSON object is described in `shapes.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from geniffy_agents._reading import count_in, cursor_in, fields_in, number_in, object_in, objects_in, required, text_in

Kind: TypeAlias = Literal["all", "people", "plan", "pref", "detail"]
Labels: TypeAlias = Mapping[str, str]
"""Your own names and values on a source, up to 20."""
LabelFilter: TypeAlias = Mapping[str, str | Sequence[str]]
"""Keep to the sources that carry these: every name must match, and of a list of values any one."""
Message: TypeAlias = Mapping[str, Any]
"""One message of a conversation, in the shape your framework holds it: a role and some words."""


@dataclass(frozen=True)
class SourceRef:
    """The source of a memory. `kind` is `note`, `file`, `link` or `other`."""

    id: str | None
    kind: str
    title: str
    labels: dict[str, str] = field(default_factory=dict)
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> SourceRef | None:
        """Read one from a reply; None when a memory has no source."""
        if not data:
            return None
        return cls(
            id=data.get("id"),
            kind=str(data.get("kind") or "other"),
            title=str(data.get("title") or ""),
            labels=fields_in(data, "labels"),
            raw=dict(data),
        )


@dataclass(frozen=True)
class Memory:
    """One thing a memory knows.

    `kind` is `people`, `plan`, `pref` or `detail`. `about` is whom or what it is about. `status` is `current`, or
    `clash` when another memory says otherwise. `quote` is the line it came from, where the server sends it. `score`
    comes from a search: the higher the nearer, and it only compares within that one search.
    """

    id: int
    text: str
    kind: str
    about: str | None = None
    status: str = "current"
    learned_at: str | None = None
    said_at: str | None = None
    source: SourceRef | None = None
    quote: str | None = None
    score: float | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Memory:
        """Read one from a reply. Raises GeniffyError (`bad_response`) when it has no id."""
        return cls(
            id=number_in(data, "id", "a memory"),
            text=str(data.get("text") or ""),
            kind=str(data.get("kind") or "detail"),
            about=data.get("about"),
            status=str(data.get("status") or "current"),
            learned_at=data.get("learned_at"),
            said_at=data.get("said_at"),
            source=SourceRef.from_json(fields_in(data, "source")),
            quote=data.get("quote"),
            score=data.get("score"),
            raw=dict(data),
        )


@dataclass(frozen=True)
class MemoryPage:
    """One page of memories, newest first.

    `total` counts the matches on all pages and `counts` those of each kind; `next` is the next page's cursor, None
    at the end.
    """

    memories: list[Memory]
    counts: dict[str, int]
    total: int
    next: int | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MemoryPage:
        """Read one from a reply."""
        return cls(
            memories=memories_in(data),
            counts=fields_in(data, "counts"),
            total=count_in(data, "total"),
            next=cursor_in(data),
            raw=dict(data),
        )


@dataclass(frozen=True)
class MemoryDetail:
    """A memory with its quote, and what it said before, oldest first."""

    memory: Memory
    history: list[Memory]
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MemoryDetail:
        """Read one from a reply. Raises GeniffyError (`bad_response`) when it has no memory."""
        return cls(
            memory=Memory.from_json(object_in(data, "memory", "an answer")),
            history=[Memory.from_json(each) for each in objects_in(data, "history")],
            raw=dict(data),
        )


@dataclass(frozen=True)
class Source:
    """Something that was added, and how learning from it went.

    `status` is `reading`, then `learned` or `failed` (`error` says why); `waiting` is saved and findable, to be
    learned later. `facts` counts the memories it teaches, None until learned.
    """

    id: str
    kind: str
    title: str
    status: str
    error: str | None = None
    facts: int | None = None
    url: str | None = None
    file_name: str | None = None
    file_type: str | None = None
    size_bytes: int | None = None
    added_by: str | None = None
    added_at: str | None = None
    external_id: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def done(self) -> bool:
        """Whether learning from it has ended, well or not."""
        return self.status in ("learned", "failed")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Source:
        """Read one from a reply. Raises GeniffyError (`bad_response`) when it has no id."""
        return cls(
            id=str(required(data, "id", "a source")),
            kind=str(data.get("kind") or ""),
            title=str(data.get("title") or ""),
            status=str(data.get("status") or ""),
            error=data.get("error"),
            facts=data.get("facts"),
            url=data.get("url"),
            file_name=data.get("file_name"),
            file_type=data.get("file_type"),
            size_bytes=data.get("size_bytes"),
            added_by=data.get("added_by"),
            added_at=data.get("added_at"),
            external_id=data.get("external_id"),
            labels=fields_in(data, "labels"),
            raw=dict(data),
        )


@dataclass(frozen=True)
class SourcePage:
    """One page of sources, newest first; `next` is the next page's cursor, None at the end."""

    sources: list[Source]
    total: int
    next: int | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SourcePage:
        """Read one from a reply."""
        return cls(
            sources=[Source.from_json(each) for each in objects_in(data, "sources")],
            total=count_in(data, "total"),
            next=cursor_in(data),
            raw=dict(data),
        )


@dataclass(frozen=True)
class FileInfo:
    """A file kept exactly, without its text. `size` is in characters.

    From `put`: `created` when the path was new, `source` the one it is learned from, and `etag` as on File.
    """

    path: str
    size: int
    updated_at: str | None = None
    created: bool = False
    source: SourceRef | None = None
    etag: str | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], etag: str | None = None) -> FileInfo:
        """Read one from a reply."""
        return cls(
            path=str(data.get("path") or ""),
            size=count_in(data, "size"),
            updated_at=data.get("updated_at"),
            created=bool(data.get("created")),
            source=SourceRef.from_json(fields_in(data, "source")),
            etag=etag,
            raw=dict(data),
        )


@dataclass(frozen=True)
class File:
    """A file with its text exactly as written. `size` is in characters.

    `etag` stands for this very text (its SHA-256); hand it to `files.put(..., if_match=)` to write only over it.
    """

    path: str
    text: str
    size: int
    updated_at: str | None = None
    etag: str | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], etag: str | None = None) -> File:
        """Read one from a reply. Raises GeniffyError (`bad_response`) when it has no text."""
        return cls(
            path=str(data.get("path") or ""),
            text=text_in(data, "text", "a file"),
            size=count_in(data, "size"),
            updated_at=data.get("updated_at"),
            etag=etag,
            raw=dict(data),
        )


@dataclass(frozen=True)
class FilePage:
    """One page of files in the order of their paths; `next` is the next page's cursor, None at the end."""

    files: list[FileInfo]
    total: int
    next: int | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FilePage:
        """Read one from a reply."""
        return cls(
            files=[FileInfo.from_json(each) for each in objects_in(data, "files")],
            total=count_in(data, "total"),
            next=cursor_in(data),
            raw=dict(data),
        )


@dataclass(frozen=True)
class Key:
    """A key that reaches one space and nothing else.

    `key` is the key itself, only where it was just made. `expires_at` is None for one that works until revoked.
    """

    id: int
    name: str
    space: str
    key: str | None = field(default=None, repr=False)
    starts_with: str | None = None
    created_at: str | None = None
    last_used_at: str | None = None
    expires_at: str | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Key:
        """Read one from a reply. Raises GeniffyError (`bad_response`) when it has no id."""
        return cls(
            id=number_in(data, "id", "a key"),
            name=str(data.get("name") or ""),
            space=str(data.get("space") or ""),
            key=data.get("key"),
            starts_with=data.get("starts_with"),
            created_at=data.get("created_at"),
            last_used_at=data.get("last_used_at"),
            expires_at=data.get("expires_at"),
            raw=dict(data),
        )


@dataclass(frozen=True)
class Answer:
    """What `ask` found, from the memory alone.

    `answer` is None when nothing supports one, and `message` then says so. `memories` are those it rests on, and
    `clash` is True when they contradict one another. As text it is the answer, else the message.
    """

    question: str
    answer: str | None
    memories: list[Memory]
    message: str | None = None
    clash: bool = False
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return self.answer if self.answer is not None else (self.message or "")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Answer:
        """Read one from a reply."""
        return cls(
            question=str(data.get("question") or ""),
            answer=data.get("answer"),
            memories=memories_in(data),
            message=data.get("message"),
            clash=bool(data.get("clash")),
            raw=dict(data),
        )


def memories_in(data: Mapping[str, Any]) -> list[Memory]:
    """The memories of a reply, in its order."""
    return [Memory.from_json(each) for each in objects_in(data, "memories")]
