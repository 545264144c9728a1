"""Signing in on the pages: passwords, browsers, setup links, wrong passwords."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _of_account(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["account_id"],
        ["accounts.id"],
        name=op.f(f"fk_{table}_account_id"),
        initially="DEFERRED",
        deferrable=True,
    )


def upgrade() -> None:
    op.create_table(
        "passwords",
        sa.Column("account_id", COUNTER, autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        _of_account("passwords"),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_passwords")),
    )
    op.create_table(
        "web_sessions",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("account_id", COUNTER, nullable=False),
        sa.Column("signed_in_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        _of_account("web_sessions"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_web_sessions")),
    )
    op.create_index(op.f("ix_web_sessions_account_id"), "web_sessions", ["account_id"])
    op.create_index(op.f("ix_web_sessions_expires_at"), "web_sessions", ["expires_at"])
    op.create_table(
        "setup_links",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("account_id", COUNTER, nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        _of_account("setup_links"),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_setup_links")),
        sa.UniqueConstraint("account_id", name=op.f("uq_setup_links_account_id")),
    )
    op.create_table(
        "sign_in_tries",
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_sign_in_tries")),
    )
    op.create_index(op.f("ix_sign_in_tries_last_at"), "sign_in_tries", ["last_at"])
