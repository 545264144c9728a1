"""Tokens: traded for a code, refreshed, revoked, and turned into callers.

A code or a refresh token that comes a second time can only be a stolen copy, so it ends the connection with every
token of it (seed 003). One conditional update decides whether it came before, first in the transaction that hands out
the next tokens: of any number of processes that are shown it at once, one gets tokens and the next one ends them.
What is wrong with it otherwise raises, which takes that update back with the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from geniffy_server.caller import Caller
from geniffy_server.domain.account import secret_hash
from geniffy_server.domain.connection import (
    ACCESS_LIFE,
    ACCESS_PREFIX,
    REFRESH_LIFE,
    REFRESH_PREFIX,
    Client,
    Connection,
    Grant,
    Token,
    includes,
    new_secret,
)
from geniffy_server.domain.pkce import proves
from geniffy_server.domain.space import AccountId
from geniffy_server.errors import BadInput, NotAllowed, NotSignedIn
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.keys import CallerOf, caller_of_key

_USED_EVERY: Final = timedelta(minutes=1)  # how exact `last_used_at` is: after each write, every token is read anew


@dataclass(frozen=True, slots=True)
class Issued:
    """Fresh tokens, which are shown this once. `grant` is what the access token allows."""

    access: str
    refresh: str
    grant: Grant
    lasts: timedelta


async def trade_code(
    ports: Ports, client: Client, code: str, *, verifier: str, redirect_uri: str | None, resource: str | None
) -> Issued:
    """Trade an authorization code for tokens (RFC 6749 4.1.3), and take the place of the app's earlier connection.

    `redirect_uri` and `resource` are None where the app names none. Raises BadInput: `invalid_grant` when the code is
    unknown, expired, used, another app's, or not proved by the verifier; `invalid_target` for another resource.
    """
    now = ports.clock.now()
    code_hash = secret_hash(code)
    access, fresh = new_secret(ACCESS_PREFIX), new_secret(REFRESH_PREFIX)

    def work(tx: Transaction) -> Connection | None:
        tx.connections.prune(now)
        held = tx.connections.code(code_hash)
        if held is None:
            raise _invalid("The code is unknown or has expired.")
        made = tx.connections.add(held, now, now + REFRESH_LIFE)
        if not tx.connections.use_code(code_hash, made.id):
            used = tx.connections.code(code_hash)
            earlier = used.connection_id if used else None
            tx.connections.end([made.id] if earlier is None else [made.id, earlier])
            return None
        asked = held.request
        if asked.client_id != client.id:
            raise _invalid("The code was given to another app.")
        if (asked.names_redirect or redirect_uri is not None) and redirect_uri != asked.redirect_uri:
            raise _invalid("redirect_uri must be the one that the app was authorized with.")
        if not proves(verifier, asked.challenge):
            raise _invalid("code_verifier does not fit the code_challenge.")
        _check(tx, made, resource)
        replaced = [one.id for one in tx.connections.of_account(made.account_id, now) if _is_replaced(one, made)]
        tx.connections.end(replaced)
        _keep(tx, made, access, fresh, made.grant, now)
        return made

    made = await ports.store.write(work)
    if made is None:
        raise _reused("code")
    return Issued(access, fresh, made.grant, ACCESS_LIFE)


async def refresh(ports: Ports, client: Client, token: str, *, asked: Grant | None, resource: str | None) -> Issued:
    """Trade a refresh token for a new pair (RFC 6749 6); the old one never works again, but in the operator's grace.

    `asked` narrows what the access token allows; None keeps what the person allowed. Raises BadInput: `invalid_grant`
    when the token is unknown, expired, used or another app's; `invalid_scope` for more than was allowed;
    `invalid_target` for another resource.
    """
    now = ports.clock.now()
    token_hash = secret_hash(token)
    access, fresh = new_secret(ACCESS_PREFIX), new_secret(REFRESH_PREFIX)

    def work(tx: Transaction) -> Connection | None:
        tx.connections.prune(now)
        held = tx.connections.token(token_hash)
        if held is None or held.kind != "refresh":
            raise _invalid("The refresh token is unknown, has expired, or was ended.")
        connection = held.connection
        if not tx.connections.use_refresh(token_hash, now) and not _is_forgiven(ports, held, now):
            tx.connections.end([connection.id])
            return None
        if connection.client_id != client.id:
            raise _invalid("The refresh token was given to another app.")
        if asked is not None and not includes(connection.grant, asked):
            raise BadInput("The person allowed reading only.", "invalid_scope")
        _check(tx, connection, resource)
        tx.connections.extend(connection.id, now + REFRESH_LIFE)
        _keep(tx, connection, access, fresh, asked or connection.grant, now)
        return connection

    connection = await ports.store.write(work)
    if connection is None:
        raise _reused("refresh token")
    return Issued(access, fresh, asked or connection.grant, ACCESS_LIFE)


async def revoke(ports: Ports, client: Client | None, token: str) -> None:
    """End the connection that a token of either kind belongs to; one that is unknown is as good as ended (RFC 7009).

    `client` is None where the app did not name itself, which a public client need not: it holds the token, and can do
    no more with it than end it. Raises BadInput (`invalid_grant`) for another app's token, NotSignedIn
    (`invalid_client`) when the token's app has a secret that was not shown.
    """

    def work(tx: Transaction) -> None:
        held = tx.connections.token(secret_hash(token))
        if held is None:
            return
        owner = client or tx.clients.find(held.connection.client_id)
        if owner is None or owner.id != held.connection.client_id:
            raise _invalid("The token was given to another app.")
        if client is None and owner.secret_hash is not None:
            raise NotSignedIn("The app's secret is missing.", "invalid_client")
        tx.connections.end([held.connection.id])

    await ports.store.write(work)


def caller_on(resource: str) -> CallerOf:
    """Who calls at a resource: with an app's access token for it, or with an API key."""

    async def caller_of(ports: Ports, secret: str | None, space: str | None, app: str | None) -> Caller:
        if not secret:
            raise NotSignedIn("Sign in from your app, or send an API key as `Authorization: Bearer gnf_live_...`.")
        if secret.startswith(ACCESS_PREFIX):
            return await _caller_of_token(ports, secret, space, resource)
        return await caller_of_key(ports, secret, space, app)

    return caller_of


