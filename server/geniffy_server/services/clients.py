"""Apps: how they register, and how they prove who they are where they ask for tokens."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from geniffy_server.domain.account import secret_hash
from geniffy_server.domain.connection import UNUSED_CLIENT_LIFE, AuthMethod, Client, ClientId, new_secret
from geniffy_server.errors import Busy, NotSignedIn
from geniffy_server.ports import Ports, Transaction

CLIENT_PREFIX: Final = "gnf_app_"
SECRET_PREFIX: Final = "gnf_cs_"

PER_PEER: Final = 60  # registrations a minute from one address; a person's apps make a handful
IN_ALL: Final = 300
# Whoever floods us needs half an hour to push a registration out, three times as long as a request waits.
MOST_UNUSED: Final = 10_000
_KEPT_EVERY: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Registration:
    """What an app says of itself, checked."""

    name: str | None
    redirect_uris: Sequence[str]
    auth_method: AuthMethod


@dataclass(frozen=True, slots=True)
class Registered:
    """A client, with its secret when it has one: shown this once."""

    client: Client
    secret: str | None


async def register(ports: Ports, asked: Registration, peer: str) -> Registered:
    """Register an app, which grants it nothing (seed 003). `peer` is the address it calls from.

    A public client that no connection is of is handed out again to whoever registers the same, so that an app that
    forgets its id at each start leaves one row (decisions 17). Raises Busy over 60 new ones a minute from an address,
    or 300 in all.
    """
    now = ports.clock.now()
    until = now + UNUSED_CLIENT_LIFE
    metadata = _digest(asked)
    is_public = asked.auth_method == "none"

    if is_public:
        held = await ports.store.read(lambda tx: tx.clients.unused_like(metadata))
        if held is not None and held.expires_at > until - _KEPT_EVERY:
            return Registered(held, None)

    secret = None if is_public else new_secret(SECRET_PREFIX)
    client = Client(
        id=ClientId(new_secret(CLIENT_PREFIX)),
        name=asked.name,
        redirect_uris=tuple(asked.redirect_uris),
        auth_method=asked.auth_method,
        secret_hash=None if secret is None else secret_hash(secret),
        registered_at=now,
        expires_at=until,
    )

    def work(tx: Transaction) -> Client | int:
        tx.connections.prune(now)
        held = tx.clients.unused_like(metadata) if is_public else None
        if held is not None:
            tx.clients.keep_until(held.id, until)
            return held
        wait_s = tx.visits.take("register", peer, now, per_peer=PER_PEER, in_all=IN_ALL)
        if wait_s is not None:
            return wait_s
        tx.clients.add(client, metadata)
        tx.clients.drop_oldest_unused(MOST_UNUSED)
        return client

    made = await ports.store.write(work)
    if isinstance(made, int):
        raise Busy(f"Too many apps registered just now; try again in {made} s.", retry_after_s=made)
    return Registered(made, secret)


async def client_of(ports: Ports, client_id: str) -> Client | None:
    """The app that registered under this id; None for one that is unknown, or was forgotten."""
    return await ports.store.read(lambda tx: tx.clients.find(ClientId(client_id)))


async def proven_client(ports: Ports, client_id: str | None, secret: str | None) -> Client:
    """The app that asks for tokens. A public one names itself; another one shows its secret as well.

    Raises NotSignedIn (`invalid_client`) for one that is unknown or proves nothing (RFC 6749 5.2).
    """
    client = await client_of(ports, client_id) if client_id else None
    if client is None:
        raise NotSignedIn("This app is not registered here; it must register again.", "invalid_client")
    if client.secret_hash is not None and not hmac.compare_digest(secret_hash(secret or ""), client.secret_hash):
        raise NotSignedIn("The app's secret is missing or wrong.", "invalid_client")
    return client


def _digest(asked: Registration) -> bytes:
    kept = json.dumps([asked.name, list(asked.redirect_uris), asked.auth_method])
    return hashlib.sha256(kept.encode()).digest()
