"""What the services need from the outside, as Protocols over domain values.

A `Store` runs a function over a `Transaction`: `await store.read(work)` sees one consistent state and refuses
writes; `await store.write(work)` is one transaction, whole or not at all, durable when it returns. `work` is plain
blocking code; it may run more than once, so it must not keep anything outside but its result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.account import Account, ApiKey, KeyId, Usage
from geniffy_server.domain.connection import AppRequest, Client, ClientId, Code, Connection, ConnectionId, Token
from geniffy_server.domain.conversation import ConversationCategory, MemoryCategory, Statement
from geniffy_server.domain.curation import Conversation, Curation, CurationFilter, Sort
from geniffy_server.domain.file import File, FileEntry, FilePath
from geniffy_server.domain.job import Job, JobId
from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import Kind, Line, Memory, MemoryId, NewMemory, SourceRef, Status
from geniffy_server.domain.sign_in import Session, Tries
from geniffy_server.domain.source import NewPassage, Passage, PassageId, Source, SourceId, SourceStatus, Turn
from geniffy_server.domain.space import AccountId, Space, SpaceId, SpaceSummary

T = TypeVar("T")


class Clock(Protocol):
    """The time, replaceable in tests."""

    def now(self) -> datetime:
        """The present as an aware datetime in UTC."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. Blocking: call it in a thread."""

    @property
    def id(self) -> str:
        """Names the weights that wrote a vector; vectors of another id are made anew."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 (len(texts), 384), rows of length 1, or of zeros for a text that it makes nothing of."""
        ...


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model made of a task: a JSON object, and the tokens it took in all, None if it does not say."""

    data: Mapping[str, object]
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Away:
    """A model gave nothing that can be used: `reason` in a few words. `was_asked` unless it was left to rest."""

    reason: str
    was_asked: bool = True


@dataclass(frozen=True, slots=True)
class Task:
    """Something to ask of a language model, answered as JSON.

    `instructions` are ours. `data` is what people said to the memory, handed over as JSON and apart from them.
    `schema` is the JSON Schema of the answer, which may take `max_tokens` tokens; `name` names it to the endpoint.
    """

    name: str
    instructions: str
    data: Mapping[str, object]
    schema: Mapping[str, object]
    max_tokens: int


class LanguageModel(Protocol):
    """A model behind an endpoint: slow, at times away, and never trusted with what it says."""

    async def complete(self, task: Task) -> Completion | Away:
        """What it makes of a task. Never raises for what the endpoint does."""
        ...

    async def close(self) -> None: ...


class Categories(Protocol):
    """Tells what memories and conversations are about. Blocking: call it in a thread. Raises what the embedder does."""

    def memory(self, text: str, kind: Kind, vector: NDArray[np.float32] | None) -> MemoryCategory:
        """`vector` is that of the memory; with None the text is embedded."""
        ...

    def conversation(self, turns: Sequence[str], vectors: NDArray[np.float32] | None) -> ConversationCategory:
        """`vectors` has a row for each of `turns`; with None these are embedded."""
        ...


class Accounts(Protocol):
    def owner(self) -> Account | None:
        """The first account, which commands use unless told another."""
        ...

    def by_id(self, account_id: AccountId) -> Account | None: ...
    def by_email(self, email: str) -> Account | None:
        """Compared without regard to case."""
        ...

    def all(self) -> Sequence[Account]: ...
    def add(self, email: str | None, name: str | None, time_zone: str, now: datetime) -> Account:
        """Raises Conflict when another account has that email."""
        ...

    def describe(self, account_id: AccountId, email: str | None, name: str | None, time_zone: str) -> None:
        """Give an account its email, name and time zone. Raises Conflict when another account has that email."""
        ...

    def close(self, account_id: AccountId, at: datetime | None) -> None:
        """Note when an account was closed; with None, open it again."""
        ...

    def count_usage(self, account_id: AccountId, month: str, *, learned_tokens: int = 0, answers: int = 0) -> None:
        """Add to what `month` (`2026-10`) used."""
        ...

    def usage(self, account_id: AccountId, month: str) -> Usage: ...


class SignIns(Protocol):
    """Passwords, the browsers that are signed in, setup links, and wrong passwords. Secrets are known by hashes alone.

    What has expired may be given back: the caller compares. `prune` removes it.
    """

    def password(self, account_id: AccountId) -> str | None:
        """The hash of an account's password; None while it has none."""
        ...

    def set_password(self, account_id: AccountId, password_hash: str) -> None: ...
    def add_session(self, token_hash: bytes, session: Session) -> None: ...
    def session(self, token_hash: bytes) -> Session | None: ...
    def session_used(self, token_hash: bytes, at: datetime, expires_at: datetime) -> None: ...
    def end_session(self, token_hash: bytes) -> None: ...
    def end_sessions(self, account_id: AccountId) -> int:
        """Sign an account out everywhere; how many browsers that were."""
        ...

    def set_link(self, link_hash: bytes, account_id: AccountId, expires_at: datetime) -> None:
        """Make the one link by which an account's password is chosen, in the place of an earlier one."""
        ...

    def link(self, link_hash: bytes, now: datetime) -> AccountId | None:
        """Whose link it is; None when it has expired, was used, or never was."""
        ...

    def take_link(self, link_hash: bytes, now: datetime) -> AccountId | None:
        """Like `link`, and remove it: of any number of takers, one gets it."""
        ...

    def drop_link(self, account_id: AccountId) -> None: ...
    def tries(self, key: bytes) -> Tries | None: ...
    def count_try(self, key: bytes, now: datetime) -> None: ...
    def forgive_try(self, key: bytes) -> None:
        """Take the last counted try back: it was right."""
        ...

    def clear_tries(self, key: bytes) -> None: ...
    def prune(self, now: datetime) -> None:
        """Remove what has expired: sessions, links, and tries a day after the last one."""
        ...


