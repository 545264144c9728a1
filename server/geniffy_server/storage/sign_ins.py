"""Statements on passwords, the browsers that are signed in, setup links, and wrong passwords."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.domain.sign_in import TRIES_KEPT, Session, Tries
from geniffy_server.domain.space import AccountId
from geniffy_server.storage.sign_in_schema import passwords, setup_links, sign_in_tries, web_sessions

_PASSWORD = select(passwords.c.hash).where(passwords.c.account_id == bindparam("account"))
_set = upsert(passwords)
_SET_PASSWORD = _set.on_conflict_do_update(index_elements=["account_id"], set_={"hash": _set.excluded.hash})
_SESSION = select(web_sessions).where(web_sessions.c.hash == bindparam("secret"))
_USED = (
    update(web_sessions)
    .where(web_sessions.c.hash == bindparam("secret"))
    .values(used_at=bindparam("at"), expires_at=bindparam("until"))
)
_END = delete(web_sessions).where(web_sessions.c.hash == bindparam("secret"))
_END_ALL = delete(web_sessions).where(web_sessions.c.account_id == bindparam("account"))
_DROP_LINK = delete(setup_links).where(setup_links.c.account_id == bindparam("account"))
_LINK = select(setup_links).where(
    setup_links.c.hash == bindparam("secret"), setup_links.c.expires_at > bindparam("now")
)
_TAKE_LINK = delete(setup_links).where(
    setup_links.c.hash == bindparam("secret"), setup_links.c.expires_at > bindparam("now")
)
_TRIES = select(sign_in_tries).where(sign_in_tries.c.key == bindparam("who"))
_count = upsert(sign_in_tries)
_COUNT = _count.on_conflict_do_update(
    index_elements=["key"], set_={"failed": sign_in_tries.c.failed + 1, "last_at": _count.excluded.last_at}
)
_FORGIVE = (
    update(sign_in_tries).where(sign_in_tries.c.key == bindparam("who")).values(failed=sign_in_tries.c.failed - 1)
)
_CLEAR = delete(sign_in_tries).where(sign_in_tries.c.key == bindparam("who"))
_PRUNE = (
    delete(web_sessions).where(web_sessions.c.expires_at <= bindparam("now")),
    delete(setup_links).where(setup_links.c.expires_at <= bindparam("now")),
)
_PRUNE_TRIES = delete(sign_in_tries).where(sign_in_tries.c.last_at <= bindparam("before"))


class SignInRows:
    """`ports.SignIns` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def password(self, account_id: AccountId) -> str | None:
        found = self._connection.execute(_PASSWORD, {"account": account_id}).scalar()
        return None if found is None else str(found)

    def set_password(self, account_id: AccountId, password_hash: str) -> None:
        self._connection.execute(_SET_PASSWORD, {"account_id": account_id, "hash": password_hash})

    def add_session(self, token_hash: bytes, session: Session) -> None:
        row = {
            "hash": token_hash,
            "account_id": session.account_id,
            "signed_in_at": session.signed_in_at,
            "used_at": session.used_at,
            "expires_at": session.expires_at,
        }
        self._connection.execute(insert(web_sessions), row)

    def session(self, token_hash: bytes) -> Session | None:
        row = self._connection.execute(_SESSION, {"secret": token_hash}).one_or_none()
        if row is None:
            return None
        return Session(AccountId(row.account_id), row.signed_in_at, row.used_at, row.expires_at)

    def session_used(self, token_hash: bytes, at: datetime, expires_at: datetime) -> None:
        self._connection.execute(_USED, {"secret": token_hash, "at": at, "until": expires_at})

    def end_session(self, token_hash: bytes) -> None:
        self._connection.execute(_END, {"secret": token_hash})

    def end_sessions(self, account_id: AccountId) -> int:
        return self._connection.execute(_END_ALL, {"account": account_id}).rowcount

    def set_link(self, link_hash: bytes, account_id: AccountId, expires_at: datetime) -> None:
        self._connection.execute(_DROP_LINK, {"account": account_id})
        self._connection.execute(
            insert(setup_links), {"hash": link_hash, "account_id": account_id, "expires_at": expires_at}
        )

    def link(self, link_hash: bytes, now: datetime) -> AccountId | None:
        row = self._connection.execute(_LINK, {"secret": link_hash, "now": now}).one_or_none()
        return None if row is None else AccountId(row.account_id)

    def take_link(self, link_hash: bytes, now: datetime) -> AccountId | None:
        found = self.link(link_hash, now)
        taken = self._connection.execute(_TAKE_LINK, {"secret": link_hash, "now": now}).rowcount
        return found if taken else None

    def drop_link(self, account_id: AccountId) -> None:
        self._connection.execute(_DROP_LINK, {"account": account_id})

    def tries(self, key: bytes) -> Tries | None:
        row = self._connection.execute(_TRIES, {"who": key}).one_or_none()
        return None if row is None else Tries(row.failed, row.last_at)

    def count_try(self, key: bytes, now: datetime) -> None:
        self._connection.execute(_COUNT, {"key": key, "failed": 1, "last_at": now})

    def forgive_try(self, key: bytes) -> None:
        self._connection.execute(_FORGIVE, {"who": key})

    def clear_tries(self, key: bytes) -> None:
        self._connection.execute(_CLEAR, {"who": key})

    def prune(self, now: datetime) -> None:
        for statement in _PRUNE:
            self._connection.execute(statement, {"now": now})
        self._connection.execute(_PRUNE_TRIES, {"before": now - TRIES_KEPT})
