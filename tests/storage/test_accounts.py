"""Accounts, what they used, and their keys."""

from __future__ import annotations

from datetime import timedelta

import pytest

from geniffy_server.domain.account import Usage, secret_hash
from geniffy_server.errors import Conflict
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, make_home


async def test_the_owner_is_the_first_account(store: SqliteStore) -> None:
    first = await store.write(lambda tx: tx.accounts.add(None, None, "UTC", NOW))
    second = await store.write(lambda tx: tx.accounts.add("b@example.com", "Ben", "Europe/Lisbon", NOW))
    assert await store.read(lambda tx: tx.accounts.owner()) == first
    assert await store.read(lambda tx: tx.accounts.by_id(second.id)) == second
    assert await store.read(lambda tx: list(tx.accounts.all())) == [first, second]


async def test_an_email_is_compared_without_case_and_taken_once(store: SqliteStore) -> None:
    ana = await store.write(lambda tx: tx.accounts.add("Ana@Straße.example", "Ana", "UTC", NOW))
    assert await store.read(lambda tx: tx.accounts.by_email("ANA@STRASSE.EXAMPLE")) == ana
    assert await store.read(lambda tx: tx.accounts.by_email("other@example.com")) is None
    with pytest.raises(Conflict):
        await store.write(lambda tx: tx.accounts.add("ana@straße.example", None, "UTC", NOW))


async def test_usage_adds_up_by_month(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> None:
        tx.accounts.count_usage(home.account, "2026-10", learned_tokens=5)
        tx.accounts.count_usage(home.account, "2026-10", learned_tokens=2, answers=1)
        tx.accounts.count_usage(home.account, "2026-11", answers=3)

    await store.write(work)
    assert await store.read(lambda tx: tx.accounts.usage(home.account, "2026-10")) == Usage(7, 1)
    assert await store.read(lambda tx: tx.accounts.usage(home.account, "2026-12")) == Usage(0, 0)


async def test_a_key_is_found_by_its_hash_with_its_space(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> None:
        space = tx.spaces.by_id(home.space)
        tx.keys.add(home.account, space, "limited", secret_hash("a"), "gnf_live_a", 10, NOW + timedelta(days=1), NOW)
        tx.keys.add(home.account, None, "whole", secret_hash("b"), "gnf_live_b", 600, None, NOW)

    await store.write(work)
    limited = await store.read(lambda tx: tx.keys.by_hash(secret_hash("a")))
    whole = await store.read(lambda tx: tx.keys.by_hash(secret_hash("b")))
    assert limited is not None
    assert whole is not None
    assert (limited.space, limited.rpm, limited.expires_at) == ("ana", 10, NOW + timedelta(days=1))
    assert (whole.space, whole.expires_at, whole.last_used_at) == (None, None, None)
    assert await store.read(lambda tx: tx.keys.by_hash(secret_hash("c"))) is None


async def test_working_keys_leave_out_the_revoked_and_the_expired(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> list[int]:
        space = tx.spaces.by_id(home.space)
        ends = (None, NOW + timedelta(seconds=1), NOW, None)
        keys = [
            tx.keys.add(home.account, space if index else None, f"{index}", secret_hash(f"{index}"), "g", 60, end, NOW)
            for index, end in enumerate(ends)
        ]
        tx.keys.revoke(home.account, keys[3].id, None, NOW)
        return [key.id for key in keys]

    ids = await store.write(work)
    every = await store.read(lambda tx: tx.keys.working(home.account, None, NOW))
    assert [key.id for key in every] == ids[:2]
    assert [key.id for key in await store.read(lambda tx: tx.keys.working(home.account, home.space, NOW))] == [ids[1]]


async def test_only_a_working_key_of_that_space_is_revoked(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))

    def add(tx: Transaction) -> int:
        return tx.keys.add(home.account, tx.spaces.by_id(home.space), "k", secret_hash("k"), "g", 60, None, NOW).id

    key = await store.write(add)
    assert await store.write(lambda tx: tx.keys.revoke(home.account, key, other.space, NOW)) is None
    revoked = await store.write(lambda tx: tx.keys.revoke(home.account, key, home.space, NOW))
    assert revoked is not None
    assert await store.write(lambda tx: tx.keys.revoke(home.account, key, home.space, NOW)) is None
    held = await store.read(lambda tx: tx.keys.by_hash(secret_hash("k")))
    assert held is not None
    assert held.revoked_at == NOW
