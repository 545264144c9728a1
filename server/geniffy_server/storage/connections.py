"""Statements on what apps ask for, on connections, and on their tokens. Secrets are kept as SHA-256 alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BindParameter, bindparam, delete, func, insert, select, update
from sqlalchemy import Connection as Opened

from geniffy_server.domain.connection import App, AppRequest, ClientId, Code, Connection, ConnectionId, Token
from geniffy_server.domain.space import AccountId
from geniffy_server.storage.clients import IS_UNUSED
from geniffy_server.storage.connection_schema import (
    connections,
    oauth_clients,
    oauth_codes,
    oauth_requests,
    oauth_tokens,
)
from geniffy_server.storage.schema import AnyRow

_REQUEST = select(oauth_requests).where(oauth_requests.c.hash == bindparam("secret"))
_DROP_REQUEST = delete(oauth_requests).where(oauth_requests.c.hash == bindparam("secret"))
_CODE = select(oauth_codes).where(oauth_codes.c.hash == bindparam("secret"))
_USE_CODE = (
    update(oauth_codes)
    .where(oauth_codes.c.hash == bindparam("secret"), oauth_codes.c.connection_id.is_(None))
    .values(connection_id=bindparam("traded_for"))
)
_OF_ACCOUNT = (
    select(connections)
    .where(connections.c.account_id == bindparam("account"), connections.c.expires_at > bindparam("now"))
    .order_by(connections.c.id.desc())
)
_TOKEN = (
    select(
        oauth_tokens.c.kind,
        oauth_tokens.c.granted.label("token_granted"),
        oauth_tokens.c.expires_at.label("token_expires_at"),
        oauth_tokens.c.used_at,
        connections,
    )
    .select_from(oauth_tokens.join(connections, oauth_tokens.c.connection_id == connections.c.id))
    .where(oauth_tokens.c.hash == bindparam("secret"))
)
_USE_REFRESH = (
    update(oauth_tokens)
    .where(oauth_tokens.c.hash == bindparam("secret"), oauth_tokens.c.used_at.is_(None))
    .values(used_at=bindparam("now"))
)
_USED = update(connections).where(connections.c.id == bindparam("one")).values(last_used_at=bindparam("at"))
_EXTEND = update(connections).where(connections.c.id == bindparam("one")).values(expires_at=bindparam("until"))
_EXPIRED = select(connections.c.id).where(connections.c.expires_at <= bindparam("now"))
_ENDING: Final[BindParameter[Any]] = bindparam("ending", expanding=True)
_lasts = (
    select(func.max(connections.c.expires_at))
    .where(connections.c.client_id == oauth_clients.c.id, connections.c.id.in_(_ENDING))
    .scalar_subquery()
)
_KEEP_CLIENTS = (
    update(oauth_clients)
    .where(
        oauth_clients.c.id.in_(select(connections.c.client_id).where(connections.c.id.in_(_ENDING))),
        oauth_clients.c.expires_at < _lasts,
    )
    .values(expires_at=_lasts)
)
_END = (
    delete(oauth_tokens).where(oauth_tokens.c.connection_id.in_(_ENDING)),
    delete(oauth_codes).where(oauth_codes.c.connection_id.in_(_ENDING)),
    delete(connections).where(connections.c.id.in_(_ENDING)),
)
_NOW: Final[BindParameter[Any]] = bindparam("now")
_PRUNE = (
    delete(oauth_requests).where(oauth_requests.c.expires_at <= _NOW),
    delete(oauth_codes).where(oauth_codes.c.expires_at <= _NOW, oauth_codes.c.connection_id.is_(None)),
    delete(oauth_tokens).where(oauth_tokens.c.expires_at <= _NOW),
    delete(oauth_clients).where(oauth_clients.c.expires_at <= _NOW, IS_UNUSED),
)


class ConnectionRows:
    """`ports.Connections` over one connection to the database."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def add_request(self, request_hash: bytes, request: AppRequest) -> None:
        row = _asked_columns(request) | {"hash": request_hash, "expires_at": request.expires_at}
        self._opened.execute(insert(oauth_requests), row)

    def request(self, request_hash: bytes) -> AppRequest | None:
        row = self._opened.execute(_REQUEST, {"secret": request_hash}).one_or_none()
        return None if row is None else _request(row)

    def take_request(self, request_hash: bytes) -> AppRequest | None:
        found = self.request(request_hash)
        taken = self._opened.execute(_DROP_REQUEST, {"secret": request_hash}).rowcount
        return found if taken else None

    def add_code(self, code_hash: bytes, code: Code) -> None:
        row = _asked_columns(code.request) | {
            "hash": code_hash,
            "account_id": code.account_id,
            "granted": code.grant,
            "expires_at": code.expires_at,
            "connection_id": code.connection_id,
        }
        self._opened.execute(insert(oauth_codes), row)

    def code(self, code_hash: bytes) -> Code | None:
        row = self._opened.execute(_CODE, {"secret": code_hash}).one_or_none()
        if row is None:
            return None
        traded_for = None if row.connection_id is None else ConnectionId(row.connection_id)
        return Code(_request(row), AccountId(row.account_id), row.granted, row.expires_at, traded_for)

    def use_code(self, code_hash: bytes, connection_id: ConnectionId) -> bool:
        used = self._opened.execute(_USE_CODE, {"secret": code_hash, "traded_for": connection_id})
        return bool(used.rowcount)

    def add(self, code: Code, now: datetime, expires_at: datetime) -> Connection:
        asked = code.request
        row = {
            "account_id": code.account_id,
            "client_id": asked.client_id,
            **_app_columns(asked.app),
            "granted": code.grant,
            "resource": asked.resource,
            "connected_at": now,
            "expires_at": expires_at,
        }
        added = self._opened.execute(insert(connections), row).inserted_primary_key
        assert added is not None
        number = ConnectionId(added[0])
        return Connection(
            number, code.account_id, asked.client_id, asked.app, code.grant, asked.resource, now, None, expires_at
        )

    def of_account(self, account_id: AccountId, now: datetime) -> Sequence[Connection]:
        return [_connection(row) for row in self._opened.execute(_OF_ACCOUNT, {"account": account_id, "now": now})]

    def end(self, connection_ids: Collection[ConnectionId]) -> None:
        if connection_ids:
            self._end(list(connection_ids))

    def used(self, connection_id: ConnectionId, at: datetime) -> None:
        self._opened.execute(_USED, {"one": connection_id, "at": at})

    def add_token(self, token_hash: bytes, token: Token) -> None:
        row = {
            "hash": token_hash,
            "kind": token.kind,
            "connection_id": token.connection.id,
            "granted": token.grant,
            "expires_at": token.expires_at,
        }
        self._opened.execute(insert(oauth_tokens), row)

    def token(self, token_hash: bytes) -> Token | None:
        row = self._opened.execute(_TOKEN, {"secret": token_hash}).one_or_none()
        if row is None:
            return None
        return Token(row.kind, _connection(row), row.token_granted, row.token_expires_at, row.used_at)

    def use_refresh(self, token_hash: bytes, now: datetime) -> bool:
        return bool(self._opened.execute(_USE_REFRESH, {"secret": token_hash, "now": now}).rowcount)

    def extend(self, connection_id: ConnectionId, expires_at: datetime) -> None:
        self._opened.execute(_EXTEND, {"one": connection_id, "until": expires_at})

    def prune(self, now: datetime) -> None:
        expired = list(self._opened.execute(_EXPIRED, {"now": now}).scalars())
        if expired:
            self._end(expired)
        for statement in _PRUNE:
            self._opened.execute(statement, {"now": now})

    def _end(self, ending: Sequence[int]) -> None:
        for statement in (_KEEP_CLIENTS, *_END):
            self._opened.execute(statement, {"ending": ending})


def _app_columns(app: App) -> dict[str, Any]:
    return {"app_name": app.name, "app_is_known": app.is_known, "app_host": app.host}


def _asked_columns(request: AppRequest) -> dict[str, Any]:
    return {
        "client_id": request.client_id,
        **_app_columns(request.app),
        "redirect_uri": request.redirect_uri,
        "names_redirect": request.names_redirect,
        "state": request.state,
        "challenge": request.challenge,
        "offers": request.offers,
        "resource": request.resource,
    }


def _app(row: AnyRow) -> App:
    return App(row.app_name, row.app_is_known, row.app_host)


def _request(row: AnyRow) -> AppRequest:
    return AppRequest(
        client_id=ClientId(row.client_id),
        app=_app(row),
        redirect_uri=row.redirect_uri,
        names_redirect=row.names_redirect,
        state=row.state,
        challenge=row.challenge,
        offers=row.offers,
        resource=row.resource,
        expires_at=row.expires_at,
    )


def _connection(row: AnyRow) -> Connection:
    return Connection(
        id=ConnectionId(row.id),
        account_id=AccountId(row.account_id),
        client_id=ClientId(row.client_id),
        app=_app(row),
        grant=row.granted,
        resource=row.resource,
        connected_at=row.connected_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
    )
