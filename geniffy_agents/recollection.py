"""What is remembered for a moment of a conversation, ready to go before a model: the core that integrations share.

A briefing where the server gives one; where briefings are not switched on, the memories that bear on what was just
said, and the briefing is tried again after ten minutes (contract 4).
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from geniffy_agents.errors import GeniffyError
from geniffy_agents.flows import Flow, run, run_async
from geniffy_agents.turns import keepable

if TYPE_CHECKING:
    from geniffy_agents.client import AsyncGeniffy, ClientCalls, Geniffy

Place: TypeAlias = tuple[str, str, str]

TRY_BRIEFING_AGAIN_S: Final = 600.0
"""How long the memories that bear stand in for a briefing that is not switched on."""
KEEP_S: Final = 30.0
"""How long the same question in the same space is answered from here: an agent asks once a model call. So is an error,
or a server that is away would hold up each of those calls."""
MAX_CUE_CHARS: Final = 4_000
"""What a server reads of a cue (contract Q22): a longer one is cut here rather than refused there."""
_KEPT_MOST: Final = 256
_NO_BRIEFING: Final = frozenset({404, 405})  # not switched on, or a server that has never heard of it


class Recollections:
    """Recalls for one integration. May be shared between threads and by a blocking and an asyncio client.

    `project` keeps to one project's sources and `budget_chars` (500 to 40,000) bounds what comes back. `clock` is in
    seconds from any start.
    """

    def __init__(
        self,
        *,
        project: str | None = None,
        budget_chars: int = 6000,
        keep_s: float = KEEP_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._project = project
        self._budget_chars = budget_chars
        self._keep_s = keep_s
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Place, str], tuple[float, str | GeniffyError]] = OrderedDict()
        self._no_briefing_until: dict[Place, float] = {}
        self._saves = 0

    def read(self, client: Geniffy, cue: str) -> str:
        """What is remembered for `cue`, the user's last words: a text for a model.

        Empty when nothing is remembered at all, or for a blank cue where the server gives no briefing; that nothing
        bears on the cue is told in a sentence. Raises GeniffyError.
        """
        return run(client, self.flow(client, cue))

    async def aread(self, client: AsyncGeniffy, cue: str) -> str:
        """The same for an asyncio client."""
        return await run_async(client, self.flow(client, cue))

    def forget(self, client: ClientCalls) -> None:
        """Answer the next question of this client's space afresh, because something was saved there."""
        place = _place(client)
        with self._lock:
            self._saves += 1
            for key in [key for key in self._kept if key[0] == place]:
                del self._kept[key]

    def flow(self, client: ClientCalls, cue: str) -> Flow[str]:
        """The same as a flow, for what makes other calls beside it."""
        cue = keepable(cue[:MAX_CUE_CHARS])
        key = (_place(client), cue)
        with self._lock:
            saves = self._saves
            at, found = self._kept.get(key, (0.0, ""))
            is_kept = key in self._kept and self._clock() - at < self._keep_s
        if not is_kept:
            try:
                found = yield from self._fresh(client, cue)
            except GeniffyError as failed:
                found = failed
            with self._lock:
                if saves == self._saves:  # else it may be older than what was saved meanwhile
                    self._kept[key] = (self._clock(), found)
                while len(self._kept) > _KEPT_MOST:
                    self._kept.popitem(last=False)
        if isinstance(found, GeniffyError):
            raise found.with_traceback(None)  # raised again, it would gather the frames of each time
        return found

    def _fresh(self, client: ClientCalls, cue: str) -> Flow[str]:
        place = _place(client)
        if self._clock() >= self._no_briefing_until.get(place, 0.0):
            try:
                return (
                    yield from type(client).briefing.flow(
                        client, project=self._project, cue=cue, budget_chars=self._budget_chars
                    )
                )
            except GeniffyError as refused:
                if refused.status not in _NO_BRIEFING:
                    raise
                self._no_briefing_until[place] = self._clock() + TRY_BRIEFING_AGAIN_S
        if not cue.strip():
            return ""
        labels = {"project": self._project} if self._project else None
        found = yield from type(client).context_full.flow(client, cue, labels=labels)
        return _within(found["context"], self._budget_chars)


def _place(client: ClientCalls) -> Place:
    """Whose memory a client reaches: keys of two accounts reach different ones under the same name of a space."""
    return client.base_url, client._settings.api_key, client.space_id


def _within(text: str, budget_chars: int) -> str:
    """The first whole lines of `text` that fit."""
    if len(text) <= budget_chars:
        return text
    return text[: text.rfind("\n", 0, budget_chars + 1)] if "\n" in text[: budget_chars + 1] else text[:budget_chars]
