"""Runs migrations on the connection, and inside the transaction, that the caller gives."""

from __future__ import annotations

from alembic import context

from geniffy_server.storage.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
