"""API keys: made, listed, revoked, and turned into callers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from geniffy_server.caller import Caller
from geniffy_server.domain.account import SHOWN_KEY_CHARS, ApiKey, KeyId, new_key, rpm_of, secret_hash
from geniffy_server.domain.space import OWN, AccountId, space_name
from geniffy_server.domain.text import keepable
from geniffy_server.errors import BadInput, Busy, NotAllowed, NotFound, NotSignedIn
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import in_space, whole_account

MAX_NAME_CHARS: Final = 200
_USED_EVERY: Final = timedelta(minutes=1)  # how exact `last_used_at` is: after each write, every key is read anew


CallerOf = Callable[[Ports, str | None, str | None, str | None], Awaitable[Caller]]
"""`(ports, bearer, space header, app) -> Caller`; raises NotSignedIn, NotAllowed, BadInput, Busy."""


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A new key with its secret, which is shown this once."""

    key: ApiKey
    secret: str


async def make_key(
    ports: Ports,
    account_id: AccountId,
    *,
    name: str | None = None,
    space: str | None = None,
    rpm: int | None = None,
    expires_at: datetime | None = None,
) -> MadeKey:
    """Make a key of the whole account, or with `space` one limited to that space.

    Raises BadInput for a bad rpm or name, and (`bad_date`) for an end that has passed.
    """
    limit = rpm_of(rpm)
    now = ports.clock.now()
    if expires_at is not None and expires_at <= now:
        raise BadInput("expires_at has passed already; name a later time.", "bad_date")
    shown = " ".join(keepable(name or "", "name").split())[:MAX_NAME_CHARS]
    shown = shown or (f"Key for {space}" if space else "Key")
    secret = new_key()

    def work(tx: Transaction) -> ApiKey:
        of = tx.spaces.ensure(account_id, space) if space else None
        starts_with = secret[:SHOWN_KEY_CHARS]
        return tx.keys.add(account_id, of, shown, secret_hash(secret), starts_with, limit, expires_at, now)

    return MadeKey(await ports.store.write(work), secret)


async def make_space_key(
    ports: Ports, caller: Caller, *, name: str | None, rpm: int | None, expires_at: datetime | None
) -> MadeKey:
    """Make a key limited to the caller's space, as apps do for one of their users.

    Raises NotAllowed for a limited key, BadInput (`bad_space`) when no space was named.
    """
    whole_account(caller)
    return await make_key(
        ports, caller.account_id, name=name, space=_named_space(caller), rpm=rpm, expires_at=expires_at
    )


async def list_space_keys(ports: Ports, caller: Caller) -> Sequence[ApiKey]:
    """The working keys of the caller's space."""
    named = _named_space(caller)
    await ports.store.uses.settle()

    def work(tx: Transaction) -> Sequence[ApiKey]:
        space = tx.spaces.find(caller.account_id, named)
        return tx.keys.working(caller.account_id, space.id, ports.clock.now()) if space else []

    return await ports.store.read(work)


async def revoke_space_key(ports: Ports, caller: Caller, key_id: KeyId) -> ApiKey:
    """Stop a key of the caller's space, at once. Raises NotFound."""
    whole_account(caller)
    named = _named_space(caller)

    def work(tx: Transaction) -> ApiKey | None:
        space = tx.spaces.find(caller.account_id, named)
        return tx.keys.revoke(caller.account_id, key_id, space.id, ports.clock.now()) if space else None

    revoked = await ports.store.write(work)
    if revoked is None:
        raise NotFound(f"The space {named!r} has no working key {key_id}.")
    return revoked


async def list_keys(ports: Ports, account_id: AccountId) -> Sequence[ApiKey]:
    """Every working key of an account."""
    await ports.store.uses.settle()
    return await ports.store.read(lambda tx: tx.keys.working(account_id, None, ports.clock.now()))


async def revoke_key(ports: Ports, account_id: AccountId, key_id: KeyId) -> ApiKey:
    """Stop any key of an account, at once. Raises NotFound."""
    revoked = await ports.store.write(lambda tx: tx.keys.revoke(account_id, key_id, None, ports.clock.now()))
    if revoked is None:
        raise NotFound(f"There is no working key {key_id}.")
    return revoked


async def caller_of_key(ports: Ports, secret: str | None, space: str | None, app: str | None) -> Caller:
    """Who calls with this key, in the space that the call names; counts the call against the key's rate.

    `secret` is what stood behind `Bearer`; `space` the space header as sent, None when absent; `app` the client's own
    name. Raises NotSignedIn (`bad_key`), BadInput (`bad_space`), NotAllowed (`wrong_space`), Busy.
    """
    if not secret:
        raise NotSignedIn("Send your API key as `Authorization: Bearer gnf_live_...`.")
    now = ports.clock.now()
    key_hash = secret_hash(secret)
    key = await ports.store.known(("key", key_hash), lambda tx: _open_key(tx, key_hash))
    if key is None:
        raise NotSignedIn("This API key is not known here; check it, or make a new one.")
    if key.revoked_at is not None:
        raise NotSignedIn("This API key was revoked; make a new one.")
    if key.expires_at is not None and key.expires_at <= now:
        raise NotSignedIn("This API key has expired; make a new one.")
    wait_s = await ports.calls.take_slot(key.id, key.rpm, now)
    if wait_s is not None:
        raise Busy(f"This key may make {key.rpm} requests a minute; try again in {wait_s} s.", retry_after_s=wait_s)
    if key.last_used_at is None or now - key.last_used_at > _USED_EVERY:
        ports.store.uses.key(key.id, now)
    caller = Caller(
        account_id=key.account_id,
        space=key.space if key.space is not None else OWN,
        is_limited=key.space is not None,
        key_id=key.id,
        app=app or key.name,
    )
    return in_space(caller, space)


async def owner_in_process(ports: Ports, secret: str | None, space: str | None, app: str | None) -> Caller:
    """The owner, in the space that the call names: who opened the directory in their own process needs no key."""
    owner = await ports.store.read(lambda tx: tx.accounts.owner())
    if owner is None:
        raise NotSignedIn("This memory has no owner yet.")
    return in_space(Caller(account_id=owner.id, app=app or "local"), space)


def _open_key(tx: Transaction, key_hash: bytes) -> ApiKey | None:
    """The key, unless its account is closed."""
    key = tx.keys.by_hash(key_hash)
    account = tx.accounts.by_id(key.account_id) if key else None
    return key if account is not None and account.closed_at is None else None


def _named_space(caller: Caller) -> str:
    if caller.is_limited:
        raise NotAllowed("This key reaches one space alone; use a key of the whole account to manage keys.")
    if caller.space == OWN:
        raise BadInput("Name the space in the X-Geniffy-Space header: these keys belong to one space.", "bad_space")
    return space_name(caller.space)