class Keys(Protocol):
    def by_hash(self, key_hash: bytes) -> ApiKey | None:
        """Also revoked and expired ones: the caller says which."""
        ...

    def add(
        self,
        account_id: AccountId,
        space: Space | None,
        name: str,
        key_hash: bytes,
        starts_with: str,
        rpm: int,
        expires_at: datetime | None,
        now: datetime,
    ) -> ApiKey: ...
    def working(self, account_id: AccountId, space_id: SpaceId | None, now: datetime) -> Sequence[ApiKey]:
        """Keys that still work, oldest first: those of one space, or with None every key of the account."""
        ...

    def revoke(self, account_id: AccountId, key_id: KeyId, space_id: SpaceId | None, now: datetime) -> ApiKey | None:
        """Revoke a working key, of that space when one is named; the key, or None when there is none such."""
        ...


class Spaces(Protocol):
    def find(self, account_id: AccountId, name: str) -> Space | None:
        """None when nothing was ever written to that space."""
        ...

    def ensure(self, account_id: AccountId, name: str) -> Space:
        """The space, made with a fresh secret when it is new."""
        ...

    def by_id(self, space_id: SpaceId) -> Space | None: ...
    def version(self, space_id: SpaceId) -> int: ...
    def bump(self, space_id: SpaceId) -> int:
        """Grow and return the version. Every write transaction calls it once, first; rows are stamped with it."""
        ...

    def added(self, space_id: SpaceId, at: datetime) -> None:
        """Note when something was last added, for `holding`."""
        ...

    def name_owner(self, space_id: SpaceId, name: str | None) -> None: ...
    def holding(self, account_id: AccountId) -> Sequence[SpaceSummary]:
        """Named spaces (never the owner's own) that hold a source, most recently added to first."""
        ...

    def erase(self, space_id: SpaceId) -> int:
        """Remove every row of the space and the space itself, its keys with it; how many sources went."""
        ...


