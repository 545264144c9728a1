"""Adding conversations: whole ones, and sessions that go on (contract 3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from geniffy_server.caller import Caller
from geniffy_server.domain.source import Passage, Source, Turn
from geniffy_server.domain.space import Space
from geniffy_server.errors import BadInput
from geniffy_server.learn.secrets import mask
from geniffy_server.ports import Ports, Transaction
from geniffy_server.services.access import writable
from geniffy_server.services.adding import (
    as_words,
    fresh_source,
    held_under,
    keyed,
    lay_passages,
    masked_turns,
    passages_of_turns,
    settle,
    told,
    unless_refused,
)
from geniffy_server.services.owner_names import settle_owner_name

# Two people can say "Okay." and "Sure." twice; an app that sends a call again repeats more than that.
_LEAST_REPEATED_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class NewTalk:
    """A conversation as it was sent, or with `session` what is new in one that goes on."""

    turns: Sequence[Turn]
    title: str | None = None
    said_at: datetime | None = None
    external_id: str | None = None
    labels: Mapping[str, str] | None = None
    session: str | None = None


async def add_talk(ports: Ports, caller: Caller, talk: NewTalk) -> Source:
    """Keep a conversation and ask for it to be learned; with `session`, append to that session's source.

    Raises BadInput when nothing is left to keep, but not for a session, which may begin with a system prompt alone
    (contract 100). Secrets are masked before anything is stored.
    """
    if not talk.turns and talk.session is None:
        raise BadInput("None of the messages holds words or tool calls, so there is nothing to remember.")
    turns, withheld = await asyncio.to_thread(masked_turns, talk.turns)
    title = mask(talk.title).text if talk.title else None

    def work(tx: Transaction) -> Source:
        space, rev = writable(tx, caller)
        now = ports.clock.now()
        tx.spaces.added(space.id, now)
        key = talk.session if talk.session is not None else talk.external_id
        held = held_under(tx, space, key)
        kept_title = unless_refused(tx, space, title)
        if talk.session is not None and held is not None and held.form == "turns":
            return _append(tx, space, held, turns, withheld, kept_title, talk, rev, now)
        source = held or fresh_source(caller, "turns", key, now)
        source = as_words(told(source, kept_title, _beginning(turns), talk.labels), "turns", withheld)
        source = replace(source, said_at=talk.said_at)
        if held is None:
            tx.sources.add(space.id, source, None)
        elif held.form != "turns":
            tx.sources.set_text(space.id, source.id, "")
        was = tx.sources.turns(space.id, source.id)
        afresh = held is not None and talk.said_at is not None and talk.said_at != held.said_at
        change = lay_passages(tx, space, source.id, passages_of_turns(turns), rev, now, afresh=afresh)
        timed = [replace(turn, said_at=turn.said_at or talk.said_at or now) for turn in turns]
        for old, place in change.kept:
            _stay(timed, was, old, place.turn)
        tx.sources.replace_turns(space.id, source.id, timed)
        source = told(source, kept_title, _beginning(timed), None)
        if change.removed:
            settle_owner_name(tx, space)
        return settle(tx, space, source, change, now)

    source = await ports.store.write(work)
    ports.bell.ring()
    return source


def _append(
    tx: Transaction,
    space: Space,
    held: Source,
    turns: Sequence[Turn],
    withheld: int,
    title: str | None,
    talk: NewTalk,
    rev: int,
    now: datetime,
) -> Source:
    """Put new turns behind a session's; the first title stays (contract 101)."""
    source = told(held, None if held.title_given else title, held.title, talk.labels)
    stored = tx.sources.after_turns(space.id, held.id)
    tail = tx.sources.turns(space.id, held.id, max(0, stored - len(turns)))
    # A call that is sent twice brings the labels that it set the first time.
    if not (_is_repeat(tail, turns) and talk.labels in (None, held.labels)):
        if not stored and not source.title_given:
            source = told(source, None, _beginning(turns), None)
        source = replace(source, withheld=held.withheld + withheld)
        timed = [replace(turn, said_at=turn.said_at or now) for turn in turns]
        first = tx.sources.append_turns(space.id, held.id, timed)
        new = [keyed(space, passage) for passage in passages_of_turns(turns, first)]
        position = tx.sources.after_passages(space.id, held.id)
        if new:
            tx.sources.add_passages(space.id, held.id, list(enumerate(new, position)))
            source = replace(source, revision=source.revision + 1, status="reading", error=None)
            tx.jobs.add(space.id, source.id, source.revision, now)
    tx.sources.update(space.id, source)
    return source


def _is_repeat(tail: Sequence[Turn], turns: Sequence[Turn]) -> bool:
    """Whether a call was sent twice: it repeats the whole end of what is stored (contract 3.3, Q45).

    What is short may be said again: an `Okay.` behind an `Okay.` is a turn of its own.
    """
    if not turns or len(turns) != len(tail):
        return False
    if sum(len(turn.text) for turn in turns) < _LEAST_REPEATED_CHARS:
        return False
    return all(
        (old.role, old.name, old.text, old.tools) == (new.role, new.name, new.text, new.tools)
        for old, new in zip(tail, turns, strict=True)
    )


def _stay(timed: list[Turn], was: Sequence[Turn], old: Passage, turn: int | None) -> None:
    """A turn that was there keeps its stored words, so what was forgotten stays cut out, and its time."""
    if turn is not None and old.turn is not None:
        timed[turn] = replace(timed[turn], text=was[old.turn].text, said_at=was[old.turn].said_at)


def _beginning(turns: Sequence[Turn]) -> str:
    """What an untitled conversation is shown by: the first words of a person, else of anyone."""
    spoken = [turn for turn in turns if turn.text.strip()]
    first = next((turn for turn in spoken if turn.role == "user"), spoken[0] if spoken else None)
    return first.text if first else "Conversation"
