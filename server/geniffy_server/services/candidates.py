"""Which memories a new fact may change: compared one by one with it, so there must be few of them.

The nearest of its subject, or where either subject is unknown, are what mostly changes. A fact that
gives an attribute its value, ends a state or puts something right is also compared with what lies farther off: no word
is shared by `Vivo en Bilbao` and `Me mudé a Vigo`. One that hands something over is compared across subjects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.domain.memory import Fact, Memory, MemoryId
from geniffy_server.domain.space import Space
from geniffy_server.learn.change.reconcile import Reach, reach
from geniffy_server.ports import Ports, Transaction

_CANDIDATES: Final = 8
_LEAST_COSINE: Final = 0.45
_FAR_CANDIDATES: Final = 24
_FAR_LEAST_COSINE: Final = 0.1
_NEWEST_OF_SUBJECT: Final = 24


def candidates(
    ports: Ports, tx: Transaction, space: Space, facts: Sequence[Fact | None], vectors: NDArray[np.float32] | None
) -> Sequence[Sequence[Memory]]:
    """For each fact the memories that it may change, nearest first; of one that is None, of any subject.

    Without vectors only the newest of its subject are found, and only for a fact that may reach far.
    """
    reaches: list[Reach] = ["any" if fact is None else reach(fact.text, fact.about) for fact in facts]
    ids: list[list[MemoryId]] = [[] for _ in facts]
    if vectors is not None:
        abouts = [
            fact.about if fact is not None and far != "any" else None for fact, far in zip(facts, reaches, strict=True)
        ]
        everywhere = ports.recall.near(tx, space, vectors, abouts, limit=_CANDIDATES, least=_LEAST_COSINE)
        ids = [list(near) for near in everywhere]
        far = [index for index, one in enumerate(reaches) if one != "near"]
        if far:
            own = [abouts[index] for index in far]
            more = ports.recall.near(tx, space, vectors[far], own, limit=_FAR_CANDIDATES, least=_FAR_LEAST_COSINE)
            for index, found in zip(far, more, strict=True):
                ids[index] += [one for one in found if one not in ids[index]]
    held = tx.memories.find_many(space.id, {one for some in ids for one in some})
    return [
        _with_newest(tx, space, fact, far, [held[one] for one in some if one in held])
        for fact, far, some in zip(facts, reaches, ids, strict=True)
    ]


def _with_newest(tx: Transaction, space: Space, fact: Fact | None, far: Reach, found: list[Memory]) -> list[Memory]:
    if fact is None or fact.about is None or far == "near":
        return found
    known = {memory.id for memory in found}
    newest = tx.memories.about(space.id, fact.about, _NEWEST_OF_SUBJECT)
    return [*found, *(memory for memory in newest if memory.id not in known)]
