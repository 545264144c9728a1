"""Every JSON name of the API's answers (contract 1.15 and 2): shapes that mypy checks and OpenAPI shows."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict  # typing's own can't be described by pydantic before Python 3.12


class ErrorDetail(TypedDict):
    """`source`: what is kept of something that was sent and can't be read."""

    code: str
    message: str
    source: NotRequired[SourceShape]


class ErrorReply(TypedDict):
    """What every refusal and failure answers."""

    error: ErrorDetail


class SourceRefShape(TypedDict):
    id: str
    kind: str
    title: str
    labels: dict[str, str]


class MemoryShape(TypedDict):
    """One thing that is known, with the exact line that it came from."""

    id: int
    text: str
    kind: str
    about: str | None
    status: str
    learned_at: str
    said_at: str
    source: SourceRefShape | None
    quote: str


class SourceShape(TypedDict):
    """One thing that was added. `facts` is null until it was learned."""

    id: str
    kind: str
    title: str
    status: str
    error: str | None
    facts: int | None
    url: str | None
    file_name: str | None
    file_type: str | None
    size_bytes: int | None
    added_by: str | None
    added_at: str
    external_id: str | None
    labels: dict[str, str]
    withheld: int


class SourceReply(TypedDict):
    source: SourceShape


class SourceList(TypedDict):
    sources: list[SourceShape]
    total: int
    next: int | None


class DeletedSource(TypedDict):
    id: str
    deleted: bool


class DeletedSources(TypedDict, total=False):
    """By external id: `id`, `external_id`, `deleted`. By labels: the others."""

    id: str
    external_id: str
    deleted: bool
    sources_deleted: int
    more: bool
    labels: dict[str, str | list[str]]


class BatchResult(TypedDict):
    index: int
    source: SourceShape | None
    error: ErrorDetail | None


class BatchReply(TypedDict):
    results: list[BatchResult]
    added: int
    failed: int


class MemoryList(TypedDict):
    memories: list[MemoryShape]
    counts: dict[str, int]
    total: int
    next: int | None


class MemoryReply(TypedDict):
    memory: MemoryShape
    history: list[MemoryShape]


class CorrectedReply(TypedDict):
    id: int
    corrected: bool
    source: SourceShape


class ForgottenReply(TypedDict):
    """`files`: paths of files kept exactly that still say it."""

    id: int
    deleted: bool
    files: list[str]


class FoundShape(MemoryShape):
    """A memory that a search found. `score`: the higher the nearer; it only compares within one search."""

    score: float


class SearchReply(TypedDict):
    memories: list[FoundShape]
    counts: dict[str, int]
    total: int
    next: None
    lessons: list[dict[str, Any]]
    episodes: list[dict[str, Any]]
    intentions: list[dict[str, Any]]


class ContextReply(TypedDict):
    question: str
    context: str
    memories: list[MemoryShape]
    used: int
    empty: bool


class AskReply(TypedDict):
    question: str
    answer: str | None
    message: str | None
    memories: list[MemoryShape]
    clash: bool


class TraitShape(TypedDict):
    text: str
    memory_ids: list[int]
    since: str | None


class ProfileReply(TypedDict):
    subject: str | None
    lasting: list[TraitShape]
    current: list[TraitShape]
    grouped: dict[str, list[TraitShape]]
    memories: int


class FileEntryShape(TypedDict):
    path: str
    size: int
    updated_at: str


class FileReply(FileEntryShape):
    text: str


class FileList(TypedDict):
    files: list[FileEntryShape]
    total: int
    next: int | None


class PutReply(FileEntryShape):
    created: bool
    source: SourceRefShape


class DeletedFiles(TypedDict, total=False):
    """By path: `deleted`, `path`. By prefix: `deleted`, `more`."""

    deleted: int
    path: str
    more: bool


class MovedReply(TypedDict):
    moved: int


class SpaceShape(TypedDict):
    space: str
    sources: int
    memories: int
    last_added_at: str | None


class SpaceList(TypedDict):
    spaces: list[SpaceShape]
    total: int


class ErasedReply(TypedDict):
    space: str
    erased: bool
    sources_removed: int


class KeyShape(TypedDict):
    id: int
    name: str
    space: str | None
    starts_with: str
    rpm: int
    created_at: str
    last_used_at: str | None
    expires_at: str | None


class NewKeyReply(KeyShape):
    key: str
    note: str


class KeyList(TypedDict):
    keys: list[KeyShape]


class RevokedReply(TypedDict):
    id: int
    space: str | None
    revoked: bool


class MeReply(TypedDict):
    name: str | None
    memory: str
    space: str | None


class UsageReply(TypedDict):
    plan: str
    trial: bool
    period_start: str
    period_end: str
    learned_tokens: int
    included_tokens: int
    waiting_tokens: int
    answers: int
    included_answers: int
    extra_on: bool
    extra_cap_usd: int
    extra_used_usd: int
    state: str


class HealthReply(TypedDict):
    health: float | None
    tested_at: str | None
    asked: int
    score: float | None
    items: list[dict[str, Any]]


class ExportReply(TypedDict):
    exported_at: str
    stored_in: str
    memories: list[MemoryShape]
    sources: list[SourceShape]
    files: list[FileEntryShape]
    episodes: list[dict[str, Any]]
    lessons: list[dict[str, Any]]
    intentions: list[dict[str, Any]]
    now: list[dict[str, Any]]
