"""Write what makes several calls once, for a blocking and an asyncio client: how integrations are built.

A flow is a generator. It makes each call of the SDK with `yield from` its `.flow`, and a runner drives it:

    def copied(files: FilesCalls, path: str, to: str) -> Flow[str]:
        file = yield from FilesCalls.get.flow(files, path)
        yield from FilesCalls.put.flow(files, to, file.text)
        return file.text

    run(client, copied(client.files, "/a.md", "/b.md"))              # a Geniffy
    await run_async(client, copied(client.files, "/a.md", "/b.md"))  # an AsyncGeniffy

A flow never waits itself: it yields a `Sleep`. It catches the SDK's errors with `try` as any code does. What comes
piece by piece, such as `iterate`, becomes one call with `gathered`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from geniffy_agents import _flow
from geniffy_agents._files import FilesCalls
from geniffy_agents._flow import Flow, gathered
from geniffy_agents._memories import MemoriesCalls
from geniffy_agents._recall import RecallCalls
from geniffy_agents._request import Sleep
from geniffy_agents._sources import SourcesCalls

if TYPE_CHECKING:
    from geniffy_agents.client import AsyncGeniffy, Geniffy

T = TypeVar("T")


def run(client: Geniffy, flow: Flow[T]) -> T:
    """Run `flow` to its end over a blocking client, and return its result. Raises what the flow raises."""
    return _flow.run(flow, client._perform)


async def run_async(client: AsyncGeniffy, flow: Flow[T]) -> T:
    """The same for an asyncio client."""
    return await _flow.run_async(flow, client._perform)


__all__ = [
    "FilesCalls",
    "Flow",
    "MemoriesCalls",
    "RecallCalls",
    "Sleep",
    "SourcesCalls",
    "gathered",
    "run",
    "run_async",
]
