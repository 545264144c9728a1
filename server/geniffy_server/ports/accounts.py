"""Accounts, how they sign in, and their keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from geniffy_server.domain.account import Account, ApiKey, KeyId, Usage
from geniffy_server.domain.sign_in import Session, Tries
from geniffy_server.domain.space import AccountId, Space, SpaceId


class Accounts(Protocol):
    def owner(self) -> Account | None:
        """The first account, which commands use unless told another."""
        ...

    def by_id(self, account_id: AccountId) -> Account | None: ...
    def by_email(self, email: str) -> Account | None:
        """Compared without regard to case."""
        ...

    def all(self) -> Sequence[Account]: ...
    def add(self, email: str | None, name: str | None, time_zone: str, now: datetime) -> Account:
        """Raises Conflict when another account has that email."""
        ...

    def describe(self, account_id: AccountId, email: str | None, name: str | None, time_zone: str) -> None:
        """Give an account its email, name and time zone. Raises Conflict when another account has that email."""
        ...

    def close(self, account_id: AccountId, at: datetime | None) -> None:
        """Note when an account was closed; with None, open it again."""
        ...

    def count_usage(self, account_id: AccountId, month: str, *, learned_tokens: int = 0, answers: int = 0) -> None:
        """Add to what `month` (`2026-10`) used."""
        ...

    def usage(self, account_id: AccountId, month: str) -> Usage: ...


class SignIns(Protocol):
    """Passwords, the browsers that are signed in, setup links, and wrong passwords. Secrets are known by hashes alone.

    What has expired may be given back: the caller compares. `prune` removes it.
    """

    def password(self, account_id: AccountId) -> str | None:
        """The hash of an account's password; None while it has none."""
        ...

    def set_password(self, account_id: AccountId, password_hash: str) -> None: ...
    def add_session(self, token_hash: bytes, session: Session) -> None: ...
    def session(self, token_hash: bytes) -> Session | None: ...
    def session_used(self, token_hash: bytes, at: datetime, expires_at: datetime) -> None: ...
    def end_session(self, token_hash: bytes) -> None: ...
    def end_sessions(self, account_id: AccountId) -> int:
        """Sign an account out everywhere; how many browsers that were."""
        ...

    def set_link(self, link_hash: bytes, account_id: AccountId, expires_at: datetime) -> None:
        """Make the one link by which an account's password is chosen, in the place of an earlier one."""
        ...

    def link(self, link_hash: bytes, now: datetime) -> AccountId | None:
        """Whose link it is; None when it has expired, was used, or never was."""
        ...

    def take_link(self, link_hash: bytes, now: datetime) -> AccountId | None:
        """Like `link`, and remove it: of any number of takers, one gets it."""
        ...

    def drop_link(self, account_id: AccountId) -> None: ...
    def tries(self, key: bytes) -> Tries | None: ...
    def count_try(self, key: bytes, now: datetime) -> None: ...
    def forgive_try(self, key: bytes) -> None:
        """Take the last counted try back: it was right."""
        ...

    def clear_tries(self, key: bytes) -> None: ...
    def prune(self, now: datetime) -> None:
        """Remove what has expired: sessions, links, and tries a day after the last one."""
        ...


class Keys(Protocol):
    def by_hash(self, key_hash: bytes) -> ApiKey | None:
        """Also revoked and expired ones: the caller says which."""
        ...

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
    ) -> ApiKey: ...
    def working(self, account_id: AccountId, space_id: SpaceId | None, now: datetime) -> Sequence[ApiKey]:
        """Keys that still work, oldest first: those of one space, or with None every key of the account."""
        ...

    def revoke(self, account_id: AccountId, key_id: KeyId, space_id: SpaceId | None, now: datetime) -> ApiKey | None:
        """Revoke a working key, of that space when one is named; the key, or None when there is none such."""
        ...
