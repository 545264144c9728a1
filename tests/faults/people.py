"""Clients that write to a server which is killed under them, each of which knows what the memory may hold of its own.

A call that was answered is certain. One that was not answered was carried out whole, or not at all: both are kept
as possible until a later call makes certain.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import httpx

SPACE: Final = "shared"
CITIES: Final = ("Porto", "Leeds", "Kyoto", "Lima", "Oslo", "Quito", "Tunis", "Turin")
_SYLLABLES: Final = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo")

Facts = frozenset[str]


class NotAnswered(Exception):
    """The server was killed before it answered."""


@dataclass
class Held:
    """What one thing that a client owns may be now; a state is whatever the client compares, None for not there."""

    possible: list[Any] = field(default_factory=lambda: [None])

    def certain(self, state: Any) -> None:
        self.possible = [state]

    def uncertain(self, state: Any) -> None:
        if state not in self.possible:
            self.possible.append(state)


@dataclass
class Talk:
    """The turns of a session in order, each with whether it was acknowledged."""

    turns: list[tuple[str, bool]] = field(default_factory=list)


@dataclass(frozen=True)
class Told:
    """A statement that was told in a note of its own, and the memory that it became once that was seen."""

    statement: str
    source: str | None = None
    memory: int | None = None

    @property
    def name(self) -> str:
        """Whom it is about."""
        return " ".join(self.statement.split()[:2])

    @property
    def add(self) -> dict[str, Any]:
        """What was sent."""
        return {"text": self.statement, "external_id": f"told/{self.name}"}


@dataclass
class Known:
    """Everything that the clients know."""

    notes: dict[str, Held] = field(default_factory=dict)
    files: dict[str, Held] = field(default_factory=dict)
    talks: dict[str, Talk] = field(default_factory=dict)
    corrected: dict[str, Held] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    acknowledged: int = 0
    lost: int = 0


def names() -> Iterator[str]:
    """People of whom each is told in one place alone."""
    number = 0
    while True:
        parts, left = [], number * 11 + 3
        for _ in range(4):
            left, at = divmod(left, len(_SYLLABLES))
            parts.append(_SYLLABLES[at])
        yield f"Tamsin {''.join(parts).capitalize()}"
        number += 1


class People:
    """The clients of one server, each with a key of its own."""

    def __init__(self, base_url: str, keys: list[str], chance: random.Random) -> None:
        self.known = Known()
        self._base_url = base_url
        self._keys = keys
        self._chance = chance
        self._names = names()
        self._to_correct: list[Told] = []
        self._to_forget: list[Told] = []
        self._wanted = 0
        self._answered = asyncio.Event()

    async def answered(self, calls: int) -> None:
        """Return when so many more calls were answered."""
        self._wanted = self.known.acknowledged + calls
        self._answered.clear()
        await self._answered.wait()

    async def work(self) -> None:
        """Write until the server is killed."""
        tasks = [self._notes, self._files, self._talks, self._corrections, self._forgets]
        await asyncio.gather(*(self._until_killed(task, key) for task, key in zip(tasks, self._keys, strict=True)))

    async def _until_killed(self, task: Callable[[httpx.AsyncClient], Awaitable[None]], key: str) -> None:
        headers = {"Authorization": f"Bearer {key}", "X-Geniffy-Space": SPACE}
        async with httpx.AsyncClient(base_url=self._base_url, headers=headers, timeout=60.0) as http:
            try:
                while True:
                    await task(http)
            except NotAnswered:
                self.known.lost += 1

    async def _call(self, http: httpx.AsyncClient, method: str, path: str, **more: Any) -> httpx.Response:
        try:
            answer = await http.request(method, path, **more)
        except httpx.TransportError as gone:
            raise NotAnswered from gone
        assert answer.status_code < 300 or answer.status_code == 404, (method, path, answer.text)
        self.known.acknowledged += 1
        if self.known.acknowledged >= self._wanted:
            self._answered.set()
        return answer

    async def _write(self, held: Held, state: Any, call: Awaitable[httpx.Response]) -> httpx.Response:
        """Make a call that leaves `state`."""
        held.uncertain(state)
        answer = await call
        held.certain(state)
        return answer

    def _statement(self, name: str | None = None) -> str:
        return f"{name or next(self._names)} lives in {self._chance.choice(CITIES)}."

    def _one_of(self, held: dict[str, Held], form: str, most: int) -> tuple[str, Held]:
        name = form.format(self._chance.randrange(most))
        return name, held.setdefault(name, Held())

    async def _notes(self, http: httpx.AsyncClient) -> None:
        """A note sent, sent again with other words, or deleted."""
        name, held = self._one_of(self.known.notes, "note/{}", 12)
        if held.possible != [None] and self._chance.random() < 0.25:
            await self._write(held, None, self._call(http, "DELETE", "/v1/sources", params={"external_id": name}))
            return
        before = held.possible[-1]
        facts = {self._statement(), self._statement()} | set(sorted(before or ())[:1])
        add = {"text": "\n\n".join(sorted(facts)), "external_id": name}
        await self._write(held, frozenset(facts), self._call(http, "POST", "/v1/memories", json=add))

    async def _files(self, http: httpx.AsyncClient) -> None:
        """A file written, written over, moved away and back, or deleted."""
        path, held = self._one_of(self.known.files, "/notes/{}.md", 8)
        chance = self._chance.random()
        if held.possible != [None] and chance < 0.2:
            await self._write(held, None, self._call(http, "DELETE", "/v1/files", params={"path": path}))
            return
        if held.possible[-1] is not None and len(held.possible) == 1 and chance < 0.4:
            text, to = held.possible[0], path + ".moved"
            moved = self.known.files.setdefault(to, Held())
            if moved.possible == [None]:
                moved.uncertain(text)
                held.uncertain(None)
                await self._call(http, "POST", "/v1/files/move", json={"from": path, "to": to})
                moved.certain(text)
                held.certain(None)
                return
        text = f"# A file\r\n\r\n{self._statement()}\n\n- {self._statement()}\n" + "\t \r\n" * self._chance.randrange(
            20
        )
        await self._write(held, text, self._call(http, "PUT", "/v1/files", json={"path": path, "text": text}))

    async def _talks(self, http: httpx.AsyncClient) -> None:
        """A turn of a session that goes on."""
        name = f"run/{self._chance.randrange(4)}"
        talk = self.known.talks.setdefault(name, Talk())
        said = self._statement()
        talk.turns.append((said, False))
        messages = [{"role": "user", "content": said}, {"role": "assistant", "content": f"Noted, turn {said[7:14]}."}]
        await self._call(http, "POST", "/v1/memories", json={"messages": messages, "session": name})
        talk.turns[-1] = (said, True)

    async def _corrections(self, http: httpx.AsyncClient) -> None:
        """A memory put right."""
        told = await self._learned(http, self._to_correct, lambda: f"{next(self._names)} lives in Wrong Town.")
        if told is None:
            return
        right = f"{told.name} lives in Right Town."
        held = self.known.corrected.setdefault(told.name, Held([frozenset({told.statement})]))
        call = self._call(http, "PATCH", f"/v1/memories/{told.memory}", json={"text": right})
        await self._write(held, frozenset({right}), call)  # not found when it was carried out before a kill
        self._to_correct.remove(told)

    async def _forgets(self, http: httpx.AsyncClient) -> None:
        """A memory forgotten, and its note sent again."""
        told = await self._learned(http, self._to_forget, self._statement)
        if told is None:
            return
        await self._call(http, "DELETE", f"/v1/memories/{told.memory}")
        self.known.forgotten.add(told.statement)
        self._to_forget.remove(told)
        if self._chance.random() < 0.5:
            await self._call(http, "POST", "/v1/memories", json=told.add)

    async def _learned(self, http: httpx.AsyncClient, told: list[Told], statement: Callable[[], str]) -> Told | None:
        """Tell one thing, and find one that was told before and has been learned, be it before the last kill."""
        if len(told) < 4:
            new = Told(statement())
            added = await self._call(http, "POST", "/v1/memories", json=new.add)
            told.append(replace(new, source=added.json()["source"]["id"]))
        one = told[0]
        if one.memory is None:
            source = await self._call(http, "GET", f"/v1/sources/{one.source}", params={"wait": "1"})
            if source.json()["source"]["status"] == "reading":
                return None
            found = await self._call(http, "POST", "/v1/search", json={"q": one.statement, "limit": 3})
            named = [memory["id"] for memory in found.json()["memories"] if memory["text"] == one.statement]
            told[0] = replace(one, memory=named[0])
        return told[0]
