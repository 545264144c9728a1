"""A look into the server: what its recall weighed, which no API shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from geniffy_server.app import opened
from geniffy_server.ports import Found, Transaction
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
