"""What our own client costs: in process beside over HTTP, the LangChain retriever beside a search, and its import.

The one place where the server's package meets the client: a benchmark uses it as an app would.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from geniffy_server.bench.comparing import in_turn
from geniffy_server.bench.figures import Figure
from geniffy_server.bench.people import two_kilobytes
from geniffy_server.bench.preparing import Prepared
from geniffy_server.bench.scoring import median
from geniffy_server.bench.searching import LIMIT, question

if TYPE_CHECKING:
    from geniffy_agents import Geniffy

_IMPORTS: Final = 5
_IMPORT: Final = (
    "import time; began = time.perf_counter(); import geniffy_agents; print((time.perf_counter() - began) * 1000)"
)
_APART: Final = 30_000  # questions that nothing else here asks, so that no vector is known yet


def import_time() -> Figure:
    """How long `import geniffy_agents` takes in a fresh process."""
    told = [subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, check=True) for _ in range(_IMPORTS)]
    times = [float(one.stdout) for one in told]
    return Figure("import geniffy_agents", median(times), "ms", at_most=150, note=f"p50 of {_IMPORTS} fresh processes")


def local_and_http(store: Prepared, base_url: str, key: str, space: str, calls: int) -> Iterator[Figure]:
    """`Geniffy.local()` beside the same calls of the same client over HTTP, to a server on the same directory."""
    from geniffy_agents import Geniffy

    with Geniffy(key, base_url=base_url) as there, Geniffy.local(store.data) as here:
        far, near = there.space(space), here.space(space)
        turns = iter(range(_APART, 2 * _APART))

        def search(memory: Geniffy) -> None:
            memory.search(question(next(turns)), limit=LIMIT)

        def put(memory: Geniffy) -> None:
            memory.files.put("/memories/bench.md", two_kilobytes(next(turns)))

        for name, call in (("search", search), ("me", lambda memory: memory.me()), ("PUT of a 2 KB file", put)):
            compared = in_turn(lambda _, call=call: call(near), lambda _, call=call: call(far), calls, warm_up=5)  # type: ignore[misc]
            yield compared.figure(f"local() {name} / by HTTP", "by HTTP", 1.0)


def retriever_and_search(base_url: str, key: str, space: str, calls: int) -> Iterator[Figure]:
    """LangChain's retriever beside a raw search by the client; nothing where LangChain is not installed."""
    if importlib.util.find_spec("langchain_core") is None:
        return
    from geniffy_agents import Geniffy
    from geniffy_langchain import GeniffyRetriever

    with Geniffy(key, base_url=base_url) as client:
        retriever = GeniffyRetriever(space=space, k=LIMIT, client=client)
        raw = client.space(space)
        turns = iter(range(2 * _APART, 70_000))
        compared = in_turn(
            lambda _: retriever.invoke(question(next(turns))),
            lambda _: raw.search(question(next(turns)), limit=LIMIT),
            calls,
            warm_up=5,
        )
        yield compared.figure("LangChain retriever / raw search", "raw search", 1.15)
