"""Accounts, what they used, and a person's whole copy of a memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from geniffy_server.caller import Caller
from geniffy_server.domain.account import Account, Usage
from geniffy_server.domain.file import FileEntry
from geniffy_server.domain.memory import Memory
from geniffy_server.domain.sign_in import email_of, password_of, person_name_of, time_zone_of
from geniffy_server.domain.source import Source
from geniffy_server.domain.space import SpaceId
from geniffy_server.errors import NotFound
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import readable, shown, whole_account
from geniffy_server.services.passwords import hashed


@dataclass(frozen=True, slots=True)
class MonthUsage:
    """What a calendar month (UTC) used so far; `start` and `end` bound it, the end excluded."""

    start: datetime
    end: datetime
    usage: Usage


@dataclass(frozen=True, slots=True)
class Copy:
    """Everything a memory holds: memories of every status, sources, and files without their texts."""

    exported_at: datetime
    memories: Sequence[Memory]
    sources: Sequence[Source]
    files: Sequence[FileEntry]


async def ensure_owner(ports: Ports) -> tuple[Account, bool]:
    """The first account, made when the store has none; and whether it was made just now."""

    def work(tx: Transaction) -> tuple[Account, bool]:
        owner = tx.accounts.owner()
        if owner is not None:
            return owner, False
        return tx.accounts.add(None, None, "UTC", ports.clock.now()), True

    found = await ports.store.read(lambda tx: tx.accounts.owner())
    return (found, False) if found is not None else await ports.store.write(work)


@dataclass(frozen=True, slots=True)
class ListedAccount:
    """An account as its operator sees it."""

    account: Account
    has_password: bool


async def add_account(
    ports: Ports, email: str, name: str, *, time_zone: str = "UTC", password: str | None = None
) -> Account:
    """Add an account; without a password it is chosen later, by a setup link.

    Raises BadInput (`bad_email`, `bad_name`, `bad_time_zone`, `bad_password`), Conflict for an email that is taken.
    """
    address, called, zone = email_of(email), person_name_of(name), time_zone_of(time_zone)
    password_hash = await hashed(password_of(password)) if password is not None else None

    def work(tx: Transaction) -> Account:
        account = tx.accounts.add(address, called, zone, ports.clock.now())
        if password_hash is not None:
            tx.sign_ins.set_password(account.id, password_hash)
        return account

    return await ports.store.write(work)


async def list_accounts(ports: Ports) -> Sequence[ListedAccount]:
    """Every account, the owner first, the closed ones too."""
    return await ports.store.read(
        lambda tx: [ListedAccount(one, tx.sign_ins.password(one.id) is not None) for one in tx.accounts.all()]
    )


async def account_with_email(ports: Ports, email: str) -> Account:
    """The account that signs in by an email, whatever its case. Raises NotFound."""
    account = await ports.store.read(lambda tx: tx.accounts.by_email(email.strip()))
    if account is None:
        raise NotFound(f"No account here has the email {email.strip()!r}.")
    return account


async def close_account(ports: Ports, email: str) -> Account:
    """Close an account: nobody can sign in to it, and its keys, apps and sessions stop at once. What it holds stays.

    Raises NotFound.
    """
    account = await account_with_email(ports, email)

    def work(tx: Transaction) -> None:
        tx.accounts.close(account.id, ports.clock.now())
        tx.sign_ins.end_sessions(account.id)
        tx.sign_ins.drop_link(account.id)

    await ports.store.write(work)
    return account


async def open_account(ports: Ports, email: str) -> Account:
    """Open an account that was closed: its keys and apps work again. Raises NotFound."""
    account = await account_with_email(ports, email)
    await ports.store.write(lambda tx: tx.accounts.close(account.id, None))
    return account


async def describe_account(ports: Ports, account: Account, *, name: str, time_zone: str) -> None:
    """Change what an account is called, and the zone that times are shown in.

    Raises BadInput (`bad_name`, `bad_time_zone`).
    """
    called, zone = person_name_of(name), time_zone_of(time_zone)
    await ports.store.write(lambda tx: tx.accounts.describe(account.id, account.email, called, zone))


async def who(ports: Ports, caller: Caller) -> Account:
    """The caller's account."""

    def work(tx: Transaction) -> Account:
        account = tx.accounts.by_id(caller.account_id)
        assert account is not None, "a caller's account is never removed"
        return account

    return await ports.store.read(work)


async def month_usage(ports: Ports, caller: Caller) -> MonthUsage:
    """What the whole account used this month. Raises NotAllowed for a limited key."""
    whole_account(caller)
    await ports.store.uses.settle(everywhere=True)
    start = ports.clock.now().astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    end = start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    usage = await ports.store.read(lambda tx: tx.accounts.usage(caller.account_id, month_of(start)))
    return MonthUsage(start, end, usage)


def month_of(moment: datetime) -> str:
    """The month that use is counted in, such as `2026-10`."""
    return moment.astimezone(UTC).strftime("%Y-%m")


async def copy_of(ports: Ports, caller: Caller) -> Copy:
    """A whole copy of the caller's memory; empty when nothing was ever written."""

    def work(tx: Transaction) -> Copy:
        space = readable(tx, caller)
        now = ports.clock.now()
        if space is None:
            return Copy(now, [], [], [])
        memories = [shown(space, memory) for memory in tx.memories.every(space.id)]
        sources, _ = tx.sources.page(space.id, {}, tx.sources.count(space.id), 0)
        files = _all_files(tx, space.id)
        return Copy(now, memories, sources, list(files))

    return await ports.store.read(work)


def _all_files(tx: Transaction, space_id: SpaceId) -> Iterable[FileEntry]:
    cursor = 0
    while True:
        files, total = tx.files.page(space_id, "/", 1000, cursor)
        yield from files
        cursor += len(files)
        if cursor >= total or not files:
            return
