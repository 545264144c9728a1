"""Statements on spaces: finding, making, versions and erasing."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from geniffy_server.domain.memory import USABLE
from geniffy_server.domain.space import OWN, AccountId, Space, SpaceId, SpaceSummary
from geniffy_server.errors import NotFound
from geniffy_server.storage.compiled import Compiled
from geniffy_server.storage.schema import OF_A_SPACE, AnyRow, memories, sources, spaces
from geniffy_server.storage.sqlite import raw

SECRET_BYTES: Final = 32

_SPACE = select(spaces.c.id, spaces.c.account_id, spaces.c.name, spaces.c.version, spaces.c.secret, spaces.c.owner_name)
_FIND = Compiled(_SPACE.where(spaces.c.account_id == bindparam("account_id"), spaces.c.name == bindparam("name")))
_BY_ID = Compiled(_SPACE.where(spaces.c.id == bindparam("space_id")))
_ADD = insert(spaces)
_VERSION = Compiled(select(spaces.c.version).where(spaces.c.id == bindparam("space_id")))
_OF_ID = update(spaces).where(spaces.c.id == bindparam("space_id"))
_BUMP = Compiled(_OF_ID.values(version=spaces.c.version + 1).returning(spaces.c.version))
_ADDED = Compiled(_OF_ID.values(last_added_at=bindparam("at")))
_NAME_OWNER = _OF_ID.values(owner_name=bindparam("owner"))
_SOURCES = select(func.count()).select_from(sources).where(sources.c.space_id == bindparam("space_id"))

_source_count = (
    select(func.count())
    .select_from(sources)
    .where(sources.c.space_id == spaces.c.id)
    .correlate(spaces)
    .scalar_subquery()
)
_memory_count = (
    select(func.count())
    .select_from(memories)
    .where(memories.c.space_id == spaces.c.id, memories.c.status.in_(USABLE))
    .correlate(spaces)
    .scalar_subquery()
)
_HOLDING = (
    select(spaces.c.name, _source_count.label("sources"), _memory_count.label("memories"), spaces.c.last_added_at)
    .where(
        spaces.c.account_id == bindparam("account_id"),
        spaces.c.name != OWN,
        select(sources.c.n).where(sources.c.space_id == spaces.c.id).correlate(spaces).exists(),
    )
    .order_by(spaces.c.last_added_at.desc(), spaces.c.id.desc())
)
_ERASE = tuple(delete(table).where(table.c.space_id == bindparam("space_id")) for table in OF_A_SPACE)
_ERASE_SPACE = delete(spaces).where(spaces.c.id == bindparam("space_id"))


class SpaceRows:
    """`ports.Spaces` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._driver = raw(connection)

    def find(self, account_id: AccountId, name: str) -> Space | None:
        row = _FIND.row(self._driver, {"account_id": account_id, "name": name})
        return None if row is None else _space(row)

    def ensure(self, account_id: AccountId, name: str) -> Space:
        found = self.find(account_id, name)
        if found is not None:
            return found
        secret = secrets.token_bytes(SECRET_BYTES)
        row = {"account_id": account_id, "name": name, "version": 0, "secret": secret, "pruned_rev": 0}
        added = self._connection.execute(_ADD, row).inserted_primary_key
        assert added is not None
        return Space(SpaceId(added[0]), account_id, name, 0, secret, None)

    def by_id(self, space_id: SpaceId) -> Space | None:
        row = _BY_ID.row(self._driver, {"space_id": space_id})
        return None if row is None else _space(row)

    def version(self, space_id: SpaceId) -> int:
        return int(_VERSION.value(self._driver, {"space_id": space_id}) or 0)

    def bump(self, space_id: SpaceId) -> int:
        version = _BUMP.value(self._driver, {"space_id": space_id})
        if version is None:
            raise NotFound("This memory was erased meanwhile; nothing was written.")
        return int(version)

    def added(self, space_id: SpaceId, at: datetime) -> None:
        _ADDED.run(self._driver, {"space_id": space_id, "at": at})

    def name_owner(self, space_id: SpaceId, name: str | None) -> None:
        self._connection.execute(_NAME_OWNER, {"space_id": space_id, "owner": name})

    def holding(self, account_id: AccountId) -> Sequence[SpaceSummary]:
        rows = self._connection.execute(_HOLDING, {"account_id": account_id})
        return [SpaceSummary(row.name, row.sources, row.memories, row.last_added_at) for row in rows]

    def erase(self, space_id: SpaceId) -> int:
        # Its keys go with it: a row that stayed would still name the space, and could be read as unlimited.
        held = int(self._connection.execute(_SOURCES, {"space_id": space_id}).scalar_one())
        for statement in (*_ERASE, _ERASE_SPACE):
            self._connection.execute(statement, {"space_id": space_id})
        return held


def _space(row: AnyRow) -> Space:
    return Space(SpaceId(row.id), AccountId(row.account_id), row.name, row.version, row.secret, row.owner_name)
