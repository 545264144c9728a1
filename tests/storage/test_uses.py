"""What was used is counted without a write by whoever used it, and nothing that was counted is lost."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import Any

import pytest

from geniffy_server.domain.account import KeyId, Usage, secret_hash
from geniffy_server.errors import Unavailable
from geniffy_server.ports import Transaction
from geniffy_server.storage import uses
from geniffy_server.storage.store import SqliteStore, open_store
from tests.storage.conftest import NOW, Home

MONTH = "2026-10"


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written unless it is settled."""
    monkeypatch.setattr(uses, "WRITE_AFTER_S", 600)


async def used(store: SqliteStore, home: Home) -> Usage:
    return await store.read(lambda tx: tx.accounts.usage(home.account, MONTH))


@pytest.mark.usefixtures("seldom")
async def test_answers_are_read_as_soon_as_they_are_settled(store: SqliteStore, home: Home) -> None:
    for _ in range(3):
        store.uses.answered(home.account, MONTH)
    store.uses.answered(home.account, "2026-11")
    assert await used(store, home) == Usage(0, 0)
    await store.uses.settle()
    assert await used(store, home) == Usage(0, 3)
    store.uses.answered(home.account, MONTH)
    await store.uses.settle()
    await store.uses.settle()
    assert await used(store, home) == Usage(0, 4)


@pytest.mark.usefixtures("seldom")
async def test_the_last_use_of_a_key_is_the_last_that_was_noted(store: SqliteStore, home: Home) -> None:
    def add(tx: Transaction) -> KeyId:
        return tx.keys.add(home.account, None, "laptop", secret_hash("a"), "gnf_live_a", 60, None, NOW).id

    key = await store.write(add)
    for minute in (1, 2):
        store.uses.key(key, NOW + timedelta(minutes=minute))
    await store.uses.settle()
    (kept,) = await store.read(lambda tx: tx.keys.working(home.account, None, NOW))
    assert kept.last_used_at == NOW + timedelta(minutes=2)


@pytest.mark.usefixtures("seldom")
async def test_a_store_that_is_closed_has_written_what_was_noted(store: SqliteStore, home: Home) -> None:
    other = open_store(store.directory)
    other.uses.answered(home.account, MONTH)
    await other.close()
    assert await used(store, home) == Usage(0, 1)


async def test_other_processes_see_it_soon(store: SqliteStore, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uses, "WRITE_AFTER_S", 0.01)
    other = open_store(store.directory)
    for expected in (1, 2):
        store.uses.answered(home.account, MONTH)
        async with asyncio.timeout(20):
            while (await used(other, home)).answers < expected:
                pass
    await other.close()


async def test_settled_everywhere_is_what_other_processes_noted_too(
    store: SqliteStore, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uses, "WRITE_AFTER_S", 0.05)
    other = open_store(store.directory)
    other.uses.answered(home.account, MONTH)
    await store.uses.settle(everywhere=True)
    assert await used(store, home) == Usage(0, 1)
    await other.close()


@pytest.mark.usefixtures("seldom")
async def test_who_is_alone_on_a_store_waits_for_nobody(store: SqliteStore, home: Home) -> None:
    other = open_store(store.directory)
    other.uses.answered(home.account, MONTH)
    await other.close()
    async with asyncio.timeout(60):
        await store.uses.settle(everywhere=True)


async def test_what_could_not_be_written_is_written_later_and_told_once(
    store: SqliteStore, home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    refusals = iter(range(3))
    write = uses.in_transaction

    def refuse_a_few(*arguments: Any) -> None:
        if next(refusals, None) is not None:
            raise Unavailable("The disk that holds the store is full.")
        write(*arguments)

    monkeypatch.setattr(uses, "WRITE_AFTER_S", 0.01)
    monkeypatch.setattr(uses, "in_transaction", refuse_a_few)
    with caplog.at_level(logging.ERROR):
        store.uses.answered(home.account, MONTH)
        async with asyncio.timeout(20):
            while (await used(store, home)).answers < 1:
                pass
    assert await used(store, home) == Usage(0, 1)
    assert [record.getMessage() for record in caplog.records] == [
        "uses are not counted until the store can be written: The disk that holds the store is full."
    ]


@pytest.mark.usefixtures("seldom")
async def test_who_reads_counts_that_can_not_be_written_is_shown_the_last_ones(
    store: SqliteStore, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> None:
        raise Unavailable("The disk that holds the store is full.")

    store.uses.answered(home.account, MONTH)
    with monkeypatch.context() as full:
        full.setattr(uses, "in_transaction", refuse)
        await store.uses.settle()
        assert await used(store, home) == Usage(0, 0)
    await store.uses.settle()
    assert await used(store, home) == Usage(0, 1)


async def test_counting_syncs_nothing_to_the_disk(store: SqliteStore) -> None:
    """2 is FULL, which waits for the disk at each commit, and 1 is NORMAL, which does not (sqlite.org/pragma.html)."""
    counting = store._uses._connection.exec_driver_sql("PRAGMA synchronous").scalar()
    assert counting == 1
    assert await store.write(lambda tx: tx._connection.exec_driver_sql("PRAGMA synchronous").scalar()) == 2
