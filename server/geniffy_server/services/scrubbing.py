"""Seeing to it that what was removed is soon in no byte of the store, also when a process ends in between.

A transaction that removes something notes that a scrub is owed; whoever scrubs takes the note away. One that is left
behind, by a process that was killed or by a store that was too busy, is seen to by the worker of any process.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.summaries import forget_gists

_OWED: Final = "scrub_owed_since"
_NOTHING: Final = ""


def owe_scrub(tx: Transaction, now: datetime) -> None:
    """Note that this transaction removes what no byte of the store may tell afterwards."""
    tx.set_meta(_OWED, now.isoformat())


async def scrub(ports: Ports) -> None:
    """Scrub the store, and note that nothing is owed unless more was removed meanwhile.

    Raises Unavailable when the store was too busy; then it stays owed.
    """
    forget_gists()
    owed = await ports.store.read(lambda tx: tx.meta(_OWED))
    await ports.store.scrub()

    def settle(tx: Transaction) -> None:
        if tx.meta(_OWED) == owed:
            tx.set_meta(_OWED, _NOTHING)

    await ports.store.write(settle)


async def scrub_if_owed(ports: Ports, *, for_s: float = 0.0) -> None:
    """Scrub if that is owed for so long; whoever removed something scrubs at once, so little is ever left to do."""
    owed = await ports.store.read(lambda tx: tx.meta(_OWED))
    if owed and ports.clock.now() - datetime.fromisoformat(owed) >= timedelta(seconds=for_s):
        await scrub(ports)
