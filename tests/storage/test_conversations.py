"""Conversations: sources that hold turns, by the times of those, and what they teach."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

from geniffy_server.domain.curation import Conversation
from geniffy_server.domain.memory import Spoken
from geniffy_server.domain.source import NewPassage, SourceId, Turn
from geniffy_server.domain.space import SpaceId
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, a_line, a_memory, a_source, make_home

HOUR = timedelta(hours=1)


def talk(tx: Transaction, space: SpaceId, *said: tuple[str, datetime | None], **changes: object) -> SourceId:
    """A conversation of these words, each at its time."""
    source = replace(a_source(text_form="turns", said_at=None), **changes)  # type: ignore[arg-type]
    tx.sources.add(space, source, None)
    tx.sources.append_turns(space, source.id, [Turn("user", "Ana", words, at) for words, at in said])
    return source.id


async def listed(store: SqliteStore, home: Home, **only: object) -> list[SourceId]:
    wanted = {"since": None, "before": None, "categories": (), "limit": 10, "offset": 0, **only}
    return [it.id for it in await store.read(lambda tx: tx.conversations.page(home.space, **wanted))]  # type: ignore[arg-type]


async def one(store: SqliteStore, home: Home, source_id: SourceId) -> Conversation:
    return (await store.read(lambda tx: tx.conversations.find_many(home.space, [source_id])))[source_id]


async def test_a_conversation_has_the_times_of_its_earliest_and_latest_turn_whatever_their_offsets(
    store: SqliteStore, home: Home
) -> None:
    in_tokyo = NOW.astimezone(timezone(9 * HOUR)) - HOUR

    held = await store.write(lambda tx: talk(tx, home.space, ("b", NOW), ("a", in_tokyo), ("c", NOW + HOUR)))

    found = await one(store, home, held)
    assert (found.started_at, found.finished_at) == (NOW - HOUR, NOW + HOUR)
    assert (found.title, found.added_at, found.category, found.locked) == ("A note", NOW, None, False)


async def test_a_turn_without_a_time_counts_as_said_when_it_was_added(store: SqliteStore, home: Home) -> None:
    held = await store.write(lambda tx: talk(tx, home.space, ("a", None)))

    assert (await one(store, home, held)).started_at == NOW


async def test_what_is_added_moves_the_times_and_has_the_category_detected_again(
    store: SqliteStore, home: Home
) -> None:
    def work(tx: Transaction) -> SourceId:
        held = talk(tx, home.space, ("a", NOW))
        tx.conversations.categorize([(home.space, held, "travel")])
        tx.sources.append_turns(home.space, held, [Turn("user", None, "b", NOW + HOUR)])
        return held

    found = await one(store, home, await store.write(work))

    assert (found.started_at, found.finished_at, found.category) == (NOW, NOW + HOUR, None)


async def test_a_category_and_a_lock_that_a_person_set_stay_when_turns_change(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> SourceId:
        held = talk(tx, home.space, ("a", NOW))
        found = tx.conversations.find_many(home.space, [held])[held]
        tx.conversations.set(home.space, replace(found, category="travel", category_given=True, locked=True))
        tx.sources.set_turn_text(home.space, held, 0, " ")
        tx.sources.replace_turns(home.space, held, [Turn("user", None, "b", NOW + HOUR)])
        tx.conversations.categorize([(home.space, held, "work")])
        return held

    found = await one(store, home, await store.write(work))

    assert (found.category, found.category_given, found.locked) == ("travel", True, True)
    assert (found.started_at, found.finished_at) == (NOW + HOUR, NOW + HOUR)


async def test_words_that_were_cut_have_the_category_detected_again(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> SourceId:
        talk(tx, home.space, ("b", NOW))  # which is being learned
        held = talk(tx, home.space, ("a", NOW), status="learned")
        tx.conversations.categorize([(home.space, held, "travel")])
        assert tx.conversations.uncategorized(None, 9) == []
        tx.sources.set_turn_text(home.space, held, 0, " ")
        return held

    held = await store.write(work)

    assert await store.read(lambda tx: tx.conversations.uncategorized(None, 9)) == [(home.space, held)]


async def test_a_source_that_holds_no_turns_is_no_conversation(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> None:
        talk(tx, home.space)
        became_a_note = talk(tx, home.space, ("a", NOW))
        tx.sources.replace_turns(home.space, became_a_note, [])
        gone = talk(tx, home.space, ("a", NOW))
        tx.sources.remove(home.space, gone)

    await store.write(work)

    assert await listed(store, home) == []


async def test_conversations_are_listed_last_begun_first_a_page_at_a_time(store: SqliteStore, home: Home) -> None:
    late, early, same = await store.write(lambda tx: [talk(tx, home.space, ("a", NOW + at * HOUR)) for at in (2, 1, 1)])

    assert await listed(store, home) == [late, same, early]
    assert await listed(store, home, limit=1, offset=1) == [same]


async def test_a_period_keeps_conversations_with_a_turn_in_it_or_around_it(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> list[SourceId]:
        return [
            talk(tx, home.space, ("a", NOW - 9 * HOUR), ("b", NOW + 9 * HOUR)),
            talk(tx, home.space, ("a", NOW)),
            talk(tx, home.space, ("a", NOW + 2 * HOUR)),
            talk(tx, home.space, ("a", NOW - HOUR)),
        ]

    around, first, end, before = await store.write(work)

    assert await listed(store, home, since=NOW, before=NOW + 2 * HOUR) == [first, around]
    assert await listed(store, home, since=NOW + HOUR) == [end, around]
    assert await listed(store, home, before=NOW) == [before, around]


async def test_a_category_keeps_conversations_of_it(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> SourceId:
        held = talk(tx, home.space, ("a", NOW))
        tx.conversations.categorize(
            [(home.space, held, "travel"), (home.space, talk(tx, home.space, ("b", NOW)), "work")]
        )
        return held

    held = await store.write(work)

    assert await listed(store, home, categories=["travel", "music"]) == [held]


async def test_another_space_sees_and_changes_nothing(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))
    theirs = await store.write(lambda tx: talk(tx, other.space, ("a", NOW)))
    before = await one(store, other, theirs)

    def work(tx: Transaction) -> None:
        tx.conversations.set(home.space, replace(before, locked=True))
        tx.conversations.categorize([(home.space, theirs, "work")])

    await store.write(work)

    assert await listed(store, home) == []
    assert await store.read(lambda tx: tx.conversations.turns(home.space, [theirs])) == {theirs: []}
    assert await store.read(lambda tx: tx.conversations.statements(home.space, [theirs], with_locked=True)) == {
        theirs: []
    }
    assert await one(store, other, theirs) == before


async def test_statements_come_in_the_order_they_were_said_with_who_said_them(store: SqliteStore, home: Home) -> None:
    spoken = Spoken(NOW.date(), NOW.date(), "day")

    def work(tx: Transaction) -> SourceId:
        held = talk(tx, home.space, ("I sign. I wait.", NOW), ("Ok.", NOW + HOUR))
        rev = tx.spaces.bump(home.space)
        new = [(place, NewPassage(bytes([place]) * 16, 0, 15, "turn", turn=place)) for place in (0, 1)]
        first, second = tx.sources.add_passages(home.space, held, new)

        def learn(text: str, passage: object, start: int, **changes: object) -> object:
            line = a_line(held, passage, text, start=start)  # type: ignore[arg-type]
            return tx.memories.add(home.space, a_memory(text, **changes), line, rev)

        learn("Ok.", second, 0)
        learn("I wait.", first, 8, about="Ana", first_person=True)
        learn("I sign.", first, 0, kind="plan", spoken=spoken)
        learn("Gone.", first, 0, status="wrong")
        locked = learn("Locked.", first, 0)
        found = tx.curations.find_many(home.space, [locked])[locked]  # type: ignore[list-item, index]
        tx.curations.set(home.space, locked, replace(found, locked=True))  # type: ignore[arg-type]
        return held

    held = await store.write(work)

    said = (await store.read(lambda tx: tx.conversations.statements(home.space, [held], with_locked=False)))[held]
    every = (await store.read(lambda tx: tx.conversations.statements(home.space, [held], with_locked=True)))[held]
    assert [one.text for one in said] == ["I sign.", "I wait.", "Ok."]
    assert {one.text for one in every} == {"I sign.", "I wait.", "Ok.", "Locked."}
    assert (said[0].kind, said[0].spoken, said[0].said_by, said[0].said_at) == ("plan", spoken, "Ana", NOW)
    assert (said[1].about, said[1].first_person, said[1].quote) == ("Ana", True, "I wait.")
    vectors = await store.read(lambda tx: tx.conversations.vectors(home.space, held, 2))
    assert vectors == [("Ok.", b"v" * 768), ("I wait.", b"v" * 768)]
    told_in = await store.read(lambda tx: tx.conversations.of_memories(home.space, [1, 2, 99]))  # type: ignore[list-item]
    assert told_in == {1: [held], 2: [held]}
    turns = (await store.read(lambda tx: tx.conversations.turns(home.space, [held])))[held]
    assert [turn.text for turn in turns] == ["I sign. I wait.", "Ok."]
