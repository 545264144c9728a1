"""`client.session(id)`: one conversation, saved as it goes into one source."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from geniffy_agents._flow import Async, AsyncPerform, Calls, Flow, Perform, Policy, Sync, run, run_async
from geniffy_agents._memories import added
from geniffy_agents._reading import object_in
from geniffy_agents.errors import GeniffyError
from geniffy_agents.turns import MAX_MESSAGES
from geniffy_agents.types import Labels, Message, Source


@dataclass(frozen=True, slots=True)
class Mark:
    """The last message that was sent: its digest, and how many messages there were up to it."""

    digest: bytes
    count: int


def digest_of(message: Message) -> bytes:
    """What makes a message the same as another: its JSON, in any order of keys."""
    return hashlib.sha256(json.dumps(message, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).digest()


def first_unsent(messages: Sequence[Message], mark: Mark | None) -> int:
    """The position of the first message to send.

    A conversation that only grew still holds the last sent message where it was, so one that is said again later
    ("Okay.") isn't taken for it. In a history that was rewritten it is looked for from the end; where it is gone,
    all is sent, as a turn kept twice is better than one that is lost.
    """
    if mark is None:
        return 0
    if mark.count <= len(messages) and digest_of(messages[mark.count - 1]) == mark.digest:
        return mark.count
    for position in range(len(messages), 0, -1):
        if digest_of(messages[position - 1]) == mark.digest:
            return position
    return 0


class SessionCalls(Calls):
    """A conversation that is saved as it goes."""

    id: str
    title: str | None
    labels: Labels | None
    _mark: Mark | None
    _in_doubt: Sequence[bytes] = ()

    def _open(self, session_id: Any, title: str | None, labels: Labels | None) -> None:
        if session_id is None or isinstance(session_id, bool):
            raise TypeError(f"session() takes your id of a conversation, not {session_id!r}.")
        if not str(session_id).strip():
            raise ValueError("session() got a blank id, under which conversations would run together.")
        self.id, self.title, self.labels = str(session_id), title, labels
        self._mark = None

    def _save(self, messages: Iterable[Message]) -> Flow[Source | None]:
        whole = list(messages)
        start = first_unsent(whole, self._mark)
        source = None
        while start < len(whole):
            part = self._next_part(whole[start : start + MAX_MESSAGES])
            body = added(None, None, part, self.title, None, None, self.labels, self.id)
            self._in_doubt = [digest_of(message) for message in part]
            try:
                reply = yield from self._send("POST", "/v1/memories", json=body)
            except GeniffyError as error:
                if error.status is not None and error.status < 500:
                    self._in_doubt = ()  # refused, so nothing of it is there
                raise
            self._in_doubt = ()
            source = Source.from_json(object_in(reply.body, "source", "an answer"))
            start += len(part)
            self._mark = Mark(digest_of(part[-1]), start)  # after each part: what follows may fail
        return source

    def _next_part(self, unsent: Sequence[Message]) -> Sequence[Message]:
        """What the next call carries of what is unsent.

        A part whose answer was lost goes again just as it was: by that the server knows one that it has (contract 3.3).
        One of less than 40 characters in all it takes for said again.
        """
        again = unsent[: len(self._in_doubt)]
        return again if again and [digest_of(message) for message in again] == self._in_doubt else unsent


class Session(SessionCalls, Sync):
    """A conversation of a Geniffy client; made by `client.session(id)`. Safe to use from several threads."""

    def __init__(
        self, perform: Perform, policy: Policy, session_id: Any, title: str | None, labels: Labels | None
    ) -> None:
        super().__init__(perform, policy)
        self._open(session_id, title, labels)
        self._lock = threading.Lock()

    def save(self, messages: Iterable[Message]) -> Source | None:
        """Hand over the whole conversation so far: what is new is sent, 500 messages a call.

        Returns the conversation's source, or None when nothing was new. After an error, the next save sends what
        this one could not. Of a history that was rewritten all is sent that follows the message sent last, or all of
        it where that is gone (contract 3.4).
        """
        with self._lock:
            return run(self._save(messages), self._perform)


class AsyncSession(SessionCalls, Async):
    """A conversation of an AsyncGeniffy client; made by `client.session(id)`. Saves at once wait for one another."""

    def __init__(
        self, perform: AsyncPerform, policy: Policy, session_id: Any, title: str | None, labels: Labels | None
    ) -> None:
        import asyncio  # a blocking client never needs it

        super().__init__(perform, policy)
        self._open(session_id, title, labels)
        self._lock = asyncio.Lock()

    async def save(self, messages: Iterable[Message]) -> Source | None:
        """Hand over the whole conversation so far: what is new is sent, 500 messages a call.

        Returns the conversation's source, or None when nothing was new. After an error, the next save sends what
        this one could not.
        """
        whole = list(messages)  # as it is now: it may grow while an earlier save is waited for
        async with self._lock:
            return await run_async(self._save(whole), self._perform)
