"""The tables of apps that sign in: who registered, what is asked and allowed, and what is connected."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Boolean, Column, ForeignKeyConstraint, Index, LargeBinary, Table, Text
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeDecorator

from geniffy_server.storage.schema import BINARY, Counter, Instant, metadata


class Strings(TypeDecorator[Sequence[str]]):
    """A list of strings, as JSON."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Sequence[str] | None, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(list(value), ensure_ascii=False)

    def process_result_value(self, value: Any, dialect: Dialect) -> Sequence[str]:
        return tuple(json.loads(value)) if value else ()


def _references(column: str, target: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint([column], [target], deferrable=True, initially="DEFERRED")


def _shown() -> tuple[Column[Any], ...]:
    """An app as people are shown it."""
    return (
        Column("app_name", Text, nullable=False),
        Column("app_is_known", Boolean, nullable=False),
        Column("app_host", Text),
    )


def _asked() -> tuple[Column[Any], ...]:
    return (
        Column("client_id", BINARY, nullable=False),
        *_shown(),
        Column("redirect_uri", Text, nullable=False),
        Column("names_redirect", Boolean, nullable=False),
        Column("state", Text),
        Column("challenge", Text, nullable=False),
        Column("offers", Text, nullable=False),
        Column("resource", Text, nullable=False),
    )


oauth_clients = Table(
    "oauth_clients",
    metadata,
    Column("id", BINARY, primary_key=True),
    Column("name", Text),
    Column("redirect_uris", Strings, nullable=False),
    Column("auth_method", Text, nullable=False),
    Column("secret_hash", LargeBinary),
    Column("metadata", LargeBinary, nullable=False),  # the digest of what was registered
    Column("registered_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Index(None, "metadata"),
    Index(None, "expires_at"),
)

oauth_requests = Table(
    "oauth_requests",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    *_asked(),
    Column("expires_at", Instant, nullable=False),
    _references("client_id", "oauth_clients.id"),
    Index(None, "client_id"),
    Index(None, "expires_at"),
)

connections = Table(
    "connections",
    metadata,
    Column("id", Counter, primary_key=True),
    Column("account_id", Counter, nullable=False),
    Column("client_id", BINARY, nullable=False),
    *_shown(),
    Column("granted", Text, nullable=False),
    Column("resource", Text, nullable=False),
    Column("connected_at", Instant, nullable=False),
    Column("last_used_at", Instant),
    Column("expires_at", Instant, nullable=False),
    _references("account_id", "accounts.id"),
    _references("client_id", "oauth_clients.id"),
    Index(None, "account_id"),
    Index(None, "client_id"),
    Index(None, "expires_at"),
    sqlite_autoincrement=True,
)

oauth_codes = Table(
    "oauth_codes",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    *_asked(),
    Column("account_id", Counter, nullable=False),
    Column("granted", Text, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("connection_id", Counter),  # what it was traded for
    _references("client_id", "oauth_clients.id"),
    _references("account_id", "accounts.id"),
    _references("connection_id", "connections.id"),
    Index(None, "client_id"),
    Index(None, "expires_at"),
    Index(None, "connection_id"),
)

oauth_tokens = Table(
    "oauth_tokens",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("connection_id", Counter, nullable=False),
    Column("granted", Text, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
    _references("connection_id", "connections.id"),
    Index(None, "connection_id"),
    Index(None, "expires_at"),
)

visits = Table(
    "visits",
    metadata,
    Column("n", Counter, primary_key=True),
    Column("door", Text, nullable=False),
    Column("peer", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Index(None, "door", "peer", "at"),
    Index(None, "at"),
)
