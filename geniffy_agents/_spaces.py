"""`client.spaces` and `client.forget_space`: which of an app's users have a memory, and erasing one."""

from __future__ import annotations

from typing import cast

from geniffy_agents._flow import Calls, Flow, call
from geniffy_agents._reading import objects_in
from geniffy_agents._wire import segment
from geniffy_agents.shapes import Erasure, SpaceSummary
from geniffy_agents.space_names import space_name


class SpacesCalls(Calls):
    """An app's users."""

    @call
    def spaces(self) -> Flow[list[SpaceSummary]]:
        """The spaces that hold something, the one written last first."""
        reply = yield from self._send("GET", "/v1/spaces")
        return objects_in(reply.body, "spaces")

    @call
    def forget_space(self, space: str | int) -> Flow[Erasure]:
        """Erase all that one user's memory holds, and stop the keys made for it. It can't be undone.

        A space that holds nothing is erased too. Raises TypeError and ValueError as `space()` does.
        """
        reply = yield from self._send("DELETE", f"/v1/spaces/{segment(space_name(space, 'forget_space()'))}")
        return cast(Erasure, reply.body)