async def _caller_of_token(ports: Ports, token: str, space: str | None, resource: str) -> Caller:
    """The owner in their own memory, through the app that the token was given to (seed 003).

    Raises NotSignedIn (`bad_key`), NotAllowed (`wrong_space`) when a space is named.
    """
    now = ports.clock.now()
    token_hash = secret_hash(token)
    held = await ports.store.known(("token", token_hash), lambda tx: _open_token(tx, token_hash))
    if held is None or held.kind != "access" or held.expires_at <= now:
        raise NotSignedIn("This access token is unknown, has expired or was ended; refresh it, or sign in again.")
    connection = held.connection
    if connection.resource != resource:
        raise NotSignedIn(f"This access token is good for {connection.resource} alone; sign in for {resource}.")
    if space is not None:
        raise NotAllowed(
            "A connected app reaches its owner's own memory alone; leave X-Geniffy-Space out.", "wrong_space"
        )
    if connection.last_used_at is None or now - connection.last_used_at > _USED_EVERY:
        ports.store.uses.connection(connection.id, now)
    return Caller(
        account_id=connection.account_id,
        can_write=held.grant == "write",
        app=connection.app.name,
        is_connected_app=True,
    )


def _is_forgiven(ports: Ports, held: Token, now: datetime) -> bool:
    """Whether the operator lets a refresh token be used again so soon after its first use; never by default."""
    if ports.refresh_grace_s == 0 or held.used_at is None:
        return False
    return timedelta() <= now - held.used_at <= timedelta(seconds=ports.refresh_grace_s)


def _open_token(tx: Transaction, token_hash: bytes) -> Token | None:
    """The token, unless its account is closed."""
    held = tx.connections.token(token_hash)
    return held if held is not None and _is_open(tx, held.connection.account_id) else None


def _check(tx: Transaction, connection: Connection, resource: str | None) -> None:
    if resource not in (None, connection.resource):
        raise BadInput("The person connected the app to another resource.", "invalid_target")
    if not _is_open(tx, connection.account_id):
        raise _invalid("The account is closed.")


def _is_open(tx: Transaction, account_id: AccountId) -> bool:
    account = tx.accounts.by_id(account_id)
    return account is not None and account.closed_at is None


def _is_replaced(earlier: Connection, made: Connection) -> bool:
    """Whether a connection of the same account is of the same app, for the same resource (decisions 17)."""
    is_same_app = earlier.client_id == made.client_id or (
        earlier.app.is_known and made.app.is_known and earlier.app.name == made.app.name
    )
    return earlier.id != made.id and earlier.resource == made.resource and is_same_app


def _keep(tx: Transaction, connection: Connection, access: str, fresh: str, grant: Grant, now: datetime) -> None:
    tx.connections.add_token(secret_hash(access), Token("access", connection, grant, now + ACCESS_LIFE, None))
    # The next access token may have again all that the person allowed (RFC 6749 6).
    tx.connections.add_token(
        secret_hash(fresh), Token("refresh", connection, connection.grant, now + REFRESH_LIFE, None)
    )


def _invalid(sentence: str) -> BadInput:
    return BadInput(sentence, "invalid_grant")


def _reused(what: str) -> BadInput:
    return _invalid(f"The {what} was used before, so the connection was ended; the person must connect the app again.")
