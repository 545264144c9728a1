"""What a person decides about apps: what one asks for, allowing or refusing it, and ending what is connected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from geniffy_server.domain.account import secret_hash
from geniffy_server.domain.connection import (
    CODE_LIFE,
    UNUSED_CLIENT_LIFE,
    AppRequest,
    Code,
    Connection,
    ConnectionId,
    Grant,
    includes,
    new_secret,
)
from geniffy_server.domain.redirect import with_parameters
from geniffy_server.domain.space import AccountId
from geniffy_server.errors import BadInput, Busy, NotAllowed, NotFound
from geniffy_server.ports import Ports, Transaction

PER_PEER: Final = 120  # requests a minute from one address: an office behind one may try many apps
IN_ALL: Final = 1_200  # at ten minutes each, 12,000 wait at most
_GONE: Final = "This request has expired or was decided already; start again from the app."


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """What a person is asked. `return_to` is the whole address they will be sent back to.

    `return_host` is its host, None for an app on their own device. `app_name` is given by that host when `is_known`,
    else by the app itself, at most 60 characters. `scopes` is what they may choose from, the least first. `resource`
    is the address that the app will reach.
    """

    app_name: str
    is_known: bool
    return_to: str
    return_host: str | None
    scopes: Sequence[Grant]
    resource: str
    expires_at: datetime


async def ask(ports: Ports, request: AppRequest, peer: str) -> str:
    """Keep what an app asks for until a person decides; the id that stands for it, which is kept hashed.

    `peer` is the address it comes from. Raises Busy over 120 requests a minute from an address, or 1,200 in all, and
    NotFound when the app was forgotten just now.
    """
    now = ports.clock.now()
    request_id = new_secret()

    def work(tx: Transaction) -> int | None:
        if tx.clients.find(request.client_id) is None:
            raise NotFound("This app is not registered here any more. Connect it again from the app.")
        tx.connections.prune(now)
        wait_s = tx.visits.take("authorize", peer, now, per_peer=PER_PEER, in_all=IN_ALL)
        if wait_s is None:
            tx.clients.keep_until(request.client_id, now + UNUSED_CLIENT_LIFE)
            tx.connections.add_request(secret_hash(request_id), request)
        return wait_s

    wait_s = await ports.store.write(work)
    if wait_s is not None:
        raise Busy(f"Too many apps asked to be connected just now; try again in {wait_s} s.", retry_after_s=wait_s)
    return request_id


async def pending(ports: Ports, request_id: str) -> PendingRequest:
    """What an app asks for. Raises NotFound when that has expired, was decided, or never was."""
    found = await ports.store.read(lambda tx: tx.connections.request(secret_hash(request_id)))
    if found is None or found.expires_at <= ports.clock.now():
        raise NotFound(_GONE)
    scopes: Sequence[Grant] = ("read", "write") if found.offers == "write" else ("read",)
    return PendingRequest(
        app_name=found.app.name,
        is_known=found.app.is_known,
        return_to=found.redirect_uri,
        return_host=found.app.host,
        scopes=scopes,
        resource=ports.public_url + found.resource,
        expires_at=found.expires_at,
    )


async def decide(ports: Ports, account_id: AccountId, request_id: str, grant: Literal["read", "write"] | None) -> str:
    """Allow or, with None, deny what an app asks for, once; the address to send the person's browser to.

    Nothing is granted before: the address carries a code that works for a minute, the app's `state`, and `iss`
    (RFC 6749 4.1.2, RFC 9207), or the error `access_denied`. Raises NotFound like `pending`, BadInput for more than
    was asked for, NotAllowed for a closed account; the request stays open then.
    """
    now = ports.clock.now()
    code = new_secret()

    def work(tx: Transaction) -> AppRequest:
        account = tx.accounts.by_id(account_id)
        if account is None or account.closed_at is not None:
            raise NotAllowed("This account is closed; no app can be connected to it.")
        asked = tx.connections.take_request(secret_hash(request_id))
        if asked is None or asked.expires_at <= now:
            raise NotFound(_GONE)
        if grant is not None:
            if not includes(asked.offers, grant):
                raise BadInput("This app asked to read only; allow reading, or deny.")
            tx.connections.add_code(secret_hash(code), Code(asked, account_id, grant, now + CODE_LIFE, None))
        return asked

    asked = await ports.store.write(work)
    outcome = (
        {"error": "access_denied", "error_description": "The person said no."} if grant is None else {"code": code}
    )
    return with_parameters(asked.redirect_uri, **outcome, state=asked.state, iss=ports.public_url)


async def list_connections(ports: Ports, account_id: AccountId) -> Sequence[Connection]:
    """The apps that are connected to an account, last connected first."""
    await ports.store.uses.settle()
    return await ports.store.read(lambda tx: tx.connections.of_account(account_id, ports.clock.now()))


async def disconnect(ports: Ports, account_id: AccountId, connection_id: ConnectionId) -> Connection:
    """End a connection of the account, at once; what it was. Raises NotFound, also for another account's."""
    now = ports.clock.now()

    def work(tx: Transaction) -> Connection | None:
        held = tx.connections.of_account(account_id, now)
        found = next((one for one in held if one.id == connection_id), None)
        if found is not None:
            tx.connections.end([found.id])
        return found

    ended = await ports.store.write(work)
    if ended is None:
        raise NotFound(f"There is no connected app {connection_id}.")
    return ended
