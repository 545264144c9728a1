"""A store of the revision before curation, brought up to date."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

from alembic import command
from alembic.config import Config

from geniffy_server.domain.curation import Curation
from geniffy_server.domain.source import SourceId
from geniffy_server.storage.migrate import MIGRATIONS, migrate
from geniffy_server.storage.schema import micros
from geniffy_server.storage.sqlite import connected, in_transaction, open_engine
from geniffy_server.storage.store import open_store
from tests.storage.conftest import NOW

TALK, NOTE = "a" * 32, "b" * 32


def old_store(directory: Path) -> None:
    """Revision 0003 with a memory, a note, and a conversation whose turns were said in two time zones."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    at = micros(NOW)
    columns = "space_id, id, kind, form, title, title_given, status, labels, added_at, revision, withheld"
    source = f"INSERT INTO sources ({columns})"
    statements = [
        f"INSERT INTO accounts (id, time_zone, created_at) VALUES (1, 'UTC', {at})",
        "INSERT INTO spaces (id, account_id, name, version, secret, pruned_rev) VALUES (1, 1, '', 1, x'00', 0)",
        f"{source} VALUES (1, '{TALK}', 'note', 'turns', 'T', 0, 'learned', '{{}}', {at}, 1, 0)",
        f"{source} VALUES (1, '{NOTE}', 'note', 'text', 'N', 0, 'learned', '{{}}', {at}, 1, 0)",
        *(
            "INSERT INTO turns (space_id, source_id, position, role, text, said_at)"
            f" VALUES (1, '{TALK}', {position}, 'user', 'Hi', {said})"
            for position, said in enumerate(["'2026-10-03T09:00:00+09:00'", "'2026-10-03T01:30:00+00:00'", "NULL"])
        ),
        "INSERT INTO memories (id, space_id, rev, text, kind, how, first_person, statement, learned_at, status,"
        f" first_line) VALUES (7, 1, 1, 'Hi', 'detail', 'none', 0, x'00', {at}, 'current', 0)",
    ]
    with connected(open_engine(directory / "main.db", "writer")) as connection:

        def work(one: object) -> None:
            config.attributes["connection"] = one
            command.upgrade(config, "0003")
            for statement in statements:
                connection.exec_driver_sql(statement)

        in_transaction(connection, "BEGIN IMMEDIATE", work)


async def test_conversations_are_found_in_an_older_store_and_its_memories_were_updated_when_they_were_learned(
    tmp_path: Path,
) -> None:
    await asyncio.to_thread(old_store, tmp_path)
    await asyncio.to_thread(migrate, tmp_path / "main.db", tmp_path / "LOCK")
    store = open_store(tmp_path, create=False)
    try:
        talks = await store.read(
            lambda tx: tx.conversations.page(1, since=None, before=None, categories=(), limit=9, offset=0)  # type: ignore[arg-type]
        )
        kept = await store.read(lambda tx: tx.curations.find_many(1, [7]))  # type: ignore[arg-type, list-item]
    finally:
        await store.close()

    assert [(talk.id, talk.started_at, talk.finished_at) for talk in talks] == [
        (SourceId(TALK), NOW.replace(hour=0, minute=0), NOW)
    ]
    assert talks[0].finished_at - talks[0].started_at == timedelta(hours=9, minutes=41)
    assert list(kept.values()) == [Curation(None, False, False, False, False, False, NOW)]
