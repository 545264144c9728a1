"""Statements on accounts and what they used."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.domain.account import Account, Usage
from geniffy_server.domain.space import AccountId
from geniffy_server.errors import Conflict
from geniffy_server.storage.schema import AnyRow, accounts, usage

_ALL = select(accounts).order_by(accounts.c.id)
_OWNER = _ALL.limit(1)
_BY_ID = select(accounts).where(accounts.c.id == bindparam("id"))
_BY_EMAIL = select(accounts).where(accounts.c.email_key == bindparam("email_key"))
_ADD = insert(accounts)
_DESCRIBE = (
    update(accounts)
    .where(accounts.c.id == bindparam("account"))
    .values(
        email=bindparam("new_email"),
        email_key=bindparam("new_email_key"),
        name=bindparam("new_name"),
        time_zone=bindparam("new_time_zone"),
    )
)
_CLOSE = update(accounts).where(accounts.c.id == bindparam("account")).values(closed_at=bindparam("at"))
_USAGE = select(usage.c.learned_tokens, usage.c.answers).where(
    usage.c.account_id == bindparam("account_id"), usage.c.month == bindparam("month")
)
_count = upsert(usage)
_COUNT = _count.on_conflict_do_update(
    index_elements=["account_id", "month"],
    set_={
        "learned_tokens": usage.c.learned_tokens + _count.excluded.learned_tokens,
        "answers": usage.c.answers + _count.excluded.answers,
    },
)


class AccountRows:
    """`ports.Accounts` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def owner(self) -> Account | None:
        return _account(self._connection.execute(_OWNER).one_or_none())

    def by_id(self, account_id: AccountId) -> Account | None:
        return _account(self._connection.execute(_BY_ID, {"id": account_id}).one_or_none())

    def by_email(self, email: str) -> Account | None:
        return _account(self._connection.execute(_BY_EMAIL, {"email_key": email.casefold()}).one_or_none())

    def all(self) -> Sequence[Account]:
        return [account for row in self._connection.execute(_ALL) if (account := _account(row)) is not None]

    def add(self, email: str | None, name: str | None, time_zone: str, now: datetime) -> Account:
        self._check_free(email, None)
        row = {
            "email": email,
            "email_key": _email_key(email),
            "name": name,
            "time_zone": time_zone,
            "created_at": now,
        }
        added = self._connection.execute(_ADD, row).inserted_primary_key
        assert added is not None
        return Account(AccountId(added[0]), email, name, time_zone, now, None)

    def describe(self, account_id: AccountId, email: str | None, name: str | None, time_zone: str) -> None:
        self._check_free(email, account_id)
        row = {
            "account": account_id,
            "new_email": email,
            "new_email_key": _email_key(email),
            "new_name": name,
            "new_time_zone": time_zone,
        }
        self._connection.execute(_DESCRIBE, row)

    def close(self, account_id: AccountId, at: datetime | None) -> None:
        self._connection.execute(_CLOSE, {"account": account_id, "at": at})

    def _check_free(self, email: str | None, of: AccountId | None) -> None:
        held = None if email is None else self.by_email(email)
        if held is not None and held.id != of:
            raise Conflict(f"There is an account with the email {email!r} already.")

    def count_usage(self, account_id: AccountId, month: str, *, learned_tokens: int = 0, answers: int = 0) -> None:
        self._connection.execute(
            _COUNT, {"account_id": account_id, "month": month, "learned_tokens": learned_tokens, "answers": answers}
        )

    def usage(self, account_id: AccountId, month: str) -> Usage:
        row = self._connection.execute(_USAGE, {"account_id": account_id, "month": month}).one_or_none()
        return Usage(0, 0) if row is None else Usage(row.learned_tokens, row.answers)


def _email_key(email: str | None) -> str | None:
    return None if email is None else email.casefold()


def _account(row: AnyRow | None) -> Account | None:
    if row is None:
        return None
    return Account(AccountId(row.id), row.email, row.name, row.time_zone, row.created_at, row.closed_at)
