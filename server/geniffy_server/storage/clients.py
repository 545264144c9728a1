"""Statements on the apps that registered themselves."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, exists, insert, select, update

from geniffy_server.domain.connection import Client, ClientId
from geniffy_server.storage.connection_schema import connections, oauth_clients, oauth_codes, oauth_requests
from geniffy_server.storage.schema import AnyRow

_HAS_NO_CONNECTION: Final = ~exists().where(connections.c.client_id == oauth_clients.c.id)
IS_UNUSED: Final[ColumnElement[bool]] = and_(
    _HAS_NO_CONNECTION,
    ~exists().where(oauth_requests.c.client_id == oauth_clients.c.id),
    ~exists().where(oauth_codes.c.client_id == oauth_clients.c.id),
)
"""Whether nothing refers to a client."""

_BY_ID = select(oauth_clients).where(oauth_clients.c.id == bindparam("client"))
_UNUSED_LIKE = (
    select(oauth_clients)
    .where(
        oauth_clients.c.metadata == bindparam("digest"),
        oauth_clients.c.auth_method == "none",
        _HAS_NO_CONNECTION,
    )
    .order_by(oauth_clients.c.registered_at.desc())
    .limit(1)
)
_KEEP = (
    update(oauth_clients)
    .where(oauth_clients.c.id == bindparam("client"), oauth_clients.c.expires_at < bindparam("until"))
    .values(expires_at=bindparam("until"))
)
_OVER = (
    select(oauth_clients.c.id).where(IS_UNUSED).order_by(oauth_clients.c.registered_at.desc()).offset(bindparam("most"))
)
_DROP_OVER = delete(oauth_clients).where(oauth_clients.c.id.in_(_OVER))


class ClientRows:
    """`ports.Clients` over one connection to the database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, client_id: ClientId) -> Client | None:
        return _client(self._connection.execute(_BY_ID, {"client": client_id}).one_or_none())

    def unused_like(self, metadata: bytes) -> Client | None:
        return _client(self._connection.execute(_UNUSED_LIKE, {"digest": metadata}).one_or_none())

    def add(self, client: Client, metadata: bytes) -> None:
        row = {
            "id": client.id,
            "name": client.name,
            "redirect_uris": client.redirect_uris,
            "auth_method": client.auth_method,
            "secret_hash": client.secret_hash,
            "metadata": metadata,
            "registered_at": client.registered_at,
            "expires_at": client.expires_at,
        }
        self._connection.execute(insert(oauth_clients), row)

    def keep_until(self, client_id: ClientId, at: datetime) -> None:
        self._connection.execute(_KEEP, {"client": client_id, "until": at})

    def drop_oldest_unused(self, most: int) -> None:
        self._connection.execute(_DROP_OVER, {"most": most})


def _client(row: AnyRow | None) -> Client | None:
    if row is None:
        return None
    return Client(
        id=ClientId(row.id),
        name=row.name,
        redirect_uris=row.redirect_uris,
        auth_method=row.auth_method,
        secret_hash=row.secret_hash,
        registered_at=row.registered_at,
        expires_at=row.expires_at,
    )
