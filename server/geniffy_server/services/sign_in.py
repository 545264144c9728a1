"""Signing in on the pages: by password, by the operator's own identity provider, and by the one-time setup link."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from geniffy_server.domain.account import Account, secret_hash
from geniffy_server.domain.connection import new_secret
from geniffy_server.domain.sign_in import (
    OF_EMAIL,
    OF_PEER,
    SESSION_LIFE,
    SESSION_PREFIX,
    SESSION_USED_EVERY,
    SETUP_LIFE,
    SETUP_PREFIX,
    Session,
    email_of,
    password_of,
    person_name_of,
    tries_key,
)
from geniffy_server.domain.space import AccountId
from geniffy_server.errors import Busy, NotAllowed, NotFound, NotSignedIn
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.passwords import hashed, is_password

_WRONG: Final = "That email and password don't match; check both and try again."
_CLOSED: Final = "This account is closed; whoever runs this server can open it again."
_NO_LINK: Final = "This link was used already, or has expired; whoever runs this server can make a new one."


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who just signed in, and the token for their browser's cookie, which is kept nowhere else."""

    account: Account
    token: str


async def sign_in(ports: Ports, email: str, password: str, *, peer: str, former: str | None = None) -> SignedIn:
    """Sign in by password, from the address `peer`; the browser's `former` session ends.

    Whether the email is unknown or the password wrong, it takes as long and says the same. Raises NotSignedIn
    (`wrong_password`), Busy while wrong passwords are slowed, NotAllowed for a closed account.
    """
    now = ports.clock.now()
    email = email.strip()
    of_email, of_peer = tries_key("email", email.casefold()), tries_key("peer", peer)

    def begin(tx: Transaction) -> tuple[Account | None, str | None]:
        _check_pace(tx, of_email, of_peer, now)
        account = tx.accounts.by_email(email)
        return account, tx.sign_ins.password(account.id) if account is not None else None

    account, held = await ports.store.write(begin)
    is_right = await is_password(password, held)
    if account is None or not is_right:
        raise NotSignedIn(_WRONG, "wrong_password")

    def finish(tx: Transaction) -> SignedIn:
        _forgive(tx, of_email, of_peer)
        return _begin_session(tx, account.id, former, now)

    return await ports.store.write(finish)


async def sign_in_verified(ports: Ports, email: str, *, former: str | None = None) -> SignedIn:
    """Sign in whom the operator's identity provider vouches for, by the email that it has verified.

    Raises NotAllowed when no open account has that email: a provider's people are not all let in.
    """
    now = ports.clock.now()

    def work(tx: Transaction) -> SignedIn:
        account = tx.accounts.by_email(email.strip())
        if account is None:
            raise NotAllowed(f"No account here has the email {email!r:.120}; whoever runs this server can add it.")
        return _begin_session(tx, account.id, former, now)

    return await ports.store.write(work)


async def account_of_session(ports: Ports, token: str) -> Account | None:
    """Whose browser this is; None when its session has ended, or its account is closed."""
    now = ports.clock.now()
    token_hash = secret_hash(token)

    def look(tx: Transaction) -> tuple[Session, Account] | None:
        session = tx.sign_ins.session(token_hash)
        account = tx.accounts.by_id(session.account_id) if session is not None else None
        return (session, account) if session is not None and account is not None else None

    found = await ports.store.known(("session", token_hash), look)
    if found is None or found[0].expires_at <= now or found[1].closed_at is not None:
        return None
    session, account = found
    if now - session.used_at > SESSION_USED_EVERY:
        await ports.store.write(lambda tx: tx.sign_ins.session_used(token_hash, now, now + SESSION_LIFE))
    return account


async def sign_out(ports: Ports, token: str) -> None:
    """End the session of one browser."""
    await ports.store.write(lambda tx: tx.sign_ins.end_session(secret_hash(token)))


async def sign_out_everywhere(ports: Ports, account_id: AccountId) -> int:
    """End every session of an account; how many there were."""
    return await ports.store.write(lambda tx: tx.sign_ins.end_sessions(account_id))


async def make_setup_link(ports: Ports, account_id: AccountId) -> str:
    """The address where an account's password is chosen, once, within a day; earlier ones stop working."""
    token = new_secret(SETUP_PREFIX)
    until = ports.clock.now() + SETUP_LIFE
    await ports.store.write(lambda tx: tx.sign_ins.set_link(secret_hash(token), account_id, until))
    return f"{ports.public_url}/app/setup?token={token}"


