"""Apps that sign in, what they were granted, and the sessions of the pages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from geniffy_server.domain.connection import AppRequest, Client, ClientId, Code, Connection, ConnectionId, Token
from geniffy_server.domain.space import AccountId


class Clients(Protocol):
    """Apps that registered themselves."""

    def find(self, client_id: ClientId) -> Client | None: ...
    def unused_like(self, metadata: bytes) -> Client | None:
        """A public client that registered the same metadata (its digest), and that no connection is of."""
        ...

    def add(self, client: Client, metadata: bytes) -> None: ...
    def keep_until(self, client_id: ClientId, at: datetime) -> None:
        """Move the end of a client's life to `at`, never nearer."""
        ...

    def drop_oldest_unused(self, most: int) -> None:
        """Keep at most `most` clients that are of no connection, code or waiting request."""
        ...


class Connections(Protocol):
    """What apps ask for, what a person decided, and the tokens that came of it. Secrets are known by SHA-256 alone.

    What has expired may be given back: the caller compares. `prune` removes it.
    """

    def add_request(self, request_hash: bytes, request: AppRequest) -> None: ...
    def request(self, request_hash: bytes) -> AppRequest | None: ...
    def take_request(self, request_hash: bytes) -> AppRequest | None:
        """Remove and return it: of any number of takers, one gets it."""
        ...

    def add_code(self, code_hash: bytes, code: Code) -> None: ...
    def code(self, code_hash: bytes) -> Code | None:
        """Also one that was used, for as long as its connection lives."""
        ...

    def use_code(self, code_hash: bytes, connection_id: ConnectionId) -> bool:
        """Note what a code was traded for; False when it was used before, with nothing changed."""
        ...

    def add(self, code: Code, now: datetime, expires_at: datetime) -> Connection:
        """A connection with what the code allows."""
        ...

    def of_account(self, account_id: AccountId, now: datetime) -> Sequence[Connection]:
        """Those that live, last connected first."""
        ...

    def end(self, connection_ids: Collection[ConnectionId]) -> None:
        """Remove connections with every token and code of theirs."""
        ...

    def add_token(self, token_hash: bytes, token: Token) -> None: ...
    def token(self, token_hash: bytes) -> Token | None:
        """Also a refresh token that was used, until it would have expired."""
        ...

    def use_refresh(self, token_hash: bytes, now: datetime) -> bool:
        """Note that a refresh token is used; False when it was used before, with nothing changed."""
        ...

    def extend(self, connection_id: ConnectionId, expires_at: datetime) -> None: ...
    def prune(self, now: datetime) -> None:
        """Remove what has expired: requests, codes, tokens, connections, and clients that nothing is of."""
        ...


class Visits(Protocol):
    """Counts calls that anyone may make, by who makes them."""

    def take(self, door: str, peer: str, now: datetime, *, per_peer: int, in_all: int) -> int | None:
        """Count a call; None when it may go on, else the seconds until one may. Both limits are a minute's."""
        ...
