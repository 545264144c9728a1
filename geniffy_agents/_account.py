"""The account and what it lends out: `client.me`, `usage`, `export`, `memory_health`, `keys`, `sections`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import SupportsIndex, cast

from geniffy_agents._flow import Async, Calls, Flow, Sync, call
from geniffy_agents._reading import objects_in
from geniffy_agents._wire import When, given, instant, number
from geniffy_agents.shapes import Export, Me, MemoryHealth, Section, Usage
from geniffy_agents.types import Key


class AccountCalls(Calls):
    """The account."""

    @call
    def me(self) -> Flow[Me]:
        """Whose key this is, and which space this client works in."""
        reply = yield from self._send("GET", "/v1/me")
        return cast(Me, reply.body)

    @call
    def usage(self) -> Flow[Usage]:
        """What the whole account used this month."""
        reply = yield from self._send("GET", "/v1/usage")
        return cast(Usage, reply.body)

    @call
    def export(self) -> Flow[Export]:
        """Everything this memory holds, to hand to the person it is about. `files.get` reads each file's text."""
        reply = yield from self._send("GET", "/v1/export")
        return cast(Export, reply.body)

    @call
    def memory_health(self) -> Flow[MemoryHealth]:
        """How well this memory answers questions about itself; `health` is None before it was ever tested."""
        reply = yield from self._send("GET", "/v1/memory-health")
        return cast(MemoryHealth, reply.body)


class KeysCalls(Calls):
    """Keys that reach one user's memory and nothing else, for that user's own app: `client.space(id).keys`."""

    @call
    def create(self, *, name: str | None = None, rpm: int | None = None, expires_at: When | None = None) -> Flow[Key]:
        """Make a key for this client's space; `key` is shown this once.

        `rpm` is calls a minute, up to 600, which is the default. A date in `expires_at` includes that day.
        """
        body = given(name=name, rpm=rpm, expires_at=None if expires_at is None else instant(expires_at))
        reply = yield from self._send("POST", "/v1/keys", json=body)
        return Key.from_json(reply.body)

    @call
    def list(self) -> Flow[list[Key]]:
        """The keys of this client's space that still work."""
        reply = yield from self._send("GET", "/v1/keys")
        return [Key.from_json(each) for each in objects_in(reply.body, "keys")]

    @call
    def revoke(self, key_id: SupportsIndex | str) -> Flow[None]:
        """Stop a key at once. Raises NotFoundError."""
        yield from self._send("DELETE", f"/v1/keys/{number(key_id)}")


class SectionsCalls(Calls):
    """The sections that profiles are grouped into: for every user on a plain client, for one on `space(id)`."""

    @call
    def list(self) -> Flow[list[Section]]:
        """The app's own sections first, then those that are built in."""
        reply = yield from self._send("GET", "/v1/profile/sections")
        return objects_in(reply.body, "sections")

    @call
    def create(
        self,
        name: str,
        *,
        keywords: Iterable[str] | None = None,
        topics: Iterable[str] | None = None,
        description: str = "",
    ) -> Flow[Section]:
        """Make a section, or change the one of that name. A memory is in it when it holds one of the keywords or
        its topic is one of the topics."""
        body = {
            "name": name,
            "description": description,
            "keywords": list(keywords or []),
            "topics": list(topics or []),
        }
        reply = yield from self._send("POST", "/v1/profile/sections", json=body)
        return cast(Section, reply.body)

    @call
    def delete(self, section_id: SupportsIndex | str) -> Flow[None]:
        """Delete a section of your own. Raises NotFoundError."""
        yield from self._send("DELETE", f"/v1/profile/sections/{number(section_id)}")


class Keys(KeysCalls, Sync):
    """`Geniffy.keys`."""


class AsyncKeys(KeysCalls, Async):
    """`AsyncGeniffy.keys`."""


class Sections(SectionsCalls, Sync):
    """`Geniffy.sections`."""


class AsyncSections(SectionsCalls, Async):
    """`AsyncGeniffy.sections`."""
