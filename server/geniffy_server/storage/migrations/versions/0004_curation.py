"""What people and tools keep of memories beside what they say, and conversations by their times."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
AT_ONCE = 1_000


def upgrade() -> None:
    op.add_column("memories", sa.Column("category", sa.Text()))
    for name in ("category_given", "manually_added", "reviewed", "edited", "locked"):
        op.add_column("memories", sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("memories", sa.Column("updated_at", sa.BigInteger(), server_default=sa.text("0"), nullable=False))
    op.execute("UPDATE memories SET updated_at = learned_at")
    op.create_index(
        "ix_memories_uncategorized",
        "memories",
        ["space_id", "id"],
        sqlite_where=sa.text("category IS NULL"),
        postgresql_where=sa.text("category IS NULL"),
    )
    op.create_table(
        "conversations",
        sa.Column("space_id", COUNTER, nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=False),
        sa.Column("category", sa.Text()),
        sa.Column("category_given", sa.Boolean(), nullable=False),
        sa.Column("locked", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "source_id"],
            ["sources.space_id", "sources.id"],
            name=op.f("fk_conversations_space_id_source_id"),
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("space_id", "source_id", name=op.f("pk_conversations")),
    )
    op.create_index(op.f("ix_conversations_space_id_started_at"), "conversations", ["space_id", "started_at"])
    op.create_index(
        "ix_conversations_uncategorized",
        "conversations",
        ["space_id", "source_id"],
        sqlite_where=sa.text("category IS NULL"),
        postgresql_where=sa.text("category IS NULL"),
    )
    _find_conversations()


def _find_conversations() -> None:
    """A row for every source that holds turns, with the times of the earliest and the latest of them."""
    connection = op.get_bind()
    turns = sa.table("turns", *map(sa.column, ("space_id", "source_id", "said_at")))
    sources = sa.table("sources", *map(sa.column, ("space_id", "id", "form", "added_at")))
    conversations = sa.table(
        "conversations",
        *map(sa.column, ("space_id", "source_id", "started_at", "finished_at", "category_given", "locked")),
    )
    said = connection.execute(
        sa.select(turns.c.space_id, turns.c.source_id, turns.c.said_at, sources.c.added_at)
        .join_from(turns, sources, sa.and_(sources.c.space_id == turns.c.space_id, sources.c.id == turns.c.source_id))
        .where(sources.c.form == "turns")
        .order_by(turns.c.space_id, turns.c.source_id)
    )
    rows = []
    for (space_id, source_id), some in groupby(said, key=lambda row: (row.space_id, row.source_id)):
        first, last = _span((row.said_at, row.added_at) for row in some)
        row = {"space_id": space_id, "source_id": source_id, "started_at": first, "finished_at": last}
        rows.append({**row, "category_given": False, "locked": False})
    for start in range(0, len(rows), AT_ONCE):
        connection.execute(sa.insert(conversations), rows[start : start + AT_ONCE])


def _span(said: Iterable[tuple[str | None, int]]) -> tuple[int, int]:
    times = [
        added_at if said_at is None else (datetime.fromisoformat(said_at) - EPOCH) // timedelta(microseconds=1)
        for said_at, added_at in said
    ]
    return min(times), max(times)
