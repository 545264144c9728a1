"""Search keys of a store that an earlier version wrote: words that are read otherwise now are found again."""

from __future__ import annotations

from typing import Final

import numpy as np

from geniffy_server.domain.memory import OWNER, MemoryId, joined_tokens, parted_tokens
from geniffy_server.ports import SEARCH_KEYS_NOTE, Ports, Transaction
from geniffy_server.recall.tokens import KEYS_VERSION, keys

_AT_ONCE: Final = 500


async def renew_keys(ports: Ports) -> bool:
    """Bring some memories' search keys up to `KEYS_VERSION`; False when all are. Safe in several processes at once.

    What a memory lacks is added to what it has: of who said it and what was asked before, the store keeps keys alone.
    """
    if await ports.store.read(lambda tx: tx.meta(SEARCH_KEYS_NOTE)) == KEYS_VERSION:
        return False
    return await ports.store.write(_renew)


def _renew(tx: Transaction) -> bool:
    version, _, last = (tx.meta(SEARCH_KEYS_NOTE) or "").partition(":")
    after = int(last) if version == KEYS_VERSION and last else 0
    if version == KEYS_VERSION and not last:
        return False
    rows = tx.memories.keyed_behind(MemoryId(after), _AT_ONCE)
    renewed = []
    for space_id, memory_id, text, about, stored in rows:
        own, asked = parted_tokens(stored)
        held = set(np.frombuffer(own, "<u4").tolist())
        lacking = [one for one in keys(text) + keys("" if about in (None, OWNER) else about) if one not in held]
        if lacking:
            renewed.append((space_id, memory_id, joined_tokens(own + np.array(lacking, "<u4").tobytes(), asked)))
    revs = {space_id: tx.spaces.bump(space_id) for space_id in {space_id for space_id, *_ in renewed}}
    tx.memories.set_keys([(space_id, memory_id, held, revs[space_id]) for space_id, memory_id, held in renewed])
    tx.set_meta(SEARCH_KEYS_NOTE, f"{KEYS_VERSION}:{rows[-1][1]}" if rows else KEYS_VERSION)
    return bool(rows)
