"""The tables of signing in on the pages. Tokens and links are kept as their SHA-256, passwords as argon2id hashes."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKeyConstraint, Index, Integer, LargeBinary, Table, Text

from geniffy_server.storage.schema import Counter, Instant, metadata


def _of_account() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["account_id"], ["accounts.id"], deferrable=True, initially="DEFERRED")


passwords = Table(
    "passwords",
    metadata,
    Column("account_id", Counter, primary_key=True, autoincrement=False),
    Column("hash", Text, nullable=False),
    _of_account(),
)

web_sessions = Table(
    "web_sessions",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    Column("account_id", Counter, nullable=False),
    Column("signed_in_at", Instant, nullable=False),
    Column("used_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    _of_account(),
    Index(None, "account_id"),
    Index(None, "expires_at"),
)

setup_links = Table(
    "setup_links",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    Column("account_id", Counter, nullable=False, unique=True),
    Column("expires_at", Instant, nullable=False),
    _of_account(),
)

sign_in_tries = Table(
    "sign_in_tries",
    metadata,
    Column("key", LargeBinary, primary_key=True),
    Column("failed", Integer, nullable=False),
    Column("last_at", Instant, nullable=False),
    Index(None, "last_at"),
)
