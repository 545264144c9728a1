"""Passwords: hashed with argon2id, which takes a moment and 64 MiB, so a few at a time and never on the event loop."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

from geniffy_server.domain.sign_in import MAX_PASSWORD_CHARS

T = TypeVar("T")

_AT_ONCE: Final = 2  # who tries many passwords at once waits for themselves, and takes 128 MiB at most
_hasher = PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)


async def hashed(password: str) -> str:
    """What is kept of a password: its argon2id hash, with its salt and parameters (RFC 9106)."""
    return await _apart(lambda: _hasher.hash(password))


async def is_password(password: str, held: str | None) -> bool:
    """Whether a password is the one whose hash is held; with None it isn't, and that takes just as long to say."""
    # One character more than any password has: what is longer than that is hashed no slower, and is wrong too.
    return await _apart(lambda: _verified(password[: MAX_PASSWORD_CHARS + 1], held or _nobodys(), held is not None))


def _verified(password: str, against: str, is_somebodys: bool) -> bool:
    try:
        return _hasher.verify(against, password) and is_somebodys
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobodys() -> str:
    return _hasher.hash(secrets.token_urlsafe(32))


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="passwords")


async def _apart(work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(_threads(), work)
