"""Accounts, and the keys that apps call with."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NewType

from geniffy_server.domain.space import AccountId
from geniffy_server.errors import BadInput

KeyId = NewType("KeyId", int)

KEY_PREFIX: Final = "gnf_live_"
MAX_RPM: Final = 600  # requests a minute, contract 1.8
SHOWN_KEY_CHARS: Final = 14


@dataclass(frozen=True, slots=True)
class Account:
    """A person who owns memories. `email` is None until they choose one at setup."""

    id: AccountId
    email: str | None
    name: str | None
    time_zone: str
    created_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is kept: never the key itself. `space` is None for one that reaches the whole account."""

    id: KeyId
    account_id: AccountId
    space: str | None
    name: str
    starts_with: str
    rpm: int
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Usage:
    """What an account used in one calendar month (UTC)."""

    learned_tokens: int
    answers: int


def new_key() -> str:
    """A fresh API key: `gnf_live_` and 43 characters, 32 random bytes in url-safe base64."""
    return KEY_PREFIX + secrets.token_urlsafe(32)


def secret_hash(secret: str) -> bytes:
    """The SHA-256 under which a key or token is kept and looked up; random secrets need no salt."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def rpm_of(raw: int | None) -> int:
    """Requests a minute, 1 to 600; 600 when left out. Raises BadInput outside (contract Q34)."""
    if raw is None:
        return MAX_RPM
    if not 1 <= raw <= MAX_RPM:
        raise BadInput(f"rpm is a whole number from 1 to {MAX_RPM}, not {raw}.")
    return raw
