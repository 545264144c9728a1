"""Spaces: the memories an app keeps for its users, listed and erased by the account that owns them."""

from __future__ import annotations

from collections.abc import Sequence

from geniffy_server.caller import Caller
from geniffy_server.domain.space import AccountId, SpaceId, SpaceSummary, space_name
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import whole_account
from geniffy_server.services.scrubbing import owe_scrub, scrub


async def list_spaces(ports: Ports, caller: Caller) -> Sequence[SpaceSummary]:
    """Spaces that hold something, most recently added to first. Raises NotAllowed for a limited key."""
    whole_account(caller)
    return await ports.store.read(lambda tx: tx.spaces.holding(caller.account_id))


async def erase_space(ports: Ports, caller: Caller, raw: str) -> int:
    """Erase a space for good and stop the keys limited to it; how many sources it held, 0 for a new name.

    Raises NotAllowed for a limited key, BadInput (`bad_space`) for a malformed name.
    """
    whole_account(caller)
    return await erase(ports, caller.account_id, space_name(raw))


async def erase(ports: Ports, account_id: AccountId, name: str) -> int:
    """Erase one space of an account by its checked name, with its place in the request log."""

    def work(tx: Transaction) -> tuple[SpaceId | None, int]:
        space = tx.spaces.find(account_id, name)
        if space is None:
            return None, 0
        owe_scrub(tx, ports.clock.now())
        return space.id, tx.spaces.erase(space.id)

    space_id, sources = await ports.store.write(work)
    try:
        if space_id is not None:
            ports.recall.forget_space(space_id)
            await scrub(ports)
    finally:
        # Last, for calls that end meanwhile are logged too; and also for a name that nothing was ever written to.
        await ports.calls.forget_space(account_id, name, ports.clock.now())
    return sources
