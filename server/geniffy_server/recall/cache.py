"""The shards in RAM: loaded when first searched, brought up to date before each search, dropped when least used."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from geniffy_server.domain.space import SpaceId
from geniffy_server.ports import Transaction
from geniffy_server.recall.heap import give_back
from geniffy_server.recall.shard import Shard

_LARGE_BYTES: Final = 4 << 20  # of a shard: what its rows took while they were read is worth giving back


@dataclass(slots=True)
class _Slot:
    lock: threading.Lock = field(default_factory=threading.Lock)
    shard: Shard | None = None
    nbytes: int = 0


class ShardCache:
    """Shards of the spaces searched last, in at most `budget_bytes` of RAM; the newest one is kept whatever its size.

    Loading one space does not hold up searches of others, and a search never waits for a shard that is new enough.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._budget_bytes = budget_bytes
        self._lock = threading.Lock()
        self._slots: OrderedDict[SpaceId, _Slot] = OrderedDict()
        self._nbytes = 0

    def get(self, tx: Transaction, space_id: SpaceId) -> Shard:
        """The shard of a space, as new as `tx` sees it or newer."""
        version = tx.spaces.version(space_id)
        with self._lock:
            slot = self._slots.setdefault(space_id, _Slot())
            self._slots.move_to_end(space_id)
        shard = slot.shard
        if shard is not None and shard.version >= version:
            return shard
        with slot.lock:
            shard = slot.shard
            if shard is None or shard.version < version:
                slot.shard = None  # an update that fails half-way leaves nothing to build on
                slot.shard = shard = _fresh(tx, space_id, shard, version)
                self._count(space_id, slot)
        return shard

    def drop(self, space_id: SpaceId) -> None:
        """Let a space's shard go."""
        with self._lock:
            if (slot := self._slots.pop(space_id, None)) is not None:
                self._nbytes -= slot.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes that all the shards take."""
        return self._nbytes

    def _count(self, space_id: SpaceId, slot: _Slot) -> None:
        """Note what a changed shard takes, and let those go that were searched longest ago."""
        with self._lock:
            if self._slots.get(space_id) is not slot or slot.shard is None:
                return  # dropped meanwhile
            self._nbytes += slot.shard.nbytes - slot.nbytes
            slot.nbytes = slot.shard.nbytes
            while len(self._slots) > 1 and self._nbytes > self._budget_bytes:
                _, oldest = self._slots.popitem(last=False)
                self._nbytes -= oldest.nbytes


def _fresh(tx: Transaction, space_id: SpaceId, held: Shard | None, version: int) -> Shard:
    """`held` with what changed since, or all of it anew when too much did or the removals are not known any more."""
    if held is not None and held.version >= tx.memories.oldest_tombstone(space_id) and not held.is_sparse:
        changed = list(tx.memories.shard_rows(space_id, held.version))
        gone = tx.memories.gone(space_id, held.version)
        return held.updated(changed, gone, version)
    shard = Shard.of(tx.memories.shard_rows(space_id, -1), version)
    if shard.nbytes >= _LARGE_BYTES:
        give_back()
    return shard
