"""Putting what was said into the store as passages to be learned, inside one write transaction.

A source keeps its passages by digest. Sent again, those whose digest stays are kept with what they taught, those
that are gone are taken back, and only new ones wait to be learned.
"""

from __future__ import annotations

import hmac
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b

from geniffy_server.caller import Caller
from geniffy_server.domain.labels import Labels
from geniffy_server.domain.source import Form, NewPassage, Passage, PassageId, Source, SourceId, Turn, new_source_id
from geniffy_server.domain.space import Space
from geniffy_server.domain.text import one_line
from geniffy_server.learn.secrets import mask
from geniffy_server.ports import Transaction
from geniffy_server.services.removing import is_refused, take_back
from geniffy_server.services.unasking import unask_moved


@dataclass(frozen=True, slots=True)
class Change:
    """What laying new passages over the old ones did. `kept` pairs an old passage with where it stands now."""

    added: int
    removed: int
    kept: Sequence[tuple[Passage, NewPassage]]


def lay_passages(
    tx: Transaction,
    space: Space,
    source_id: SourceId,
    passages: Sequence[NewPassage],
    rev: int,
    now: datetime,
    *,
    afresh: bool = False,
) -> Change:
    """Give a source these passages, keeping those it has by digest; with `afresh` all are learned again."""
    held = tx.sources.passages(space.id, source_id)
    held_by_digest: dict[bytes, list[Passage]] = defaultdict(list)
    if not afresh:
        for old in reversed(held):
            held_by_digest[old.digest].append(old)
    new: list[tuple[int, NewPassage]] = []
    kept: list[tuple[Passage, NewPassage]] = []
    moved: list[tuple[PassageId, int, int, int, int | None]] = []
    for position, unkeyed in enumerate(passages):
        passage = keyed(space, unkeyed)
        same = held_by_digest.get(passage.digest)
        if not same:
            new.append((position, passage))
            continue
        old = same.pop()
        kept.append((old, passage))
        if (old.position, old.start, old.end, old.turn) != (position, passage.start, passage.end, passage.turn):
            moved.append((old.id, position, passage.start, passage.end, passage.turn))
    stays = {old.id for old, _ in kept}
    gone = [old.id for old in held if old.id not in stays]
    take_back(tx, space, gone, rev, now)
    unask_moved(tx, space.id, held, kept)
    if moved:
        tx.sources.place_passages(space.id, moved)
    if new:
        tx.sources.add_passages(space.id, source_id, new)
    return Change(added=len(new), removed=len(gone), kept=kept)


def keyed(space: Space, passage: NewPassage) -> NewPassage:
    """The passage with its digest under the space's key, so that a digest tells nothing about forgotten words."""
    digest = hmac.digest(space.secret, passage.digest, "sha256")[:16]
    # Not `replace`, which takes three times as long, for every paragraph of a long file.
    return NewPassage(digest, passage.start, passage.end, passage.kind, passage.heading, passage.turn)


def settle(
    tx: Transaction, space: Space, source: Source, change: Change, now: datetime, *, is_new: bool = False
) -> Source:
    """Write the source's row after its passages were laid: `reading` while any waits to be learned, else `learned`.

    `is_new`: it has no row yet. What refers to one is checked when the transaction ends.
    """
    is_changed = bool(change.added or change.removed)
    if is_changed:
        source = replace(source, revision=source.revision + 1)
    if change.added or tx.sources.unlearned(space.id, source.id, 1):
        if is_changed or source.status != "reading":
            tx.jobs.add(space.id, source.id, source.revision, now)
        source = replace(source, status="reading", error=None)
    else:
        source = replace(source, status="learned", error=None, facts=tx.memories.taught(space.id, source.id))
    if is_new:
        tx.sources.add(space.id, source, None)
    else:
        tx.sources.update(space.id, source)
    return source


def held_under(tx: Transaction, space: Space, external_id: str | None) -> Source | None:
    """The source that a caller's own id names; None when the id is left out or new."""
    return tx.sources.by_external_id(space.id, external_id) if external_id is not None else None


def fresh_source(caller: Caller, form: Form, external_id: str | None, now: datetime) -> Source:
    """A source on its way in, with no title yet."""
    return Source(
        id=new_source_id(),
        kind="note",
        form=form,
        title="",
        title_given=False,
        status="reading",
        error=None,
        facts=None,
        external_id=external_id,
        labels={},
        said_at=None,
        added_at=now,
        added_by=caller.app,
        revision=0,
    )


def told(source: Source, title: str | None, beginning: str, labels: Labels | None) -> Source:
    """The source with its title and labels as sent: left out, it keeps those it has (contract 1.10, 2.1).

    An untitled one is shown by its `beginning`.
    """
    if title is not None:
        source = replace(source, title=title, title_given=True)
    elif not source.title_given:
        source = replace(source, title=one_line(beginning) or "Note")
    return source if labels is None else replace(source, labels=labels)


def unless_refused(tx: Transaction, space: Space, title: str | None) -> str | None:
    """A title as sent; None when it is left out, or says what was forgotten or corrected."""
    return None if title is None or is_refused(tx, space, title) else title


def as_words(source: Source, form: Form, withheld: int) -> Source:
    """The source as words that were sent, whatever it was before: under one id the kind may change (contract 2.1)."""
    return replace(
        source, kind="note", form=form, withheld=withheld, url=None, file_name=None, file_type=None, size_bytes=None
    )


def passages_of_turns(turns: Sequence[Turn], first: int = 0) -> list[NewPassage]:
    """One passage for every turn in which a person said something; agents' turns only give context."""
    return [
        NewPassage(digest=turn_digest(turn), start=0, end=len(turn.text), kind="turn", turn=first + offset)
        for offset, turn in enumerate(turns)
        if turn.role == "user" and turn.text.strip()
    ]


def turn_digest(turn: Turn) -> bytes:
    """Tells whether a turn is the same as another: role, name, words, tools, and its time when it was sent with one."""
    time = turn.said_at.isoformat() if turn.said_at else ""
    digest = blake2b(digest_size=16, person=b"turn")
    for part in (turn.role, turn.name or "", turn.text, time, *(f"{t.name}{t.call_id}{t.text}" for t in turn.tools)):
        digest.update(part.encode() + b"\x00")
    return digest.digest()


def masked_turns(turns: Sequence[Turn]) -> tuple[list[Turn], int]:
    """The turns without their secrets, tools included, and how many were withheld."""
    withheld = 0
    safe: list[Turn] = []
    for turn in turns:
        text = mask(turn.text)
        name = mask(turn.name) if turn.name else None
        tools = [(tool, mask(tool.text)) for tool in turn.tools]
        withheld += text.withheld + sum(masked.withheld for _, masked in tools) + (name.withheld if name else 0)
        safe.append(
            replace(
                turn,
                text=text.text,
                name=name.text if name else None,
                tools=tuple(replace(tool, text=masked.text) for tool, masked in tools),
            )
        )
    return safe, withheld
