"""Passwords, signed-in browsers, setup links, and wrong passwords."""

from __future__ import annotations

from datetime import timedelta

import pytest

from geniffy_server.domain.sign_in import Session, Tries
from geniffy_server.errors import Conflict
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home

LATER = NOW + timedelta(days=30)


async def test_an_account_has_the_password_that_was_set_last(store: SqliteStore, home: Home) -> None:
    assert await store.read(lambda tx: tx.sign_ins.password(home.account)) is None
    await store.write(lambda tx: tx.sign_ins.set_password(home.account, "one"))
    await store.write(lambda tx: tx.sign_ins.set_password(home.account, "two"))
    assert await store.read(lambda tx: tx.sign_ins.password(home.account)) == "two"


async def test_a_session_lives_until_it_is_ended(store: SqliteStore, home: Home) -> None:
    await store.write(lambda tx: tx.sign_ins.add_session(b"a", Session(home.account, NOW, NOW, NOW)))
    await store.write(lambda tx: tx.sign_ins.add_session(b"b", Session(home.account, NOW, NOW, LATER)))
    await store.write(lambda tx: tx.sign_ins.session_used(b"a", NOW + timedelta(hours=1), LATER))
    held = await store.read(lambda tx: tx.sign_ins.session(b"a"))
    assert held == Session(home.account, NOW, NOW + timedelta(hours=1), LATER)
    await store.write(lambda tx: tx.sign_ins.end_session(b"a"))
    assert await store.read(lambda tx: tx.sign_ins.session(b"a")) is None
    assert await store.write(lambda tx: tx.sign_ins.end_sessions(home.account)) == 1
    assert await store.read(lambda tx: tx.sign_ins.session(b"b")) is None


async def test_a_setup_link_is_taken_once_and_a_new_one_takes_its_place(store: SqliteStore, home: Home) -> None:
    await store.write(lambda tx: tx.sign_ins.set_link(b"old", home.account, LATER))
    await store.write(lambda tx: tx.sign_ins.set_link(b"new", home.account, LATER))
    assert await store.write(lambda tx: tx.sign_ins.take_link(b"old", NOW)) is None
    assert await store.read(lambda tx: tx.sign_ins.link(b"new", NOW)) == home.account
    assert await store.write(lambda tx: tx.sign_ins.take_link(b"new", LATER)) is None
    assert await store.write(lambda tx: tx.sign_ins.take_link(b"new", NOW)) == home.account
    assert await store.write(lambda tx: tx.sign_ins.take_link(b"new", NOW)) is None


async def test_tries_add_up_until_they_are_cleared_or_a_day_old(store: SqliteStore) -> None:
    for key in (b"a", b"a", b"b"):
        await store.write(lambda tx, key=key: tx.sign_ins.count_try(key, NOW))
    assert await store.read(lambda tx: tx.sign_ins.tries(b"a")) == Tries(2, NOW)
    await store.write(lambda tx: tx.sign_ins.forgive_try(b"a"))
    assert await store.read(lambda tx: tx.sign_ins.tries(b"a")) == Tries(1, NOW)
    await store.write(lambda tx: tx.sign_ins.clear_tries(b"a"))
    assert await store.read(lambda tx: tx.sign_ins.tries(b"a")) is None
    await store.write(lambda tx: tx.sign_ins.prune(NOW + timedelta(days=1)))
    assert await store.read(lambda tx: tx.sign_ins.tries(b"b")) is None


async def test_what_has_expired_is_pruned_and_nothing_else(store: SqliteStore, home: Home) -> None:
    await store.write(lambda tx: tx.sign_ins.add_session(b"a", Session(home.account, NOW, NOW, NOW)))
    await store.write(lambda tx: tx.sign_ins.add_session(b"b", Session(home.account, NOW, NOW, LATER)))
    await store.write(lambda tx: tx.sign_ins.set_link(b"link", home.account, LATER))
    await store.write(lambda tx: tx.sign_ins.prune(NOW))
    assert await store.read(lambda tx: tx.sign_ins.session(b"a")) is None
    assert await store.read(lambda tx: tx.sign_ins.session(b"b")) is not None
    assert await store.read(lambda tx: tx.sign_ins.link(b"link", NOW)) == home.account


async def test_an_account_is_described_closed_and_opened_again(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: tx.accounts.add("ben@example.com", "Ben", "UTC", NOW))
    await store.write(lambda tx: tx.accounts.describe(home.account, "ANA@example.com", "Ana Lima", "Europe/Lisbon"))
    await store.write(lambda tx: tx.accounts.close(home.account, NOW))
    held = await store.read(lambda tx: tx.accounts.by_email("ana@example.com"))
    assert held is not None
    assert (held.email, held.name, held.time_zone) == ("ANA@example.com", "Ana Lima", "Europe/Lisbon")
    assert held.closed_at == NOW
    await store.write(lambda tx: tx.accounts.close(home.account, None))
    assert (await store.read(lambda tx: tx.accounts.by_id(home.account))).closed_at is None
    with pytest.raises(Conflict):
        await store.write(lambda tx: tx.accounts.describe(other.id, "Ana@Example.com", "Ben", "UTC"))
