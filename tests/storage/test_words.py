"""Finding what holds a text letter for letter, in everything that is kept of a space."""

from __future__ import annotations

import pytest

from geniffy_server.domain.memory import Status
from geniffy_server.domain.source import NewPassage, PassageId, SourceId, ToolUse, Turn
from geniffy_server.domain.space import SpaceId
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, Taught, a_line, a_source, make_home, put_file, teach

WORDS = 'Zoë said "100% _no_"'


def note(tx: Transaction, space: SpaceId, text: str = "", **changes: str) -> SourceId:
    source = a_source(**changes)
    tx.sources.add(space, source, text)
    return source.id


def talk(tx: Transaction, space: SpaceId, turn: Turn) -> SourceId:
    source = a_source(text_form="turns")
    tx.sources.add(space, source, None)
    tx.sources.append_turns(space, source.id, [turn])
    return source.id


def heading(tx: Transaction, space: SpaceId, words: str) -> SourceId:
    source = note(tx, space)
    tx.sources.add_passages(space, source, [(0, NewPassage(b"0" * 16, 0, 0, "item", words))])
    return source


async def test_every_part_of_a_source_is_looked_at(store: SqliteStore, home: Home) -> None:
    def fill(tx: Transaction) -> list[SourceId]:
        space = home.space
        return [
            note(tx, space, f"so {WORDS}."),
            note(tx, space, title=f"On {WORDS}"),
            talk(tx, space, Turn("user", None, f"{WORDS}!", NOW)),
            talk(tx, space, Turn("user", WORDS, "hm", NOW)),
            talk(tx, space, Turn("tool", None, "", NOW, (ToolUse("save", None, f"[{WORDS}]", is_output=True),))),
            heading(tx, space, WORDS),
            put_file(tx, space, "/a.md", f"{WORDS}\n"),
        ]

    filled = await store.write(fill)
    other = await store.write(lambda tx: make_home(tx, "ben"))
    await store.write(lambda tx: note(tx, other.space, WORDS))
    await store.write(lambda tx: note(tx, home.space, WORDS.upper(), title="zoë"))

    assert await store.read(lambda tx: list(tx.sources.holding(home.space, ["nothing", WORDS, "Zoë"]))) == filled
    assert await store.read(lambda tx: list(tx.sources.holding(home.space, []))) == []


async def test_a_heading_can_be_taken_away(store: SqliteStore, home: Home) -> None:
    source = await store.write(lambda tx: heading(tx, home.space, WORDS))
    (passage,) = await store.read(lambda tx: tx.sources.passages(home.space, source))

    await store.write(lambda tx: tx.sources.set_heading(home.space, passage.id, None))

    assert await store.read(lambda tx: tx.sources.passages(home.space, source)[0].heading) is None
    assert await store.read(lambda tx: list(tx.sources.holding(home.space, [WORDS]))) == []


@pytest.mark.parametrize("status", ["current", "clash", "replaced", "wrong"])
async def test_memories_are_found_by_text_by_any_quote_and_by_subject(
    store: SqliteStore, home: Home, status: Status
) -> None:
    def fill(tx: Transaction) -> list[int]:
        said = teach(tx, home.space, f"{WORDS}.", "nothing", status=status)
        subject = teach(tx, home.space, "something", about=WORDS, status=status)
        line = a_line(said.source, said.passages[0], f"again {WORDS}", start=30)
        tx.memories.add_line(home.space, said.memories[1], line, tx.spaces.bump(home.space))
        return [*said.memories, *subject.memories]

    expected = await store.write(fill)
    other = await store.write(lambda tx: make_home(tx, "ben"))
    await store.write(lambda tx: teach(tx, other.space, WORDS))

    found = await store.read(lambda tx: [memory.id for memory in tx.memories.saying(home.space, WORDS, 10)])

    assert found == expected[::-1]
    assert await store.read(lambda tx: [one.id for one in tx.memories.saying(home.space, WORDS)]) == expected[-1:]
    assert await store.read(lambda tx: tx.memories.saying(home.space, WORDS.lower(), 10)) == []


async def test_the_memories_that_passages_word_are_told_with_the_line_that_is_shown(
    store: SqliteStore, home: Home
) -> None:
    def fill(tx: Transaction) -> tuple[Taught, Taught]:
        first = teach(tx, home.space, "one", "two")
        second = teach(tx, home.space, "three")
        line = a_line(second.source, second.passages[0], "One!", start=9)
        tx.memories.add_line(home.space, first.memories[0], line, tx.spaces.bump(home.space))
        return first, second

    first, second = await store.write(fill)

    def shown(tx: Transaction, passages: list[PassageId]) -> dict[int, str]:
        return dict(tx.memories.shown_by(home.space, passages))

    assert await store.read(lambda tx: shown(tx, first.passages)) == dict(
        zip(first.memories, ["one", "two"], strict=True)
    )
    assert await store.read(lambda tx: shown(tx, second.passages)) == {second.memories[0]: "three"}
    await store.write(lambda tx: tx.memories.cut_lines(home.space, first.passages[:1], tx.spaces.bump(home.space)))
    assert await store.read(lambda tx: shown(tx, second.passages)) == {
        first.memories[0]: "One!",
        second.memories[0]: "three",
    }


async def test_passages_can_be_learned_once_more(store: SqliteStore, home: Home) -> None:
    taught = await store.write(lambda tx: teach(tx, home.space, "one", "two"))
    await store.write(lambda tx: tx.sources.mark_learned(home.space, taught.passages))

    await store.write(lambda tx: tx.sources.mark_unlearned(home.space, taught.passages[1:]))

    unlearned = await store.read(lambda tx: tx.sources.unlearned(home.space, taught.source, 9))
    assert [passage.id for passage in unlearned] == taught.passages[1:]
