"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
BINARY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", COUNTER, nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("email_key", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("email_key", name=op.f("uq_accounts_email_key")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_meta")),
    )
    op.create_table(
        "spaces",
        sa.Column("id", COUNTER, nullable=False),
        sa.Column("account_id", COUNTER, nullable=False),
        sa.Column("name", BINARY, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("owner_name", sa.Text(), nullable=True),
        sa.Column("last_added_at", sa.BigInteger(), nullable=True),
        sa.Column("pruned_rev", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_spaces_account_id"), initially="DEFERRED", deferrable=True
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_spaces")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_spaces_account_id_name")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "usage",
        sa.Column("account_id", COUNTER, nullable=False),
        sa.Column("month", sa.Text(), nullable=False),
        sa.Column("learned_tokens", sa.BigInteger(), nullable=False),
        sa.Column("answers", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_usage_account_id"), initially="DEFERRED", deferrable=True
        ),
        sa.PrimaryKeyConstraint("account_id", "month", name=op.f("pk_usage")),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", COUNTER, nullable=False),
        sa.Column("account_id", COUNTER, nullable=False),
        sa.Column("space_id", COUNTER, nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("starts_with", sa.Text(), nullable=False),
        sa.Column("rpm", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_api_keys_account_id"), initially="DEFERRED", deferrable=True
        ),
        sa.ForeignKeyConstraint(
            ["space_id"], ["spaces.id"], name=op.f("fk_api_keys_space_id"), initially="DEFERRED", deferrable=True
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_keys_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_api_keys_account_id_space_id"), "api_keys", ["account_id", "space_id"])
    op.create_index(op.f("ix_api_keys_space_id"), "api_keys", ["space_id"])
    op.create_table(
        "memories",
        sa.Column("id", COUNTER, nullable=False),
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("about", BINARY, nullable=True),
        sa.Column("how", sa.Text(), nullable=False),
        sa.Column("first_person", sa.Boolean(), nullable=False),
        sa.Column("statement", sa.LargeBinary(), nullable=False),
        sa.Column("spoken_low", sa.Integer(), nullable=True),
        sa.Column("spoken_high", sa.Integer(), nullable=True),
        sa.Column("spoken_precision", sa.Text(), nullable=True),
        sa.Column("spoken_clock", sa.Integer(), nullable=True),
        sa.Column("learned_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("replaced_by", COUNTER, nullable=True),
        sa.Column("first_line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id"], ["spaces.id"], name=op.f("fk_memories_space_id"), initially="DEFERRED", deferrable=True
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memories")),
        sa.UniqueConstraint("space_id", "id", name=op.f("uq_memories_space_id_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_memories_space_id_about_id"), "memories", ["space_id", "about", "id"])
    op.create_index(op.f("ix_memories_space_id_kind_id_status"), "memories", ["space_id", "kind", "id", "status"])
    op.create_index(op.f("ix_memories_space_id_replaced_by"), "memories", ["space_id", "replaced_by"])
    op.create_index(op.f("ix_memories_space_id_rev"), "memories", ["space_id", "rev"])
    op.create_index(op.f("ix_memories_space_id_statement"), "memories", ["space_id", "statement"])
    op.create_table(
        "refused",
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("statement", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id"], ["spaces.id"], name=op.f("fk_refused_space_id"), initially="DEFERRED", deferrable=True
        ),
        sa.PrimaryKeyConstraint("space_id", "statement", name=op.f("pk_refused")),
    )
    op.create_table(
        "sources",
        sa.Column("n", COUNTER, nullable=False),
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_given", sa.Boolean(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("facts", sa.Integer(), nullable=True),
        sa.Column("external_id", BINARY, nullable=True),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.Column("said_at", sa.Text(), nullable=True),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.Column("added_by", sa.Text(), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("withheld", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("file_name", sa.Text(), nullable=True),
        sa.Column("file_type", sa.Text(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["space_id"], ["spaces.id"], name=op.f("fk_sources_space_id"), initially="DEFERRED", deferrable=True
        ),
        sa.PrimaryKeyConstraint("n", name=op.f("pk_sources")),
        sa.UniqueConstraint("space_id", "external_id", name=op.f("uq_sources_space_id_external_id")),
        sa.UniqueConstraint("space_id", "id", name=op.f("uq_sources_space_id_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_sources_space_id_n"), "sources", ["space_id", "n"])
    op.create_table(
        "tombstones",
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("memory_id", COUNTER, nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id"], ["spaces.id"], name=op.f("fk_tombstones_space_id"), initially="DEFERRED", deferrable=True
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id", name=op.f("pk_tombstones")),
    )
    op.create_index(op.f("ix_tombstones_space_id_removed_at"), "tombstones", ["space_id", "removed_at"])
    op.create_index(op.f("ix_tombstones_space_id_rev"), "tombstones", ["space_id", "rev"])
    op.create_table(
        "clashes",
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("one", COUNTER, nullable=False),
        sa.Column("other", COUNTER, nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "one"],
            ["memories.space_id", "memories.id"],
            name=op.f("fk_clashes_space_id_one"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["space_id", "other"],
            ["memories.space_id", "memories.id"],
            name=op.f("fk_clashes_space_id_other"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("space_id", "one", "other", name=op.f("pk_clashes")),
    )
    op.create_index(op.f("ix_clashes_space_id_other"), "clashes", ["space_id", "other"])
    op.create_table(
        "files",
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("path", BINARY, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "source_id"],
            ["sources.space_id", "sources.id"],
            name=op.f("fk_files_space_id_source_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("space_id", "path", name=op.f("pk_files")),
    )
    op.create_index(op.f("ix_files_space_id_source_id"), "files", ["space_id", "source_id"])
    op.create_table(
        "jobs",
        sa.Column("id", COUNTER, nullable=False),
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("ready_at", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["space_id", "source_id"],
            ["sources.space_id", "sources.id"],
            name=op.f("fk_jobs_space_id_source_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("space_id", "source_id", name=op.f("uq_jobs_space_id_source_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_jobs_leased_until"), "jobs", ["leased_until"])
    op.create_index(op.f("ix_jobs_turn"), "jobs", ["turn"])
    op.create_table(
        "memory_vectors",
        sa.Column("memory_id", COUNTER, autoincrement=False, nullable=False),
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("vec", sa.LargeBinary(), nullable=False),
        sa.Column("tok", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.id"],
            name=op.f("fk_memory_vectors_space_id_memory_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("memory_id", name=op.f("pk_memory_vectors")),
        sa.UniqueConstraint("space_id", "memory_id", name=op.f("uq_memory_vectors_space_id_memory_id")),
    )
    op.create_index(
        "ix_memory_vectors_missing",
        "memory_vectors",
        ["memory_id"],
        sqlite_where=sa.text("length(vec) = 0"),
        postgresql_where=sa.text("length(vec) = 0"),
    )
    op.create_table(
        "passages",
        sa.Column("id", COUNTER, nullable=False),
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("learned", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "source_id"],
            ["sources.space_id", "sources.id"],
            name=op.f("fk_passages_space_id_source_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passages")),
        sa.UniqueConstraint("space_id", "id", name=op.f("uq_passages_space_id_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_passages_space_id_source_id_position"), "passages", ["space_id", "source_id", "position"])
    op.create_table(
        "source_labels",
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("name", BINARY, nullable=False),
        sa.Column("value", BINARY, nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "source_id"],
            ["sources.space_id", "sources.id"],
            name=op.f("fk_source_labels_space_id_source_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("space_id", "source_id", "name", name=op.f("pk_source_labels")),
    )
    op.create_index(
        op.f("ix_source_labels_space_id_name_value_source_id"),
        "source_labels",
        ["space_id", "name", "value", "source_id"],
    )
    op.create_table(
        "source_texts",
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "source_id"],
            ["sources.space_id", "sources.id"],
            name=op.f("fk_source_texts_space_id_source_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("space_id", "source_id", name=op.f("pk_source_texts")),
    )
    op.create_table(
        "turns",
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("said_at", sa.Text(), nullable=True),
        sa.Column("tools", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["space_id", "source_id"],
            ["sources.space_id", "sources.id"],
            name=op.f("fk_turns_space_id_source_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("space_id", "source_id", "position", name=op.f("pk_turns")),
    )
    op.create_table(
        "memory_lines",
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("memory_id", COUNTER, nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("passage_id", COUNTER, nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("said_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.id"],
            name=op.f("fk_memory_lines_space_id_memory_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["space_id", "passage_id"],
            ["passages.space_id", "passages.id"],
            name=op.f("fk_memory_lines_space_id_passage_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.ForeignKeyConstraint(
            ["space_id", "source_id"],
            ["sources.space_id", "sources.id"],
            name=op.f("fk_memory_lines_space_id_source_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id", "n", name=op.f("pk_memory_lines")),
    )
    op.create_index(op.f("ix_memory_lines_space_id_passage_id"), "memory_lines", ["space_id", "passage_id"])
    op.create_index(
        op.f("ix_memory_lines_space_id_source_id_memory_id"), "memory_lines", ["space_id", "source_id", "memory_id"]
    )
