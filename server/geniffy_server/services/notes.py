"""Adding notes: text that a person or an app tells the memory."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from geniffy_server.caller import Caller
from geniffy_server.domain.source import NewPassage, Passage, Source
from geniffy_server.learn.read import passages as passages_of
from geniffy_server.learn.secrets import Masked, mask
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import writable
from geniffy_server.services.adding import (
    as_words,
    fresh_source,
    held_under,
    lay_passages,
    settle,
    told,
    unless_refused,
)
from geniffy_server.services.owner_names import settle_owner_name


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note as it was sent: `text` is checked and not blank. None means left out."""

    text: str
    title: str | None = None
    said_at: datetime | None = None
    external_id: str | None = None
    labels: Mapping[str, str] | None = None


async def add_note(ports: Ports, caller: Caller, note: NewNote) -> Source:
    """Keep a note and ask for it to be learned; under an `external_id` already there, only what changed is learned.

    Secrets are masked before anything is stored, the title's too. Returns the source, normally `reading`.
    """
    read, passages = await asyncio.to_thread(_read, note.text)
    title = mask(note.title).text if note.title else None

    def work(tx: Transaction) -> Source:
        space, rev = writable(tx, caller)
        now = ports.clock.now()
        tx.spaces.added(space.id, now)
        held = held_under(tx, space, note.external_id)
        source = held or fresh_source(caller, "text", note.external_id, now)
        kept_title = unless_refused(tx, space, title)
        source = as_words(told(source, kept_title, read.text, note.labels), "text", read.withheld)
        # A note dated otherwise than before speaks of other days, so all of it is read again.
        afresh = held is not None and note.said_at is not None and note.said_at != held.said_at
        source = replace(source, said_at=note.said_at or now)
        if held is None:
            tx.sources.add(space.id, source, read.text)
        was = tx.sources.text(space.id, source.id) or "" if held is not None and held.form == "text" else ""
        change = lay_passages(tx, space, source.id, passages, rev, now, afresh=afresh)
        if held is not None:
            if not (change.added or change.removed):
                source = replace(source, said_at=held.said_at)
            tx.sources.replace_turns(space.id, source.id, [])
            text = _as_held(read.text, was, change.kept)
            tx.sources.set_text(space.id, source.id, text)
            source = told(source, kept_title, text, None)
            if change.removed:
                settle_owner_name(tx, space)
        return settle(tx, space, source, change, now)

    source = await ports.store.write(work)
    ports.bell.ring()
    return source


def _read(raw: str) -> tuple[Masked, list[NewPassage]]:
    masked = mask(raw)
    return masked, passages_of(masked.text)


def _as_held(text: str, was: str, kept: Sequence[tuple[Passage, NewPassage]]) -> str:
    """The text as it is kept: a passage that stays keeps its stored words, so what was forgotten stays cut out."""
    parts: list[str] = []
    done = 0
    for old, now in kept:
        parts += [text[done : now.start], was[old.start : old.end]]
        done = now.end
    return "".join([*parts, text[done:]])
