"""What a server bears: readers, writers and an import at once; what each call took, and what was answered."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from geniffy_server.bench.clients import KEPT, Caller, Tally, keep_calling
from geniffy_server.bench.figures import Figure
from geniffy_server.bench.filling import fill
from geniffy_server.bench.people import two_kilobytes
from geniffy_server.bench.preparing import Prepared, pool, prepared
from geniffy_server.bench.serving import Served, run_import, serving
from geniffy_server.bench.telling import Told
from geniffy_server.bench.wire import Client
from geniffy_server.storage.archive import write_spaces

_KEYS_EACH: Final = 12  # of a client: 500 calls with each a minute are 100 calls a second
_IMPORTED: Final = "imported"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much load: clients, seconds, memories in each client's space at first, and memories that are imported."""

    readers: int = 8
    writers: int = 4
    seconds: float = 20.0
    memories: int = 1_000
    imported: int = 2_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it. `complaints` are the lines that the server logged, which should be none."""

    tally: Tally
    seconds: float
    import_s: float
    import_said: str
    is_imported: bool
    complaints: Sequence[str]

    def figures(self) -> list[Figure]:
        """How much was done, and what went wrong."""
        failed = self.tally.failed
        by_status = ", ".join(f"{count} of {status or 'no answer'}" for status, count in failed.items())
        said = [self.import_said, *self.complaints]
        locked = [
            line for line in said if any(word in line.lower() for word in ("locked", "sqlite_busy", "kept the store"))
        ]
        return [
            Figure("calls", self.tally.calls, note=f"in {self.seconds:.1f} s"),
            Figure("calls a second", self.tally.calls / max(self.seconds, 1e-9)),
            Figure("calls that failed", sum(failed.values()), at_most=0, note=by_status),
            Figure("import beside them", self.import_s, "s", note=self.import_said),
            Figure("imports that failed", int(not self.is_imported), at_most=0),
            Figure("lock errors", len(locked), at_most=0, note=" | ".join(locked)[:200]),
            Figure(
                "lines in the server's log", len(self.complaints), at_most=0, note=" | ".join(self.complaints)[:200]
            ),
        ]


def measure(folder: Path, told: Told, sizes: Sizes) -> Outcome:
    """Load a server on a new store in `folder` for so many seconds."""
    clients = sizes.readers + sizes.writers
    store = prepared(folder / "store", _KEYS_EACH * clients + 1)
    most = max(sizes.memories, sizes.imported)
    known = pool(store, most, lambda done: told("Embedding statements", done, most))
    spaces = [f"space-{n}" for n in range(max(sizes.readers, sizes.writers, 1))]
    fill(store.data, store.owner, [(name, known[: sizes.memories]) for name in spaces])
    other = prepared(folder / "other", 1)
    fill(other.data, other.owner, [(_IMPORTED, known[: sizes.imported])])
    archive = folder / "imported.jsonl"
    write_spaces(other.data, other.owner, None, archive, lambda done, total: None)
    with serving(store.data) as served:
        with Client(served.base_url, store.keys[-1:]) as client:
            for name in spaces:
                client.good("PUT", "/v1/files", {"path": KEPT, "text": two_kilobytes(0)}, name)
        told("Loading the server", 0, 0)
        return _load(served, store, spaces, archive, sizes)


def _load(served: Served, store: Prepared, spaces: Sequence[str], archive: Path, sizes: Sizes) -> Outcome:
    tally = Tally()
    began = time.monotonic()
    until = began + sizes.seconds
    with ThreadPoolExecutor(sizes.readers + sizes.writers + 1, thread_name_prefix="bench") as threads:
        importing = threads.submit(run_import, store.data, archive)
        calling: list[Future[None]] = []
        for number in range(sizes.readers + sizes.writers):
            is_reader = number < sizes.readers
            # A writer has its space to itself among the writers: two would forget the same memory.
            space = spaces[number if is_reader else number - sizes.readers]
            keys = store.keys[number * _KEYS_EACH : (number + 1) * _KEYS_EACH]
            round_of = Caller.read if is_reader else Caller.write
            calling.append(threads.submit(keep_calling, served.base_url, keys, space, number, round_of, until, tally))
        for one in calling:
            one.result()
        seconds = time.monotonic() - began
        status, said, import_s = importing.result()
    logged = [line for line in served.log.read_text(errors="replace").splitlines() if line.strip()]
    return Outcome(tally, seconds, import_s, said, status == 0, logged)
