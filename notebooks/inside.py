"""A look into the server: what its recall weighed, which no API shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.app import opened
from geniffy_server.ports import Found, Transaction
from geniffy_server.recall.fuse import WEIGHTS
from geniffy_server.services.access import readable
from geniffy_server.services.keys import owner_in_process
from geniffy_server.settings import read_settings

_MOST: Final = 500  # memories of a space: more than any notebook tells


async def weighed(folder: str, space: str, questions: Iterable[str]) -> Mapping[str, Sequence[Found]]:
    """For each question, the memories of a space, best first, each with its score and the signs behind it.

    The directory may be open in a client of this process meanwhile.
    """
    async with opened(read_settings(data=Path(folder))) as server:
        ports = server.ports
        caller = await owner_in_process(ports, None, space, None)

        def work(tx: Transaction) -> Mapping[str, Sequence[Found]]:
            held = readable(tx, caller)
            if held is None:  # nothing was ever told to it
                return {each: [] for each in questions}
            return {each: ports.recall.search(tx, held, each, limit=_MOST) for each in questions}

        return await ports.store.read(work)


def parts_of(ranked: Sequence[Found]) -> dict[str, NDArray[np.float64]]:
    """What the score of each memory is made of, for a question that names one person; the parts add up to it.

    `ranked`: every memory of the space, as `weighed` gives them. What no sign is named for stands around a memory. Its
    vector counts against the other memories, and once more as a part of its passage (`told`, `around`).
    """
    cosines = np.array([each.features["cosine"] for each in ranked])
    about, said = (np.array([each.features[sign] > 0 for each in ranked]) for sign in ("subject", "speaker"))
    parts = {
        "meaning": WEIGHTS.cosine * _standing_out(ranked, "cosine")
        + (WEIGHTS.told + WEIGHTS.around) * cosines / cosines.std(),
        "words": WEIGHTS.bm25 * _standing_out(ranked, "bm25"),
        "whose it is": (WEIGHTS.said + WEIGHTS.said_first) * said + WEIGHTS.subject * (about & ~said),
    }
    return parts | {"what stands around it": np.array([each.score for each in ranked]) - sum(parts.values())}


def _standing_out(ranked: Sequence[Found], sign: str) -> NDArray[np.float64]:
    """By how many standard deviations each memory has more of a sign than the average one."""
    values = np.array([each.features[sign] for each in ranked])
    return np.asarray((values - values.mean()) / values.std())
