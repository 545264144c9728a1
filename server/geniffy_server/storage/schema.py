"""The tables of a store, portable between SQLite and PostgreSQL. Every key of a row in a space names the space.

Integers count microseconds since 1970 in UTC for points in time, and days as `date.toordinal()` for dates. What was
said keeps its own offset, so `said_at` is ISO text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Row,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeDecorator

AnyRow: TypeAlias = Row[*tuple[Any, ...]]
"""A row as it is read; its columns are named by the statement that asked for it."""

REVISION: Final = "0004"
"""The newest migration, which this code reads and writes."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """Microseconds since 1970 of an aware datetime, exactly, whatever the process's time zone."""
    return (moment - _EPOCH) // _MICROSECOND


def instant(count: int) -> datetime:
    """The aware datetime in UTC of `micros`."""
    return _EPOCH + timedelta(microseconds=count)


class Instant(TypeDecorator[datetime]):
    """A point in time, given back in UTC."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else micros(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return None if value is None else instant(value)


class Said(TypeDecorator[datetime]):
    """A point in time that comes back with the offset it was written with."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else value.isoformat()

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value)


class LabelsText(TypeDecorator[Mapping[str, str]]):
    """Labels as a JSON object, so that a source comes with them in one read."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Mapping[str, str] | None, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(dict(value), ensure_ascii=False)

    def process_result_value(self, value: Any, dialect: Dialect) -> Mapping[str, str]:
        labels: dict[str, str] = json.loads(value) if value else {}
        return labels


Counter: Final = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts only in a column typed INTEGER
BINARY: Final = Text().with_variant(Text(collation="C"), "postgresql")  # code-point order in both

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _references(columns: list[str], target: list[str]) -> ForeignKeyConstraint:
    # Checked at commit, so that a transaction may write and remove in any order.
    return ForeignKeyConstraint(columns, target, deferrable=True, initially="DEFERRED")


def _of_space() -> ForeignKeyConstraint:
    return _references(["space_id"], ["spaces.id"])


def _of_source() -> ForeignKeyConstraint:
    return _references(["space_id", "source_id"], ["sources.space_id", "sources.id"])


def _of_memory() -> ForeignKeyConstraint:
    return _references(["space_id", "memory_id"], ["memories.space_id", "memories.id"])


meta = Table("meta", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))

accounts = Table(
    "accounts",
    metadata,
    Column("id", Counter, primary_key=True),
    Column("email", Text),
    Column("email_key", Text, unique=True),  # case folded
    Column("name", Text),
    Column("time_zone", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("closed_at", Instant),
    sqlite_autoincrement=True,
)

usage = Table(
    "usage",
    metadata,
    Column("account_id", Counter, nullable=False),
    Column("month", Text, nullable=False),
    Column("learned_tokens", BigInteger, nullable=False),
    Column("answers", BigInteger, nullable=False),
    PrimaryKeyConstraint("account_id", "month"),
    _references(["account_id"], ["accounts.id"]),
)

spaces = Table(
    "spaces",
    metadata,
    Column("id", Counter, primary_key=True),
    Column("account_id", Counter, nullable=False),
    Column("name", BINARY, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("owner_name", Text),
    Column("last_added_at", Instant),
    Column("pruned_rev", BigInteger, nullable=False),  # tombstones up to this version are no longer kept
    UniqueConstraint("account_id", "name"),
    _references(["account_id"], ["accounts.id"]),
    sqlite_autoincrement=True,
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Counter, primary_key=True),
    Column("account_id", Counter, nullable=False),
    Column("space_id", Counter),
    Column("name", Text, nullable=False),
    Column("hash", LargeBinary, nullable=False, unique=True),
    Column("starts_with", Text, nullable=False),
    Column("rpm", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("last_used_at", Instant),
    Column("expires_at", Instant),
    Column("revoked_at", Instant),
    _references(["account_id"], ["accounts.id"]),
    _of_space(),
    Index(None, "account_id", "space_id"),
    Index(None, "space_id"),
    sqlite_autoincrement=True,
)

sources = Table(
    "sources",
    metadata,
    Column("n", Counter, primary_key=True),  # the order of adding
    Column("space_id", Counter, nullable=False),
    Column("id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("form", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("title_given", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("error", Text),
    Column("facts", Integer),
    Column("external_id", BINARY),
    Column("labels", LabelsText, nullable=False),
    Column("said_at", Said),
    Column("added_at", Instant, nullable=False),
    Column("added_by", Text),
    Column("revision", BigInteger, nullable=False),
    Column("withheld", Integer, nullable=False),
    Column("url", Text),
    Column("file_name", Text),
    Column("file_type", Text),
    Column("size_bytes", BigInteger),
    UniqueConstraint("space_id", "id"),
    UniqueConstraint("space_id", "external_id"),
    Index(None, "space_id", "n"),
    _of_space(),
    sqlite_autoincrement=True,
)

source_labels = Table(
    "source_labels",
    metadata,
    Column("space_id", Counter, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("name", BINARY, nullable=False),
    Column("value", BINARY, nullable=False),
    PrimaryKeyConstraint("space_id", "source_id", "name"),
    Index(None, "space_id", "name", "value", "source_id"),
    _of_source(),
)

source_texts = Table(
    "source_texts",
    metadata,
    Column("space_id", Counter, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("space_id", "source_id"),
    _of_source(),
)

turns = Table(
    "turns",
    metadata,
    Column("space_id", Counter, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("name", Text),
    Column("text", Text, nullable=False),
    Column("said_at", Said),
    Column("tools", Text),
    PrimaryKeyConstraint("space_id", "source_id", "position"),
    _of_source(),
)

# A source is a conversation while it holds turns; its times are those of the earliest and the latest of them.
conversations = Table(
    "conversations",
    metadata,
    Column("space_id", Counter, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("finished_at", Instant, nullable=False),
    Column("category", Text),  # None until it is detected, and again when turns change
    Column("category_given", Boolean, nullable=False),
    Column("locked", Boolean, nullable=False),
    PrimaryKeyConstraint("space_id", "source_id"),
    Index(None, "space_id", "started_at"),
    _of_source(),
)
Index(
    "ix_conversations_uncategorized",
    conversations.c.space_id,
    conversations.c.source_id,
    sqlite_where=text("category IS NULL"),
    postgresql_where=text("category IS NULL"),
)

passages = Table(
    "passages",
    metadata,
    Column("id", Counter, primary_key=True),
    Column("space_id", Counter, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("heading", Text),
    Column("turn", Integer),
    Column("learned", Boolean, nullable=False),
    UniqueConstraint("space_id", "id"),
    Index(None, "space_id", "source_id", "position"),
    _of_source(),
    sqlite_autoincrement=True,
)

memories = Table(
    "memories",
    metadata,
    Column("id", Counter, primary_key=True),
    Column("space_id", Counter, nullable=False),
    Column("rev", BigInteger, nullable=False),
    Column("text", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("about", BINARY),
    Column("how", Text, nullable=False),
    Column("first_person", Boolean, nullable=False),
    Column("statement", LargeBinary, nullable=False),
    Column("spoken_low", Integer),
    Column("spoken_high", Integer),
    Column("spoken_precision", Text),
    Column("spoken_clock", Integer),
    Column("learned_at", Instant, nullable=False),
    Column("status", Text, nullable=False),
    Column("replaced_by", Counter),
    Column("first_line", Integer, nullable=False),  # `memory_lines.n` of the line shown with it
    Column("category", Text),  # None until it is detected
    *(
        Column(name, Boolean, nullable=False, server_default=false())
        for name in ("category_given", "manually_added", "reviewed", "edited", "locked")
    ),
    Column("updated_at", Instant, nullable=False, server_default=text("0")),
    UniqueConstraint("space_id", "id"),
    Index(None, "space_id", "rev"),
    Index(None, "space_id", "kind", "id", "status"),
    Index(None, "space_id", "about", "id"),
    Index(None, "space_id", "statement"),
    Index(None, "space_id", "replaced_by"),
    _of_space(),
    sqlite_autoincrement=True,
)
Index(
    "ix_memories_uncategorized",
    memories.c.space_id,
    memories.c.id,
    sqlite_where=text("category IS NULL"),
    postgresql_where=text("category IS NULL"),
)

memory_vectors = Table(
    "memory_vectors",
    metadata,
    Column("memory_id", Counter, primary_key=True, autoincrement=False),
    Column("space_id", Counter, nullable=False),
    Column("vec", LargeBinary, nullable=False),
    Column("tok", LargeBinary, nullable=False),
    UniqueConstraint("space_id", "memory_id"),
    _of_memory(),
)
Index(
    "ix_memory_vectors_missing",
    memory_vectors.c.memory_id,
    sqlite_where=text("length(vec) = 0"),
    postgresql_where=text("length(vec) = 0"),
)

memory_lines = Table(
    "memory_lines",
    metadata,
    Column("space_id", Counter, nullable=False),
    Column("memory_id", Counter, nullable=False),
    Column("n", Integer, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("passage_id", Counter, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("quote", Text, nullable=False),
    Column("said_at", Said, nullable=False),
    PrimaryKeyConstraint("space_id", "memory_id", "n"),
    Index(None, "space_id", "passage_id"),
    Index(None, "space_id", "source_id", "memory_id"),
    _of_memory(),
    _of_source(),
    _references(["space_id", "passage_id"], ["passages.space_id", "passages.id"]),
)

clashes = Table(
    "clashes",
    metadata,
    Column("space_id", Counter, nullable=False),
    Column("one", Counter, nullable=False),  # the smaller id of the two
    Column("other", Counter, nullable=False),
    PrimaryKeyConstraint("space_id", "one", "other"),
    Index(None, "space_id", "other"),
    _references(["space_id", "one"], ["memories.space_id", "memories.id"]),
    _references(["space_id", "other"], ["memories.space_id", "memories.id"]),
)

refused = Table(
    "refused",
    metadata,
    Column("space_id", Counter, nullable=False),
    Column("statement", LargeBinary, nullable=False),
    PrimaryKeyConstraint("space_id", "statement"),
    _of_space(),
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("space_id", Counter, nullable=False),
    Column("memory_id", Counter, nullable=False),
    Column("rev", BigInteger, nullable=False),
    Column("removed_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "memory_id"),
    Index(None, "space_id", "rev"),
    Index(None, "space_id", "removed_at"),
    _of_space(),
)

files = Table(
    "files",
    metadata,
    Column("space_id", Counter, nullable=False),
    Column("path", BINARY, nullable=False),
    Column("size", Integer, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("source_id", Text, nullable=False),
    PrimaryKeyConstraint("space_id", "path"),
    Index(None, "space_id", "source_id"),
    _of_source(),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Counter, primary_key=True),
    Column("space_id", Counter, nullable=False),
    Column("source_id", Text, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("turn", BigInteger, nullable=False),  # grows with every turn taken or waited for: the least goes next
    Column("ready_at", Instant, nullable=False),
    Column("leased_until", Instant),
    Column("worker", Text),
    UniqueConstraint("space_id", "source_id"),
    Index(None, "turn"),
    Index(None, "leased_until"),
    _of_source(),
    sqlite_autoincrement=True,
)

OF_A_SPACE: Final = (
    jobs,
    files,
    clashes,
    memory_lines,
    memory_vectors,
    memories,
    tombstones,
    refused,
    passages,
    conversations,
    turns,
    source_texts,
    source_labels,
    sources,
    api_keys,
)
"""Every table that holds rows of a space, what refers before what is referred to."""

# The request log is a database of its own, made as it is and never migrated: it may be thrown away.
log_metadata: Final = MetaData()

requests = Table(
    "requests",
    log_metadata,
    Column("n", Counter, primary_key=True),
    Column("id", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("account_id", Counter),
    Column("space", Text),
    Column("door", Text, nullable=False),
    Column("route", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("duration_ms", Float, nullable=False),
    Column("app", Text),
    Column("key_id", Counter),
    Index("ix_requests_account", "account_id", "n"),
    Index("ix_requests_at", "at"),
    sqlite_autoincrement=True,
)

rate_windows = Table(
    "rate_windows",
    log_metadata,
    Column("key_id", Counter, primary_key=True, autoincrement=False),
    Column("granted", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
)

rate_slots = Table(
    "rate_slots",
    log_metadata,
    Column("key_id", Counter, nullable=False),
    Column("slot", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    PrimaryKeyConstraint("key_id", "slot"),
    sqlite_with_rowid=False,
)

erased_spaces = Table(
    "erased_spaces",
    log_metadata,
    Column("mark", LargeBinary, primary_key=True),
    Column("at", Instant, nullable=False),
    sqlite_with_rowid=False,
)
