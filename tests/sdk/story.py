"""Every call of a client, one after the other, and what came of each, in a form that two clients can be compared by.

Ids, times and what a client is called differ from run to run; they are numbered in the order in which they come up, or
masked. Everything else has to be the same.
"""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tests.sdk.capture import outcome

SPACE = "ana"
WAIT_S = 60.0
CHAT = [
    {"role": "system", "content": "You are a travel agent."},
    {"role": "user", "content": "My sister Ana lives in Porto."},
    {"role": "assistant", "content": "Noted."},
]
LATER = [*CHAT, {"role": "user", "content": "I fly to Porto on 3 May."}, {"role": "assistant", "content": "Fine."}]
LUMEN = "# Lumen\n- Priya Nair signs the renewal.\n"
LABELS = {"channel": ["email", "chat"]}
PAST = date(2025, 3, 4)

# Set by the server or by who calls, and of no weight here.
_MASKED = frozenset({"key", "starts_with", "added_by", "stored_in", "note"})
_HEX = re.compile(r"\b[0-9a-f]{32}\b")
_NUMBERED = re.compile(r"\b(memory|working key) \d+")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:\+\d\d:\d\d|Z)")
_FIXED = frozenset({"2025-03-04T00:00:00+00:00", "2025-03-04T09:30:00+00:00"})