async def setup_link_of_owner(ports: Ports) -> str | None:
    """A fresh setup link for the owner for as long as they have no password; None when they have one."""

    def look(tx: Transaction) -> AccountId | None:
        owner = tx.accounts.owner()
        return owner.id if owner is not None and tx.sign_ins.password(owner.id) is None else None

    account_id = await ports.store.read(look)
    return None if account_id is None else await make_setup_link(ports, account_id)


async def account_of_link(ports: Ports, token: str) -> Account:
    """Whose setup link it is; looking does not use it up. Raises NotFound."""
    now = ports.clock.now()

    def look(tx: Transaction) -> Account | None:
        account_id = tx.sign_ins.link(secret_hash(token), now)
        return tx.accounts.by_id(account_id) if account_id is not None else None

    account = await ports.store.read(look)
    if account is None:
        raise NotFound(_NO_LINK)
    return account


async def set_up(
    ports: Ports, token: str, *, name: str, email: str, password: str, former: str | None = None
) -> SignedIn:
    """Choose a name, an email and a password by a setup link, which is used up, and sign in; all sessions end first.

    An account that has an email keeps it. Raises NotFound for a link that does not work, BadInput (`bad_name`,
    `bad_email`, `bad_password`), Conflict for an email of another account; the link still works then.
    """
    account = await account_of_link(ports, token)
    chosen = person_name_of(name)
    address = account.email or email_of(email)
    password_hash = await hashed(password_of(password))
    now = ports.clock.now()

    def work(tx: Transaction) -> SignedIn:
        account_id = tx.sign_ins.take_link(secret_hash(token), now)
        if account_id is None:
            raise NotFound(_NO_LINK)
        tx.accounts.describe(account_id, address, chosen, account.time_zone)
        tx.sign_ins.set_password(account_id, password_hash)
        tx.sign_ins.end_sessions(account_id)
        tx.sign_ins.clear_tries(tries_key("email", address.casefold()))
        return _begin_session(tx, account_id, former, now)

    return await ports.store.write(work)


async def change_password(
    ports: Ports, account: Account, *, old: str, new: str, peer: str, former: str | None = None
) -> SignedIn:
    """Choose another password, knowing the old one; every session ends, and this browser gets a new one.

    Raises NotSignedIn (`wrong_password`), BadInput (`bad_password`), Busy; NotAllowed for an account without one.
    """
    now = ports.clock.now()
    chosen = password_of(new)
    of_email, of_peer = tries_key("email", (account.email or "").casefold()), tries_key("peer", peer)

    def begin(tx: Transaction) -> str:
        held = tx.sign_ins.password(account.id)
        if held is None:
            raise NotAllowed("This account has no password; whoever runs this server can make a link to choose one.")
        _check_pace(tx, of_email, of_peer, now)
        return held

    held = await ports.store.write(begin)
    if not await is_password(old, held):
        raise NotSignedIn("That is not your password now; nothing was changed.", "wrong_password")
    password_hash = await hashed(chosen)

    def finish(tx: Transaction) -> SignedIn:
        _forgive(tx, of_email, of_peer)
        tx.sign_ins.set_password(account.id, password_hash)
        tx.sign_ins.end_sessions(account.id)
        return _begin_session(tx, account.id, former, now)

    return await ports.store.write(finish)


def _check_pace(tx: Transaction, of_email: bytes, of_peer: bytes, now: datetime) -> None:
    """Count a try before it is made, so that many at once are counted too. Raises Busy when it comes too soon."""
    tx.sign_ins.prune(now)
    wait_s = max(
        OF_EMAIL.wait_s(tx.sign_ins.tries(of_email), now),
        OF_PEER.wait_s(tx.sign_ins.tries(of_peer), now),
    )
    if wait_s:
        raise Busy(f"Too many tries that were wrong; try again in {wait_s} s.", retry_after_s=wait_s)
    tx.sign_ins.count_try(of_email, now)
    tx.sign_ins.count_try(of_peer, now)


def _forgive(tx: Transaction, of_email: bytes, of_peer: bytes) -> None:
    # Who can sign in to one account must not get a free round against the others: the address keeps its wrong tries.
    tx.sign_ins.clear_tries(of_email)
    tx.sign_ins.forgive_try(of_peer)


def _begin_session(tx: Transaction, account_id: AccountId, former: str | None, now: datetime) -> SignedIn:
    """A session under a new token, so that one which somebody else planted in the browser is worth nothing."""
    account = tx.accounts.by_id(account_id)
    if account is None or account.closed_at is not None:
        raise NotAllowed(_CLOSED)
    if former is not None:
        tx.sign_ins.end_session(secret_hash(former))
    token = new_secret(SESSION_PREFIX)
    tx.sign_ins.add_session(secret_hash(token), Session(account_id, now, now, now + SESSION_LIFE))
    return SignedIn(account, token)
