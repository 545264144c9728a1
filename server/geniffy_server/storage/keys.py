"""Statements on API keys. A key is kept as its SHA-256 alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, or_, select, update

from geniffy_server.domain.account import ApiKey, KeyId
from geniffy_server.domain.space import AccountId, Space, SpaceId
from geniffy_server.storage.schema import AnyRow, api_keys, spaces

_KEYS = select(api_keys, spaces.c.name.label("space")).select_from(
    api_keys.outerjoin(spaces, api_keys.c.space_id == spaces.c.id)
)
_BY_HASH = _KEYS.where(api_keys.c.hash == bindparam("hash"))
_ADD = insert(api_keys)
_WORKING = _KEYS.where(
    api_keys.c.account_id == bindparam("account_id"),
    api_keys.c.revoked_at.is_(None),
    or_(api_keys.c.expires_at.is_(None), api_keys.c.expires_at > bindparam("now")),
).order_by(api_keys.c.id)
_WORKING_OF_SPACE = _WORKING.where(api_keys.c.space_id == bindparam("space_id"))
_REVOKE = update(api_keys).where(api_keys.c.id == bindparam("key_id")).values(revoked_at=bindparam("at"))
_USED = update(api_keys).where(api_keys.c.id == bindparam("key_id")).values(last_used_at=bindparam("at"))


class KeyRows:
    """`ports.Keys` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def by_hash(self, key_hash: bytes) -> ApiKey | None:
        row = self._connection.execute(_BY_HASH, {"hash": key_hash}).one_or_none()
        return None if row is None else _key(row)

    def add(
        self,
        account_id: AccountId,
        space: Space | None,
        name: str,
        key_hash: bytes,
        starts_with: str,
        rpm: int,
        expires_at: datetime | None,
        now: datetime,
    ) -> ApiKey:
        row = {
            "account_id": account_id,
            "space_id": None if space is None else space.id,
            "name": name,
            "hash": key_hash,
            "starts_with": starts_with,
            "rpm": rpm,
            "created_at": now,
            "expires_at": expires_at,
        }
        self._connection.execute(_ADD, row)
        return _key(self._connection.execute(_BY_HASH, {"hash": key_hash}).one())

    def working(self, account_id: AccountId, space_id: SpaceId | None, now: datetime) -> Sequence[ApiKey]:
        wanted: dict[str, Any] = {"account_id": account_id, "now": now}
        if space_id is None:
            return [_key(row) for row in self._connection.execute(_WORKING, wanted)]
        return [_key(row) for row in self._connection.execute(_WORKING_OF_SPACE, {**wanted, "space_id": space_id})]

    def revoke(self, account_id: AccountId, key_id: KeyId, space_id: SpaceId | None, now: datetime) -> ApiKey | None:
        found = next((key for key in self.working(account_id, space_id, now) if key.id == key_id), None)
        if found is not None:
            self._connection.execute(_REVOKE, {"key_id": key_id, "at": now})
        return found

    def used(self, key_id: KeyId, at: datetime) -> None:
        self._connection.execute(_USED, {"key_id": key_id, "at": at})


def _key(row: AnyRow) -> ApiKey:
    return ApiKey(
        id=KeyId(row.id),
        account_id=AccountId(row.account_id),
        space=row.space,
        name=row.name,
        starts_with=row.starts_with,
        rpm=row.rpm,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
    )