class Story:
    """One run: `own` reaches the owner's memory, `mem` one user's, and `seen` holds each step's result by its name."""

    def __init__(self, client: Any) -> None:
        self.own = client
        self.mem = client.space(SPACE)
        self.session = self.mem.session("chat-1", title="Porto", labels={"channel": "chat"})
        self.seen: dict[str, Any] = {}
        self._names: dict[tuple[str, Any], str] = {}
        self._today = datetime.now(UTC).date()

    def __getitem__(self, name: str) -> Any:
        return self.seen[name]

    def memory(self, word: str) -> int:
        """The id of the one memory that holds `word`, among those that the step `memories` listed."""
        (found,) = [each.id for each in self["memories"].memories if word in each.text]
        return int(found)

    def plain(self, value: Any, key: str = "") -> Any:
        """What `value` says, without what differs from run to run."""
        if dataclasses.is_dataclass(value):
            told = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.name != "raw"}
            told.pop("etag", None)  # ours alone has it, and the next
            told.pop("score", None)
            if type(value).__name__ in ("Source", "Answer"):
                told["as text"] = str(getattr(value, "done", value))
            if isinstance(told.get("id"), int):
                told["id"] = self._named("key" if type(value).__name__ == "Key" else "memory", told["id"])
            return {"type": type(value).__name__} | {name: self.plain(each, name) for name, each in told.items()}
        if isinstance(value, Mapping):
            return {name: self.plain(each, name) for name, each in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [self.plain(each, key) for each in value]
        if key in _MASKED and value is not None:
            return f"<{key}>"
        if key in ("id", "memory_ids") and isinstance(value, int):
            return self._named("memory", value)
        return self.words(value) if isinstance(value, str) else value

    def words(self, text: str) -> str:
        """`text` with ids by number, and times that the server chose masked."""
        text = _NUMBERED.sub(r"\1 <n>", text)
        text = _HEX.sub(lambda found: self._named("source", found[0]), text)
        text = _INSTANT.sub(lambda found: found[0] if found[0] in _FIXED else "<instant>", text)
        for day in (self._today, self._today + timedelta(days=1)):
            text = text.replace(day.isoformat(), "<today>")
        return text

    def refused(self, error: Exception) -> dict[str, Any]:
        """What an error says. Of one that the client makes by itself, only the kind: the words are its own."""
        request_id = getattr(error, "request_id", None)
        if request_id is None:
            kind = ValueError if isinstance(error, ValueError) else type(error)
            return {"raised": kind.__name__, "code": getattr(error, "code", None)}
        assert str(error).endswith(f" (request {request_id})")
        told = {name: getattr(error, name) for name in ("status", "code", "message", "body")}
        return {"raised": type(error).__name__} | {name: self.plain(each, name) for name, each in told.items()}

    def _named(self, what: str, value: Any) -> str:
        alike = sum(kind == what for kind, _ in self._names)
        return self._names.setdefault((what, value), f"<{what} {alike}>")


Step = Callable[[Story], Any]


def _learned(name: str) -> Step:
    return lambda s: s.mem.sources.wait(s[name].id, timeout=WAIT_S)


STEPS: list[tuple[str, Step]] = [
    ("me", lambda s: s.own.me()),
    ("me in a space", lambda s: s.mem.me()),
    ("an empty space: ask", lambda s: s.mem.ask("Who signs the renewal?")),
    ("an empty space: context", lambda s: s.mem.context("Who signs the renewal?")),
    ("an empty space: list", lambda s: s.mem.memories.list()),
    ("an empty space: profile", lambda s: s.mem.profile()),
    # Adding.
    (
        "note",
        lambda s: s.mem.memories.add(
            "Priya Nair signs the Lumen renewal.",
            title="Lumen",
            said_at=PAST,
            external_id="crm/1",
            labels={"channel": "email"},
        ),
    ),
    ("note learned", _learned("note")),
    ("own note", lambda s: s.own.memories.add("Omkar prefers WhatsApp to email.", said_at=PAST)),
    ("own note learned", lambda s: s.own.sources.wait(s["own note"].id, timeout=WAIT_S)),
    ("note again", lambda s: s.mem.memories.add("Priya Nair signs the Lumen renewal.", external_id="crm/1")),
    ("note again learned", _learned("note again")),
    (
        "conversation",
        lambda s: s.mem.memories.add(
            messages=[{"role": "user", "content": "I am allergic to peanuts."}], said_at="2025-03-04T09:30:00Z"
        ),
    ),
    ("conversation learned", _learned("conversation")),
    ("save", lambda s: s.session.save(CHAT)),
    ("save learned", _learned("save")),
    ("save nothing new", lambda s: s.session.save(CHAT)),
    ("save more", lambda s: s.session.save(LATER)),
    ("save more learned", _learned("save more")),
    (
        "batch",
        lambda s: s.mem.memories.add_many(
            [
                {
                    "text": "Kim leads support.",
                    "title": "Team",
                    "labels": {"channel": "email"},
                    "said_at": "2025-03-04",
                },
                {"text": "Bad", "space": "a:b"},
                {"text": "Elsewhere Leo plays chess.", "space": "leo"},
                {"text": ""},
            ]
        ),
    ),
    ("batch learned", lambda s: s.mem.sources.wait(s["batch"]["results"][0]["source"]["id"], timeout=WAIT_S)),
    (
        "batch learned elsewhere",
        lambda s: s.own.space("leo").sources.wait(s["batch"]["results"][2]["source"]["id"], timeout=WAIT_S),
    ),
    # What is known.
    ("memories", lambda s: s.mem.memories.list()),
    ("memories of a kind", lambda s: s.mem.memories.list(kind="pref", limit=1, cursor=0)),
    ("memories of a label", lambda s: s.mem.memories.list(labels=LABELS)),
    ("memories, all", lambda s: s.mem.memories.iter(page_size=2)),
    ("memory", lambda s: s.mem.memories.get(s.memory("renewal"))),
    ("search", lambda s: s.mem.search("Who signs the renewal?", limit=3)),
    ("search of a label", lambda s: s.mem.search_full("renewal", labels={"channel": "email"}, kind="all")),
    ("ask", lambda s: s.mem.ask("Who signs the Lumen renewal?")),
    ("ask what is unknown", lambda s: s.mem.ask("What is the moon made of?", labels=LABELS)),
    ("context", lambda s: s.mem.context("Who signs the Lumen renewal?")),
    ("context, full", lambda s: s.mem.context_full("Who signs the Lumen renewal?", with_sources=False, limit=2)),
    ("profile", lambda s: s.mem.profile()),
    ("profile of another", lambda s: s.mem.profile("Priya Nair")),
    ("brief", lambda s: s.mem.brief("Priya Nair", limit=5)),
    ("graph", lambda s: s.mem.graph()),
    ("briefing", lambda s: s.mem.briefing(cue="Hello", project="lumen", budget_chars=500)),
    ("briefing, full", lambda s: s.mem.briefing_full()),
    ("now", lambda s: s.mem.now()),
    ("episodes", lambda s: s.mem.episodes("lumen", limit=2)),
    ("lessons", lambda s: s.mem.lessons()),
    ("intentions", lambda s: s.mem.intentions(status="done")),
    ("set intention", lambda s: s.mem.set_intention(1, "dropped")),
    ("memory health", lambda s: s.mem.memory_health()),
    # Correct and forget.
    ("correct", lambda s: s.mem.memories.correct(s.memory("Kim"), "Kim leads sales.")),
    ("correct learned", lambda s: s.mem.sources.wait(s["correct"]["source"]["id"], timeout=WAIT_S)),
    ("correct again", lambda s: s.mem.memories.correct(s.memory("Kim"), "Kim leads sales.")),
    ("forget", lambda s: s.mem.memories.delete(s.memory("peanuts"))),
    ("forget again", lambda s: s.mem.memories.delete(s.memory("peanuts"))),
    ("forgotten", lambda s: s.mem.memories.get(s.memory("peanuts"))),
    # Sources.
    ("sources", lambda s: s.mem.sources.list(limit=2)),
    ("sources of a label", lambda s: s.mem.sources.list(labels={"channel": "chat"})),
    ("source", lambda s: s.mem.sources.get(s["note"].id)),
    ("source by its external id", lambda s: s.mem.sources.get(external_id="crm/1")),
    ("source unknown", lambda s: s.mem.sources.get("0" * 32)),
    ("source of an unknown external id", lambda s: s.mem.sources.get(external_id="crm/2")),
    ("source to delete", lambda s: s.mem.memories.add("Rob likes tea.", external_id="crm/3", said_at=PAST)),
    ("source to delete learned", _learned("source to delete")),
    ("delete a source", lambda s: s.mem.sources.delete(external_id="crm/3")),
    ("delete a source again", lambda s: s.mem.sources.delete(s["source to delete"].id)),
    ("delete labelled but", lambda s: s.mem.sources.delete_labelled({"channel": "email"}, keep={"crm/1"})),
    ("delete labelled", lambda s: s.mem.sources.delete_labelled({"channel": ["email", "fax"]})),
    # Files.
    ("put", lambda s: s.mem.files.put("/memories/notes.md", LUMEN, labels={"channel": "claude-memory"})),
    ("put learned", lambda s: s.mem.sources.wait(s["put"].source.id, timeout=WAIT_S)),
    ("put again", lambda s: s.mem.files.put("/memories/notes.md", LUMEN + "\r\n\ufeff😀\t")),
    ("put empty", lambda s: s.mem.files.put("/memories/a/b/empty.md", "")),
    ("file", lambda s: s.mem.files.get("/memories/notes.md")),
    ("file unknown", lambda s: s.mem.files.get("/memories/no.md")),
    ("file with a bad path", lambda s: s.mem.files.put("/memories/../x", "x")),
    ("file with a NUL", lambda s: s.mem.files.put("/memories/x", "a\0b")),
    ("file with half a pair", lambda s: s.mem.files.put("/memories/x", "a\ud800b")),
    ("files", lambda s: s.mem.files.list("/memories/", limit=1)),
    ("move", lambda s: s.mem.files.move("/memories/a", "/memories/c")),
    ("move onto a file", lambda s: s.mem.files.move("/memories/notes.md", "/memories/c/b/empty.md")),
    ("move nothing", lambda s: s.mem.files.move("/memories/a", "/memories/d")),
    ("delete a file", lambda s: s.mem.files.delete("/memories/notes.md")),
    ("delete a file again", lambda s: s.mem.files.delete("/memories/notes.md")),
    ("delete a prefix", lambda s: s.mem.files.delete_prefix("/memories/")),
    ("delete an empty prefix", lambda s: s.mem.files.delete_prefix("/memories/")),
    # What is refused.
    ("add nothing", lambda s: s.mem.memories.add()),
    ("add two things", lambda s: s.mem.memories.add("a", url="http://x")),
    ("add blank text", lambda s: s.mem.memories.add("  ")),
    ("add a bad label", lambda s: s.mem.memories.add("x", labels={"a:b": "c"})),
    ("add a bad date", lambda s: s.mem.memories.add("x", said_at="soon")),
    ("add under a file's id", lambda s: s.mem.memories.add("x", external_id="file:/a.md")),
    ("add a page", lambda s: s.mem.memories.add(url="http://127.0.0.1:1/")),
    ("add a file", lambda s: s.mem.memories.add_file(b"Rob likes tea.", filename="tea.txt", title="Tea")),
    ("add an open file", lambda s: s.mem.memories.add_file(io.BytesIO(b"%PDF-"), filename="a.pdf", labels={"a": "b"})),
    ("search for nothing", lambda s: s.mem.search(" ")),
    ("a kind that is none", lambda s: s.mem.memories.list(kind="colour")),
    ("a memory unknown", lambda s: s.mem.memories.get(999_999)),
    ("a space with a bad name", lambda s: s.own.space("a b").me()),
    ("a space of nobody", lambda s: s.own.space(" ")),
    # The account.
    ("section", lambda s: s.mem.sections.create("Billing", keywords=["renewal"], description="Money")),
    ("sections", lambda s: s.mem.sections.list()),
    ("delete a section", lambda s: s.mem.sections.delete(1)),
    ("key", lambda s: s.mem.keys.create(name="phone", rpm=60, expires_at="2099-01-31")),
    ("keys", lambda s: s.mem.keys.list()),
    ("keys of nobody", lambda s: s.own.keys.create()),
    ("revoke", lambda s: s.mem.keys.revoke(s["key"].id)),
    ("revoke again", lambda s: s.mem.keys.revoke(s["key"].id)),
    ("usage", lambda s: s.own.usage()),
    ("export", lambda s: s.mem.export()),
    ("spaces", lambda s: s.own.spaces()),
    ("forget a space", lambda s: s.own.forget_space("leo")),
    ("forget a space again", lambda s: s.own.forget_space("leo")),
    ("spaces left", lambda s: s.own.spaces()),
    ("own memory", lambda s: s.own.memories.list()),
]


async def told(client: Any) -> dict[str, Any]:
    """Make every call on `client`, which is bound to no space, and return by step what came of it."""
    story = Story(client)
    came: dict[str, Any] = {}
    for name, step in STEPS:
        try:
            story.seen[name] = await outcome(step(story))
        except Exception as error:
            came[name] = story.refused(error)
        else:
            came[name] = story.plain(story.seen[name])
    return came
