"""How a command reaches the store: its settings, its ports, and the account it works for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from geniffy_server.errors import BadInput, NotFound
from geniffy_server.settings import NO_POSTGRES, Settings, read_settings

if TYPE_CHECKING:
    from geniffy_server.domain.account import Account
    from geniffy_server.ports import Ports

T = TypeVar("T")


def embedded_settings(data: Path | None) -> Settings:
    """Settings of a store in a directory. Raises BadInput for those that can't be used, a database URL among them."""
    settings = read_settings(data=data)
    if settings.database_url:
        raise BadInput(NO_POSTGRES)
    return settings


def with_ports(settings: Settings, work: Callable[[Ports], Awaitable[T]], *, create: bool = False) -> T:
    """Run `work` over ports that are open while it runs, in an event loop of its own.

    Raises NotFound when the directory holds no store, unless `create` asks for one.
    """

    async def run() -> T:
        from geniffy_server.app import opened

        async with opened(settings, create=create) as it:
            return await work(it.ports)

    return asyncio.run(run())


async def account_of(ports: Ports, email: str | None) -> Account:
    """The account that a command works for: by email, or the owner, who is made when the store is new.

    Raises NotFound when no account has that email.
    """
    from geniffy_server.services.accounts import ensure_owner

    if email is None:
        return (await ensure_owner(ports))[0]
    wanted = email.strip()
    found = await ports.store.read(lambda tx: tx.accounts.by_email(wanted))
    if found is None:
        raise NotFound(f"No account here has the email {wanted!r}.")
    return found
