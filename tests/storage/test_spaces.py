"""Spaces: made when first written to, counted by version, erased whole."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text

from geniffy_server.domain.account import secret_hash
from geniffy_server.domain.source import Turn
from geniffy_server.domain.space import OWN
from geniffy_server.errors import NotFound
from geniffy_server.ports import Transaction
from geniffy_server.storage.schema import metadata
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, make_home, put_file, teach


async def test_a_space_is_there_once_something_was_written_to_it(store: SqliteStore, home: Home) -> None:
    assert await store.read(lambda tx: tx.spaces.find(home.account, "ben")) is None
    made = await store.write(lambda tx: tx.spaces.ensure(home.account, "ben"))
    assert await store.write(lambda tx: tx.spaces.ensure(home.account, "ben")) == made
    assert await store.read(lambda tx: tx.spaces.find(home.account, "ben")) == made
    assert await store.read(lambda tx: tx.spaces.by_id(made.id)) == made
    assert len(made.secret) == 32


async def test_names_of_spaces_differ_by_case(store: SqliteStore, home: Home) -> None:
    assert await store.write(lambda tx: tx.spaces.ensure(home.account, "Ana").id) != home.space


async def test_a_version_grows_by_one_with_each_bump(store: SqliteStore, home: Home) -> None:
    assert await store.read(lambda tx: tx.spaces.version(home.space)) == 0
    assert [await store.write(lambda tx: tx.spaces.bump(home.space)) for _ in range(3)] == [1, 2, 3]
    assert await store.read(lambda tx: tx.spaces.version(home.space)) == 3


async def test_the_owner_of_a_space_is_named_and_unnamed(store: SqliteStore, home: Home) -> None:
    for name in ("Zoë", None):
        await store.write(lambda tx, name=name: tx.spaces.name_owner(home.space, name))
        found = await store.read(lambda tx: tx.spaces.by_id(home.space))
        assert found is not None
        assert found.owner_name == name


async def test_spaces_that_hold_something_come_most_recently_added_to_first(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> None:
        for hours, name in enumerate(("ana", "ben", OWN, "cleo")):
            space = tx.spaces.ensure(home.account, name).id
            teach(tx, space, f"{name} one.", f"{name} two.")
            tx.spaces.added(space, NOW + timedelta(hours=hours))
        tx.spaces.added(home.space, NOW + timedelta(days=1))
        teach(tx, home.space, "Three.", status="replaced")
        tx.spaces.ensure(home.account, "empty")

    await store.write(work)
    held = await store.read(lambda tx: tx.spaces.holding(home.account))
    assert [(s.name, s.sources, s.memories) for s in held] == [("ana", 2, 2), ("cleo", 1, 2), ("ben", 1, 2)]
    assert held[1].last_added_at == NOW + timedelta(hours=3)


async def test_erasing_leaves_no_row_of_the_space_in_any_table(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))

    def fill(tx: Transaction, home: Home) -> None:
        taught = teach(tx, home.space, "One.", "Two.", "Three.", labels={"a": "b"})
        source = put_file(tx, home.space, "/a", "text")
        tx.sources.replace_turns(home.space, taught.source, [Turn("user", None, "One.", NOW)])
        one, two, three = taught.memories
        tx.memories.add_clash(home.space, one, two)
        tx.memories.cut_lines(home.space, [taught.passages[2]], 9)
        tx.memories.remove(home.space, [three], 9, NOW)
        tx.memories.refuse(home.space, [b"x"])
        tx.jobs.add(home.space, source, 1, NOW)
        tx.keys.add(home.account, tx.spaces.by_id(home.space), "k", secret_hash(str(home)), "g", 60, None, NOW)

    def rows(tx: Transaction, home: Home) -> dict[str, int]:
        execute = tx._connection.execute
        tables = [table.name for table in metadata.sorted_tables if "space_id" in table.c]
        of = {"id": home.space}
        return {
            name: execute(text(f"SELECT count(*) FROM {name} WHERE space_id = :id"), of).scalar() for name in tables
        }

    await store.write(lambda tx: fill(tx, home))
    await store.write(lambda tx: fill(tx, other))
    before = await store.read(lambda tx: rows(tx, other))
    # Every table of a space is filled, so that none can be missed.
    assert all(before.values()), before

    assert await store.write(lambda tx: tx.spaces.erase(home.space)) == 2
    assert not any((await store.read(lambda tx: rows(tx, home))).values())
    assert await store.read(lambda tx: rows(tx, other)) == before
    assert await store.read(lambda tx: tx.keys.by_hash(secret_hash(str(home)))) is None
    assert await store.read(lambda tx: tx.spaces.by_id(home.space)) is None


async def test_a_space_made_again_after_erasing_shares_nothing_with_the_old_one(store: SqliteStore, home: Home) -> None:
    old = await store.read(lambda tx: tx.spaces.by_id(home.space))
    await store.write(lambda tx: tx.spaces.erase(home.space))
    new = await store.write(lambda tx: tx.spaces.ensure(home.account, "ana"))
    assert old is not None
    assert new.id > old.id
    assert new.secret != old.secret
    with pytest.raises(NotFound):
        await store.write(lambda tx: tx.spaces.bump(old.id))
