"""What a session opens with: where things stand, what happened, what was learned and promised.

On a server or for a memory where these are not switched on, each raises NotFoundError (`not_switched_on`).
"""

from __future__ import annotations

from typing import Literal, SupportsIndex, TypeAlias, cast

from geniffy_agents._flow import Calls, Flow, call
from geniffy_agents._reading import object_in, objects_in, text_in
from geniffy_agents._wire import given, number
from geniffy_agents.shapes import Briefing, Episode, Intention, Lesson, State

IntentionStatus: TypeAlias = Literal["open", "done", "dropped"]


class BriefingCalls(Calls):
    """What a session opens with."""

    @call
    def briefing(self, *, project: str | None = None, cue: str = "", budget_chars: int = 6000) -> Flow[str]:
        """What this moment needs, ready to put in a prompt, in at most `budget_chars` characters (500 to 40,000).

        `cue` is what is at hand, such as the user's last message; `project` keeps to one project's sources. Empty
        when nothing is held: `turns.memory_block` then says so in words.
        """
        return (yield from self._briefing(project, cue, budget_chars))["briefing"]

    @call
    def briefing_full(self, *, project: str | None = None, cue: str = "", budget_chars: int = 6000) -> Flow[Briefing]:
        """The same text with its parts."""
        return (yield from self._briefing(project, cue, budget_chars))

    @call
    def now(self, project: str | None = None) -> Flow[list[State]]:
        """Where each project stands, or one of them."""
        reply = yield from self._send("GET", "/v1/now", params=list(given(project=project).items()))
        return objects_in(reply.body, "now")

    @call
    def episodes(self, project: str | None = None, *, limit: int = 20) -> Flow[list[Episode]]:
        """What happened, newest first."""
        params = [("limit", limit), *given(project=project).items()]
        reply = yield from self._send("GET", "/v1/episodes", params=params)
        return objects_in(reply.body, "episodes")

    @call
    def lessons(self, project: str | None = None, *, limit: int = 50) -> Flow[list[Lesson]]:
        """Rules, how-tos and lessons, strongest first."""
        params = [("limit", limit), *given(project=project).items()]
        reply = yield from self._send("GET", "/v1/lessons", params=params)
        return objects_in(reply.body, "lessons")

    @call
    def intentions(self, *, status: IntentionStatus = "open", limit: int = 50) -> Flow[list[Intention]]:
        """Promises and plans of one status."""
        params = [("status", status), ("limit", limit)]
        reply = yield from self._send("GET", "/v1/intentions", params=params)
        return objects_in(reply.body, "intentions")

    @call
    def set_intention(self, intention_id: SupportsIndex | str, status: IntentionStatus = "done") -> Flow[Intention]:
        """Mark a promise or a plan done, dropped, or open again. Raises NotFoundError."""
        reply = yield from self._send("POST", f"/v1/intentions/{number(intention_id)}", json={"status": status})
        return cast(Intention, object_in(reply.body, "intention", "an answer"))

    def _briefing(self, project: str | None, cue: str, budget_chars: int) -> Flow[Briefing]:
        body = {"cue": cue, "budget_chars": budget_chars, **given(project=project)}
        reply = yield from self._send("POST", "/v1/briefing", json=body)
        text_in(reply.body, "briefing", "a briefing")
        return cast(Briefing, reply.body)
