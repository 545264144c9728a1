"""What is asked of a memory: `client.ask`, `search`, `context`, `profile`, `brief`, `graph`."""

from __future__ import annotations

from typing import Any, cast

from geniffy_agents._flow import Calls, Flow, call
from geniffy_agents._reading import objects_in, text_in
from geniffy_agents._request import Reply
from geniffy_agents._wire import given, label_filter, label_params
from geniffy_agents.shapes import Brief, Context, Graph, Profile, SearchResults
from geniffy_agents.types import Answer, Kind, LabelFilter, Memory, memories_in


class RecallCalls(Calls):
    """What is asked of a memory."""

    @call
    def ask(self, question: str, *, labels: LabelFilter | None = None) -> Flow[Answer]:
        """Answer from the memory alone; `answer` is None when nothing stored supports one."""
        body = {"question": question, **given(labels=label_filter(labels))}
        reply = yield from self._send("POST", "/v1/ask", json=body)
        return Answer.from_json(reply.body)

    @call
    def search(
        self, q: str, *, limit: int = 10, kind: Kind | None = None, labels: LabelFilter | None = None
    ) -> Flow[list[Memory]]:
        """The memories nearest to `q`, best first: nothing is left out for being far, so it is empty only when
        nothing is stored or passes the filter."""
        return memories_in((yield from self._found(q, limit, kind, labels)).body)

    @call
    def search_full(
        self, q: str, *, limit: int = 10, kind: Kind | None = None, labels: LabelFilter | None = None
    ) -> Flow[SearchResults]:
        """The same search, with the lessons, episodes and open intentions that bear on `q`."""
        body = (yield from self._found(q, limit, kind, labels)).body
        return {
            "memories": memories_in(body),
            "lessons": objects_in(body, "lessons"),
            "episodes": objects_in(body, "episodes"),
            "intentions": objects_in(body, "intentions"),
        }

    @call
    def context(
        self,
        question: str,
        *,
        limit: int = 12,
        kind: Kind | None = None,
        with_sources: bool = True,
        labels: LabelFilter | None = None,
    ) -> Flow[str]:
        """The memories that bear on `question`, one a line, ready to put in a prompt.

        It is never empty: when nothing bears on the question it says so in a sentence, because a model reads an
        empty text as leave to guess. `with_sources` ends each line with where and when it was said.
        """
        return (yield from self._context(question, limit, kind, with_sources, labels))["context"]

    @call
    def context_full(
        self,
        question: str,
        *,
        limit: int = 12,
        kind: Kind | None = None,
        with_sources: bool = True,
        labels: LabelFilter | None = None,
    ) -> Flow[Context]:
        """The same text, with the memories in it and whether there are any (`empty`)."""
        return (yield from self._context(question, limit, kind, with_sources, labels))

    @call
    def profile(self, subject: str | None = None) -> Flow[Profile]:
        """What lastingly holds of a person, and what is going on with them; without a subject, the memory's owner."""
        reply = yield from self._send("GET", "/v1/profile", params=list(given(subject=subject).items()))
        return cast(Profile, reply.body)

    @call
    def brief(self, subject: str | None = None, *, limit: int = 60, labels: LabelFilter | None = None) -> Flow[Brief]:
        """What to read before meeting someone. Raises NotFoundError where the server has no briefs."""
        params = [("limit", limit), *label_params(labels), *given(subject=subject).items()]
        reply = yield from self._send("GET", "/v1/brief", params=params)
        return cast(Brief, reply.body)

    @call
    def graph(self) -> Flow[Graph]:
        """Who and what the memory speaks of, and how they are connected. Raises NotFoundError where it has none."""
        reply = yield from self._send("GET", "/v1/graph")
        return cast(Graph, reply.body)

    def _found(self, q: str, limit: int, kind: Kind | None, labels: LabelFilter | None) -> Flow[Reply]:
        body = {"q": q, "limit": limit, **given(kind=kind, labels=label_filter(labels))}
        return (yield from self._send("POST", "/v1/search", json=body))

    def _context(
        self, question: str, limit: int, kind: Kind | None, with_sources: bool, labels: LabelFilter | None
    ) -> Flow[Context]:
        body: dict[str, Any] = {"question": question, "limit": limit, "kind": kind, "with_sources": with_sources}
        reply = yield from self._send("POST", "/v1/context", json={**body, **given(labels=label_filter(labels))})
        text_in(reply.body, "context", "a context")
        return cast(Context, reply.body)
