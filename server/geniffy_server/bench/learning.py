"""How many facts are learned in a second of one core."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any, Final

from geniffy_server.bench.figures import Figure
from geniffy_server.bench.inside import Inside, running
from geniffy_server.bench.people import note

_SPACE: Final = "learning"
_STATEMENTS_A_NOTE: Final = 15
_WITHIN_S: Final = 300.0


def learning_rate(data: Path, notes: int) -> list[Figure]:
    """Add notes to a new store in `data` and wait until all are learned, with the whole server in this process."""
    return asyncio.run(_learn(data, notes))


async def _learn(data: Path, notes: int) -> list[Figure]:
    async with running(data) as inside:
        first = await _add(inside, "The model is loaded by the first fact that is learned.")
        await inside.learned(_SPACE, first, _WITHIN_S)
        began, cpu = time.perf_counter(), time.process_time()
        added = [await _add(inside, note(number, _STATEMENTS_A_NOTE)) for number in range(notes)]
        facts = sum([await inside.learned(_SPACE, source, _WITHIN_S) for source in added])
        wall_s, cpu_s = time.perf_counter() - began, time.process_time() - cpu
    told = f"{facts:,} facts of {notes} notes of {_STATEMENTS_A_NOTE} sentences, adding them included"
    return [
        Figure("facts learned a second of one core", facts / max(cpu_s, 1e-9), at_least=100, note=f"CPU time; {told}"),
        Figure("facts learned a second", facts / max(wall_s, 1e-9), note="by the clock on the wall, disk included"),
    ]


async def _add(inside: Inside, text: str) -> str:
    added: Any = await inside.call("POST", "/v1/memories", {"text": text}, _SPACE)
    return str(added["source"]["id"])