class Sources(Protocol):
    def find(self, space_id: SpaceId, source_id: SourceId) -> Source | None: ...
    def by_external_id(self, space_id: SpaceId, external_id: str) -> Source | None: ...
    def page(
        self, space_id: SpaceId, labels: LabelFilter, limit: int, offset: int, status: SourceStatus | None = None
    ) -> tuple[Sequence[Source], int]:
        """Newest first (order of adding), and how many match in all; with `status` only those of it."""
        ...

    def statuses(self, space_id: SpaceId) -> Mapping[SourceStatus, int]:
        """How many sources have each status; one that none has may be left out."""
        ...

    def add(self, space_id: SpaceId, source: Source, text: str | None) -> None:
        """Insert the row, its labels, and its text when the form is `text` or `correction`."""
        ...

    def update(self, space_id: SpaceId, source: Source) -> None:
        """Write every column of `source` over the row of its id, labels included."""
        ...

    def set_text(self, space_id: SpaceId, source_id: SourceId, text: str) -> None: ...
    def text(self, space_id: SpaceId, source_id: SourceId) -> str | None:
        """The text held for it: its own, or its file's; None for turns."""
        ...

    def remove(self, space_id: SpaceId, source_id: SourceId) -> None:
        """Remove the row, its text, turns, passages, labels and jobs. Lines must have been removed before."""
        ...

    def refs(self, space_id: SpaceId, source_ids: Collection[SourceId]) -> Mapping[SourceId, SourceRef]: ...
    def count(self, space_id: SpaceId) -> int: ...
    def holding(self, space_id: SpaceId, words: Collection[str]) -> Sequence[SourceId]:
        """Sources whose title, text, turns, tools or headings hold any of these, letter for letter; oldest first."""
        ...

    # Turns
    def turns(
        self, space_id: SpaceId, source_id: SourceId, first: int = 0, before: int | None = None
    ) -> Sequence[Turn]:
        """The turns from position `first` on, up to but without position `before`, in order."""
        ...

    def after_turns(self, space_id: SpaceId, source_id: SourceId) -> int:
        """The position that the next turn will have: 0 when there is none yet."""
        ...

    def append_turns(self, space_id: SpaceId, source_id: SourceId, turns: Sequence[Turn]) -> int:
        """Add turns behind those held; the position of the first one."""
        ...

    def replace_turns(self, space_id: SpaceId, source_id: SourceId, turns: Sequence[Turn]) -> None: ...
    def set_turn_text(self, space_id: SpaceId, source_id: SourceId, position: int, text: str) -> None: ...

    # Passages
    def passages(
        self, space_id: SpaceId, source_id: SourceId, first: int = 0, before: int | None = None
    ) -> Sequence[Passage]:
        """The passages from position `first` on, up to but without position `before`, in order."""
        ...

    def after_passages(self, space_id: SpaceId, source_id: SourceId) -> int:
        """The position after the last passage: 0 when there is none yet."""
        ...

    def unlearned(self, space_id: SpaceId, source_id: SourceId, limit: int) -> Sequence[Passage]:
        """The first passages in order that are not learned yet."""
        ...

    def add_passages(
        self, space_id: SpaceId, source_id: SourceId, passages: Sequence[tuple[int, NewPassage]]
    ) -> Sequence[PassageId]:
        """Insert passages, each with its position, as not learned; their ids in the same order."""
        ...

    def place_passages(self, space_id: SpaceId, places: Sequence[tuple[PassageId, int, int, int, int | None]]) -> None:
        """Give kept passages their new (id, position, start, end, turn)."""
        ...

    def set_heading(self, space_id: SpaceId, passage_id: PassageId, heading: str | None) -> None: ...
    def remove_passages(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> None: ...
    def mark_learned(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> None: ...
    def mark_unlearned(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> None: ...


@dataclass(frozen=True, slots=True)
class ShardRow:
    """What recall keeps of one memory in RAM. `spoken_low` and `spoken_high` are proleptic ordinals, 0 for none."""

    id: MemoryId
    rev: int
    vector: bytes
    tokens: bytes
    kind: Kind
    about: str | None
    first_person: bool
    said_on: int
    spoken_low: int
    spoken_high: int
    source_id: SourceId
    position: int


class Memories(Protocol):
    def find(self, space_id: SpaceId, memory_id: MemoryId) -> Memory | None:
        """Of any status."""
        ...

    def find_many(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Memory]:
        """Those that exist, of any status."""
        ...

    def page(
        self, space_id: SpaceId, kind: Kind | None, labels: LabelFilter, limit: int, offset: int
    ) -> Sequence[Memory]:
        """Usable memories (current, clash), newest first by id."""
        ...

    def counts(self, space_id: SpaceId, labels: LabelFilter) -> Mapping[str, int]:
        """Usable memories by kind, every kind present."""
        ...

    def matching(self, space_id: SpaceId, labels: LabelFilter) -> Collection[MemoryId]:
        """Ids of usable memories that a source carrying those labels teaches. The filter is not empty."""
        ...

    def every(self, space_id: SpaceId) -> Iterable[Memory]:
        """Every memory of any status, oldest first, for export."""
        ...

    def replaced_by(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Sequence[Memory]:
        """The memories that these replaced or corrected, one step back, oldest first."""
        ...

    def about(self, space_id: SpaceId, about: str, limit: int) -> Sequence[Memory]:
        """Usable memories with that subject, newest first."""
        ...

    def saying(self, space_id: SpaceId, words: str, limit: int = 1) -> Sequence[Memory]:
        """Memories of any status that hold these words, letter for letter, in text, quotes or subject; newest first."""
        ...

    def subjects(self, space_id: SpaceId, limit: int) -> Sequence[str]:
        """Distinct subjects of usable memories, most frequent first."""
        ...

    def by_statement(self, space_id: SpaceId, statements: Collection[bytes]) -> Mapping[bytes, MemoryId]:
        """Usable memories that say exactly this."""
        ...

    def add(self, space_id: SpaceId, memory: NewMemory, line: Line, rev: int) -> MemoryId:
        """Insert a memory with its first line and its vector; ids grow and are never used again."""
        ...

    def rewrite(
        self, space_id: SpaceId, memory_id: MemoryId, memory: NewMemory, line: Line, rev: int, now: datetime
    ) -> MemoryId:
        """Give a memory other words under its id, with this one line; the id under which its old ones are history.

        What it said goes there as `wrong`, with its lines, its vector and what it had replaced. It is noted as edited.
        """
        ...

    def add_line(self, space_id: SpaceId, memory_id: MemoryId, line: Line, rev: int) -> None:
        """Add one more line; the same words at the same place again change nothing."""
        ...

    def lines(self, space_id: SpaceId, memory_id: MemoryId) -> Sequence[Line]:
        """Its lines, earliest first."""
        ...

    def lines_of_source(self, space_id: SpaceId, source_id: SourceId) -> Sequence[tuple[MemoryId, Line]]: ...
    def shown_by(self, space_id: SpaceId, passage_ids: Collection[PassageId]) -> Mapping[MemoryId, str]:
        """Memories whose first line stands in those passages, each with that line's quote."""
        ...

    def cut_lines(self, space_id: SpaceId, passage_ids: Collection[PassageId], rev: int) -> Sequence[MemoryId]:
        """Remove every line of those passages; the ids of memories that have no line left.

        A memory whose first line went and that has another shows that one from now on.
        """
        ...

    def set_status(
        self, space_id: SpaceId, memory_id: MemoryId, status: Status, replaced_by: MemoryId | None, rev: int
    ) -> None: ...
    def add_clash(self, space_id: SpaceId, one: MemoryId, other: MemoryId) -> None:
        """Note that two memories contradict each other; in either order it is the same pair."""
        ...

    def clashing_with(
        self, space_id: SpaceId, memory_ids: Collection[MemoryId]
    ) -> Mapping[MemoryId, Collection[MemoryId]]:
        """For each of these that contradicts others, the ids of those others."""
        ...

    def end_clashes(self, space_id: SpaceId, memory_id: MemoryId) -> None:
        """Remove every pair that this memory is one of."""
        ...

    def remove(self, space_id: SpaceId, memory_ids: Collection[MemoryId], rev: int, now: datetime) -> None:
        """Remove memories with their lines, vectors, tokens and clashes, leaving tombstones that hold only the ids.

        Ask `replaced_by` before: what these replaced no longer names a successor afterwards.
        """
        ...

    def taught(self, space_id: SpaceId, source_id: SourceId) -> int:
        """How many usable memories the source teaches."""
        ...

    def refuse(self, space_id: SpaceId, statements: Collection[bytes]) -> None: ...
    def refused(self, space_id: SpaceId, statements: Collection[bytes]) -> Collection[bytes]:
        """Those among `statements` that were forgotten or corrected and must not be learned again."""
        ...

    def statement(self, space_id: SpaceId, memory_id: MemoryId) -> bytes | None: ...

    # The cache
    def shard_rows(self, space_id: SpaceId, after_rev: int) -> Iterable[ShardRow]:
        """Usable memories stamped after that version; -1 for all."""
        ...

    def gone(self, space_id: SpaceId, after_rev: int) -> Sequence[MemoryId]:
        """Memories removed, or no longer usable, after that version."""
        ...

    def oldest_tombstone(self, space_id: SpaceId) -> int:
        """Every removal after this version is still known; a cache older than it is loaded anew."""
        ...

    def without_vector(self, limit: int) -> Sequence[tuple[SpaceId, MemoryId, str, str | None]]:
        """Memories of any space whose vector is empty, each with its `domain.memory.embedded_text`.

        Last comes what another participant said right before the line that is shown with it, None elsewhere.
        """
        ...

    def unasked(self, space_id: SpaceId, memory_ids: Collection[MemoryId], rev: int) -> None:
        """Let go of the questions before these memories: their search keys, and vectors that have a share of them."""
        ...

    def set_vectors(self, vectors: Sequence[tuple[SpaceId, MemoryId, bytes, int]]) -> None:
        """Write vectors, each stamped with the version that its space has now (the last of the four)."""
        ...

    def drop_vectors(self) -> None:
        """Empty every vector, because the embedder changed."""
        ...


@dataclass(frozen=True, slots=True)
class Uncategorized:
    """A memory whose category is to be detected, with its vector as NewMemory has it."""

    space_id: SpaceId
    id: MemoryId
    text: str
    kind: Kind
    vector: bytes


class Curations(Protocol):
    """What is kept of memories beside what they say."""

    def find_many(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Curation]:
        """Of memories of any status."""
        ...

    def page(self, space_id: SpaceId, only: CurationFilter, sort: Sort, limit: int, offset: int) -> Sequence[MemoryId]:
        """Usable memories in that order."""
        ...

    def set(self, space_id: SpaceId, memory_id: MemoryId, curation: Curation) -> None: ...
    def locked(self, space_id: SpaceId) -> Collection[MemoryId]:
        """Usable memories that are locked."""
        ...

    def uncategorized(self, space_id: SpaceId | None, limit: int) -> Sequence[Uncategorized]:
        """Memories of any status that have a vector and no category yet, of one space or with None of any."""
        ...

    def categorize(self, found: Sequence[tuple[SpaceId, MemoryId, MemoryCategory]]) -> None:
        """Keep what was detected; a category that was given stays."""
        ...


class Conversations(Protocol):
    """Sources that hold turns, by their times. `Sources` keeps the rows true when turns come and go."""

    def find_many(self, space_id: SpaceId, source_ids: Collection[SourceId]) -> Mapping[SourceId, Conversation]: ...
    def page(
        self,
        space_id: SpaceId,
        *,
        since: datetime | None,
        before: datetime | None,
        categories: Collection[ConversationCategory],
        limit: int,
        offset: int,
    ) -> Sequence[Conversation]:
        """Last begun first: those with a turn at `since` or later and one before `before`, of one of `categories`.

        None, and no category, leave that open.
        """
        ...

    def set(self, space_id: SpaceId, conversation: Conversation) -> None:
        """Write its category, whether that was given, and its lock."""
        ...

    def uncategorized(self, space_id: SpaceId | None, limit: int) -> Sequence[tuple[SpaceId, SourceId]]:
        """Conversations that were learned and have no category yet, of one space or with None of any."""
        ...

    def categorize(self, found: Sequence[tuple[SpaceId, SourceId, ConversationCategory]]) -> None:
        """Keep what was detected; a category that was given stays."""
        ...

    def vectors(self, space_id: SpaceId, source_id: SourceId, limit: int) -> Sequence[tuple[str, bytes]]:
        """What a conversation teaches that is in use, each with its vector: the first `limit` that have one."""
        ...

    def of_memories(self, space_id: SpaceId, memory_ids: Collection[MemoryId]) -> Mapping[MemoryId, Sequence[SourceId]]:
        """For each memory that a conversation tells, those conversations, in the order of its lines."""
        ...

    def turns(self, space_id: SpaceId, source_ids: Collection[SourceId]) -> Mapping[SourceId, Sequence[Turn]]:
        """The turns of each, in order."""
        ...

    def statements(
        self, space_id: SpaceId, source_ids: Collection[SourceId], *, with_locked: bool
    ) -> Mapping[SourceId, Sequence[Statement]]:
        """What each teaches that is in use, in the order it was said; empty where it teaches nothing."""
        ...


class Files(Protocol):
    def find(self, space_id: SpaceId, path: FilePath) -> File | None: ...
    def page(self, space_id: SpaceId, prefix: str, limit: int, offset: int) -> tuple[Sequence[FileEntry], int]:
        """Files whose path starts with `prefix`, in code-point order, and how many there are in all."""
        ...

    def put(self, space_id: SpaceId, file: File) -> None:
        """Insert or replace the file at its path."""
        ...

    def under(
        self, space_id: SpaceId, prefix: str, limit: int | None = None
    ) -> Sequence[tuple[FilePath, SourceId]]: ...
    def taken(self, space_id: SpaceId, paths: Collection[FilePath]) -> Collection[FilePath]:
        """Those of `paths` that hold a file."""
        ...

    def rename(self, space_id: SpaceId, moves: Sequence[tuple[FilePath, FilePath]]) -> None: ...
    def remove(self, space_id: SpaceId, path: FilePath) -> None: ...
    def path_of_source(self, space_id: SpaceId, source_id: SourceId) -> FilePath | None: ...


class Jobs(Protocol):
    def add(self, space_id: SpaceId, source_id: SourceId, revision: int, now: datetime) -> None:
        """Ask for a source to be learned; it takes the place of an earlier job for the same source."""
        ...

    def claim(self, worker: str, now: datetime, lease_s: float) -> Job | None:
        """Take the job that waited longest since its last turn, if no living lease holds it.

        While a living lease holds one job of a space, no other job of that space is taken: two workers never compare
        new facts with the same memories at once.
        """
        ...

    def yield_(self, job_id: JobId, revision: int, now: datetime) -> None:
        """Give an unfinished job back, behind the others, with its attempts set to 0: it made progress."""
        ...

    def finish(self, job_id: JobId, revision: int) -> None:
        """Remove the job, unless a newer revision took its place."""
        ...

    def retry(self, job_id: JobId, revision: int, at: datetime) -> None:
        """Give a job back after a fault, not to be taken before `at`."""
        ...

    def workers(self, now: datetime) -> Collection[str]:
        """Those that hold a living lease."""
        ...

    def free(self, workers: Collection[str]) -> None:
        """Give back what these workers hold: they have ended."""
        ...

    def waiting(self) -> int: ...


class Clients(Protocol):
    """Apps that registered themselves."""

    def find(self, client_id: ClientId) -> Client | None: ...
    def unused_like(self, metadata: bytes) -> Client | None:
        """A public client that registered the same metadata (its digest), and that no connection is of."""
        ...

    def add(self, client: Client, metadata: bytes) -> None: ...
    def keep_until(self, client_id: ClientId, at: datetime) -> None:
        """Move the end of a client's life to `at`, never nearer."""
        ...

    def drop_oldest_unused(self, most: int) -> None:
        """Keep at most `most` clients that are of no connection, code or waiting request."""
        ...


class Connections(Protocol):
    """What apps ask for, what a person decided, and the tokens that came of it. Secrets are known by SHA-256 alone.

    What has expired may be given back: the caller compares. `prune` removes it.
    """

    def add_request(self, request_hash: bytes, request: AppRequest) -> None: ...
    def request(self, request_hash: bytes) -> AppRequest | None: ...
    def take_request(self, request_hash: bytes) -> AppRequest | None:
        """Remove and return it: of any number of takers, one gets it."""
        ...

    def add_code(self, code_hash: bytes, code: Code) -> None: ...
    def code(self, code_hash: bytes) -> Code | None:
        """Also one that was used, for as long as its connection lives."""
        ...

    def use_code(self, code_hash: bytes, connection_id: ConnectionId) -> bool:
        """Note what a code was traded for; False when it was used before, with nothing changed."""
        ...

    def add(self, code: Code, now: datetime, expires_at: datetime) -> Connection:
        """A connection with what the code allows."""
        ...

    def of_account(self, account_id: AccountId, now: datetime) -> Sequence[Connection]:
        """Those that live, last connected first."""
        ...

    def end(self, connection_ids: Collection[ConnectionId]) -> None:
        """Remove connections with every token and code of theirs."""
        ...

    def add_token(self, token_hash: bytes, token: Token) -> None: ...
    def token(self, token_hash: bytes) -> Token | None:
        """Also a refresh token that was used, until it would have expired."""
        ...

    def use_refresh(self, token_hash: bytes, now: datetime) -> bool:
        """Note that a refresh token is used; False when it was used before, with nothing changed."""
        ...

    def extend(self, connection_id: ConnectionId, expires_at: datetime) -> None: ...
    def prune(self, now: datetime) -> None:
        """Remove what has expired: requests, codes, tokens, connections, and clients that nothing is of."""
        ...


class Visits(Protocol):
    """Counts calls that anyone may make, by who makes them."""

    def take(self, door: str, peer: str, now: datetime, *, per_peer: int, in_all: int) -> int | None:
        """Count a call; None when it may go on, else the seconds until one may. Both limits are a minute's."""
        ...


class Transaction(Protocol):
    """One consistent view of the store, by noun."""

    @property
    def accounts(self) -> Accounts: ...
    @property
    def sign_ins(self) -> SignIns: ...
    @property
    def keys(self) -> Keys: ...
    @property
    def spaces(self) -> Spaces: ...
    @property
    def sources(self) -> Sources: ...
    @property
    def memories(self) -> Memories: ...
    @property
    def curations(self) -> Curations: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def files(self) -> Files: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def clients(self) -> Clients: ...
    @property
    def connections(self) -> Connections: ...
    @property
    def visits(self) -> Visits: ...

    def meta(self, key: str) -> str | None:
        """A value that belongs to the whole store, such as the embedder's id."""
        ...

    def set_meta(self, key: str, value: str) -> None: ...


class Uses(Protocol):
    """What was used, noted at once and written within a second; a process that is killed may lose its last second."""

    def answered(self, account_id: AccountId, month: str) -> None:
        """Count an answer in `month` (`2026-10`)."""
        ...

    def key(self, key_id: KeyId, at: datetime) -> None:
        """Note when a key was used last."""
        ...

    def connection(self, connection_id: ConnectionId, at: datetime) -> None:
        """Note when a connected app called last."""
        ...

    async def settle(self, *, everywhere: bool = False) -> None:
        """Write what this process noted, so that it is read; what can't be written within a second waits.

        `everywhere` waits until other processes have written theirs too, if there are any.
        """
        ...


class Store(Protocol):
    """Where everything is kept. See the module's docstring."""

    @property
    def worker(self) -> str:
        """What this process is called in the jobs that it takes."""
        ...

    @property
    def uses(self) -> Uses:
        """Where answers are counted, and the last use of keys and apps."""
        ...

    def lives(self, worker: str) -> bool:
        """Whether the process that is called so has not ended; True when nobody can tell. Blocking, a moment."""
        ...

    async def read(self, work: Callable[[Transaction], T]) -> T: ...
    async def known(self, what: Hashable, work: Callable[[Transaction], T]) -> T:
        """What `work` reads, kept under `what` until anything is written to the store, by any process.

        For a few rows that every call needs: it works in the thread that asks, so it costs next to nothing.
        """
        ...

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Raises Unavailable when the store can't be reached; nothing was written then."""
        ...

    async def scrub(self) -> None:
        """Make sure that what was removed is in no page, log or free space of the store any more."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One row of the request log. It never holds what was said, asked or answered."""

    id: str
    at: datetime
    account_id: AccountId | None
    space: str | None
    door: str
    route: str
    status: int
    outcome: str
    duration_ms: float
    app: str | None
    key_id: KeyId | None


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Which calls of the request log to show: all that are given must hold.

    `text`: in its id, route, outcome, app or space, whatever the case. `app`: its name, exactly. `statuses`: from the
    first to the second, both included. `since` and `until`: when it came, the second excluded. Without `views`, pages
    that were only looked at are left out.
    """

    text: str | None = None
    app: str | None = None
    statuses: tuple[int, int] | None = None
    since: datetime | None = None
    until: datetime | None = None
    views: bool = True


EVERY_CALL = CallFilter()


class CallLog(Protocol):
    """The request log and the rate windows: kept apart from memories, and allowed to lose the last second."""

    def record(self, call: CallRecord) -> None:
        """Note a call; returns at once and writes soon."""
        ...

    async def take_slot(self, key_id: KeyId, rpm: int, now: datetime) -> int | None:
        """Count one request of a key; None when it may go on, else the seconds until a slot frees.

        At most `rpm` requests pass in any 60 seconds, over all processes on the store.
        """
        ...

    async def page(
        self, account_id: AccountId, *, limit: int, before: int | None = None, only: CallFilter = EVERY_CALL
    ) -> tuple[Sequence[CallRecord], int | None]:
        """An account's calls, newest first, and the `before` of the next page, None at the end."""
        ...

    async def apps(self, account_id: AccountId) -> Sequence[str]:
        """The names of apps that called, in order of their names."""
        ...

    async def forget_space(self, account_id: AccountId, space: str, now: datetime) -> None:
        """Take the name of an erased space out of every row."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that recall ranked, best first; `score` only compares within one search."""

    memory: Memory
    score: float
    features: Mapping[str, float]


class Recall(Protocol):
    """Ranks the memories of one space. Blocking: runs inside `Store.read`, but for `prepare`."""

    def prepare(self, question: str) -> None:
        """Begin what a search for `question` needs that is in no row; returns at once. A search does without it too."""
        ...

    def search(
        self,
        tx: Transaction,
        space: Space,
        question: str,
        *,
        limit: int,
        kind: Kind | None = None,
        labels: LabelFilter | None = None,
        is_judged: bool = True,
    ) -> Sequence[Found]:
        """Best first, usable memories only, no threshold; empty when the space holds none.

        Without `is_judged` the `features` are left empty: only an answer's judge asks for them.
        """
        ...

    def near(
        self,
        tx: Transaction,
        space: Space,
        vectors: NDArray[np.float32],
        abouts: Sequence[str | None],
        *,
        limit: int,
        least: float,
    ) -> Sequence[Sequence[MemoryId]]:
        """For each row of `vectors`, up to `limit` memories of cosine `least` or more, nearest first.

        Only memories whose subject is the one asked for, or where either subject is None.
        """
        ...

    def tokens(
        self,
        text: str,
        about: str | None,
        said_at: datetime,
        *,
        said_by: str | None = None,
        asked: str | None = None,
    ) -> bytes:
        """The search keys of a memory, to be stored beside it (`domain.memory.joined_tokens`).

        `said_by` is the participant who said it, None for the memory's owner and for text that nobody speaks. `asked`
        are the questions right before it.
        """
        ...

    def forget_space(self, space_id: SpaceId) -> None:
        """Drop what is cached of a space that was erased."""
        ...


class Bell(Protocol):
    """Rings between those who add work and those who do it, in one process."""

    def ring(self) -> None:
        """A learning job was added: a worker of this process may start on it at once. Callable from any thread."""
        ...

    def learned(self) -> None:
        """Some source ended learning: wake those who wait."""
        ...

    async def next_learned(self, timeout_s: float) -> None:
        """Return when some source ended learning in this process, or when the time is up."""
        ...

    @property
    def is_stopping(self) -> bool:
        """Whether the process was asked to stop: whoever waits for a source should come back."""
        ...

    def stop(self) -> None:
        """Say that the process was asked to stop. Callable from any thread, and from a signal's handler."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that a service may use.

    `public_url`: the origin people reach us by, with its path prefix and no trailing slash. `stored_in`: where the
    data lies, in words, for exports. `certainty`: how sure `ask` and `context` must be. `refresh_grace_s`: seconds in
    which a used refresh token still works; 0 as the contract wants it. `language_model`: the one that is configured,
    None as a rule; it may use `llm_tokens_a_day` tokens in a day (UTC), 0 for any number.
    """

    store: Store
    calls: CallLog
    embedder: Embedder
    recall: Recall
    categories: Categories
    clock: Clock
    bell: Bell
    public_url: str
    stored_in: str
    certainty: Literal["strict", "normal", "lenient"] = "normal"
    refresh_grace_s: int = 0
    language_model: LanguageModel | None = None
    llm_tokens_a_day: int = 0
