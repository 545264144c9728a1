"""Apps that sign in for a person, and their tokens."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
BINARY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "oauth_clients",
        sa.Column("id", BINARY, nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("redirect_uris", sa.Text(), nullable=False),
        sa.Column("auth_method", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=True),
        sa.Column("metadata", sa.LargeBinary(), nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_clients")),
    )
    op.create_index(op.f("ix_oauth_clients_metadata"), "oauth_clients", ["metadata"])
    op.create_index(op.f("ix_oauth_clients_expires_at"), "oauth_clients", ["expires_at"])
    op.create_table(
        "oauth_requests",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        *_asked(),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        _references("oauth_requests", "client_id", "oauth_clients.id"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_oauth_requests")),
    )
    op.create_index(op.f("ix_oauth_requests_client_id"), "oauth_requests", ["client_id"])
    op.create_index(op.f("ix_oauth_requests_expires_at"), "oauth_requests", ["expires_at"])
    op.create_table(
        "connections",
        sa.Column("id", COUNTER, nullable=False),
        sa.Column("account_id", COUNTER, nullable=False),
        sa.Column("client_id", BINARY, nullable=False),
        *_shown(),
        sa.Column("granted", sa.Text(), nullable=False),
        sa.Column("resource", sa.Text(), nullable=False),
        sa.Column("connected_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        _references("connections", "account_id", "accounts.id"),
        _references("connections", "client_id", "oauth_clients.id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connections")),
        sqlite_autoincrement=True,
    )
    for column in ("account_id", "client_id", "expires_at"):
        op.create_index(op.f(f"ix_connections_{column}"), "connections", [column])
    op.create_table(
        "oauth_codes",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        *_asked(),
        sa.Column("account_id", COUNTER, nullable=False),
        sa.Column("granted", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("connection_id", COUNTER, nullable=True),
        _references("oauth_codes", "client_id", "oauth_clients.id"),
        _references("oauth_codes", "account_id", "accounts.id"),
        _references("oauth_codes", "connection_id", "connections.id"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_oauth_codes")),
    )
    for column in ("client_id", "expires_at", "connection_id"):
        op.create_index(op.f(f"ix_oauth_codes_{column}"), "oauth_codes", [column])
    op.create_table(
        "oauth_tokens",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("connection_id", COUNTER, nullable=False),
        sa.Column("granted", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        _references("oauth_tokens", "connection_id", "connections.id"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_oauth_tokens")),
    )
    for column in ("connection_id", "expires_at"):
        op.create_index(op.f(f"ix_oauth_tokens_{column}"), "oauth_tokens", [column])
    op.create_table(
        "visits",
        sa.Column("n", COUNTER, nullable=False),
        sa.Column("door", sa.Text(), nullable=False),
        sa.Column("peer", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("n", name=op.f("pk_visits")),
    )
    op.create_index(op.f("ix_visits_door_peer_at"), "visits", ["door", "peer", "at"])
    op.create_index(op.f("ix_visits_at"), "visits", ["at"])


def _shown() -> tuple[sa.Column[str] | sa.Column[bool], ...]:
    return (
        sa.Column("app_name", sa.Text(), nullable=False),
        sa.Column("app_is_known", sa.Boolean(), nullable=False),
        sa.Column("app_host", sa.Text(), nullable=True),
    )


def _asked() -> tuple[sa.Column[str] | sa.Column[bool], ...]:
    return (
        sa.Column("client_id", BINARY, nullable=False),
        *_shown(),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("names_redirect", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("offers", sa.Text(), nullable=False),
        sa.Column("resource", sa.Text(), nullable=False),
    )


def _references(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [target], name=op.f(f"fk_{table}_{column}"), initially="DEFERRED", deferrable=True
    )
