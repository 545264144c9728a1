"""What a process does before its first question comes: its word lists read, its embedder loaded."""

from __future__ import annotations

import asyncio

from geniffy_server.ports import Ports
from geniffy_server.recall.readiness import read_lists

_ANY_QUESTION = "Where does anyone live?"


async def warm(ports: Ports, *, loads_embedder: bool) -> None:
    """Load what the first question would wait for, about .4 s of one core, in threads; fails never.

    An embedder behind an endpoint has nothing to load, and is not called before somebody asks.
    """
    if loads_embedder:
        ports.recall.prepare(_ANY_QUESTION)
    await asyncio.to_thread(read_lists)
