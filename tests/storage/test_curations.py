"""What is kept of memories beside what they say: listed by it, changed, and left where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from geniffy_server.domain.curation import SORTS, Curation, CurationFilter, Sort, scoring
from geniffy_server.domain.memory import MemoryId
from geniffy_server.domain.space import SpaceId
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, a_line, a_memory, a_passage, a_source, make_home, teach

FRESH = Curation(None, False, False, False, False, False, NOW)


def curate(tx: Transaction, space: SpaceId, memory_id: MemoryId, **changes: object) -> None:
    held = tx.curations.find_many(space, [memory_id])[memory_id]
    tx.curations.set(space, memory_id, replace(held, **changes))


async def listed(store: SqliteStore, home: Home, sort: Sort = "created_desc", **only: object) -> list[MemoryId]:
    return list(
        await store.read(lambda tx: tx.curations.page(home.space, CurationFilter(**only), sort, 10, 0))  # type: ignore[arg-type]
    )


async def test_a_memory_that_was_learned_is_neither_reviewed_nor_locked_and_has_no_category_yet(
    store: SqliteStore, home: Home
) -> None:
    taught = await store.write(lambda tx: teach(tx, home.space, "One."))

    assert await store.read(lambda tx: tx.curations.find_many(home.space, taught.memories)) == {
        taught.memories[0]: FRESH
    }
    (waiting,) = await store.read(lambda tx: tx.curations.uncategorized(None, 10))
    assert (waiting.space_id, waiting.id, waiting.text) == (home.space, taught.memories[0], "One.")


async def test_a_memory_without_a_vector_waits_for_it_before_its_category_is_detected(
    store: SqliteStore, home: Home
) -> None:
    await store.write(lambda tx: teach(tx, home.space, "One.", vector=b""))

    assert await store.read(lambda tx: tx.curations.uncategorized(None, 10)) == []


async def test_a_category_that_was_given_is_not_detected_over(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> list[str | None]:
        one, two = teach(tx, home.space, "One.", "Two.").memories
        curate(tx, home.space, one, category="hobbies", category_given=True)
        tx.curations.categorize([(home.space, one, "work"), (home.space, two, "work")])
        return [tx.curations.find_many(home.space, [it])[it].category for it in (one, two)]

    assert await store.write(work) == ["hobbies", "work"]
    assert await store.read(lambda tx: tx.curations.uncategorized(home.space, 10)) == []


async def test_each_order_puts_first_what_it_says(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> list[MemoryId]:
        one, two, three, four = teach(tx, home.space, "1.", "2.", "3.", "4.").memories
        curate(tx, home.space, one, manually_added=True, category="other")
        curate(tx, home.space, two, category="work", updated_at=NOW + timedelta(hours=2))
        curate(tx, home.space, three, category="other", updated_at=NOW + timedelta(hours=1))
        curate(tx, home.space, four, category=None)
        return [one, two, three, four]

    one, two, three, four = await store.write(work)

    assert {sort: await listed(store, home, sort) for sort in SORTS} == {
        "scoring_desc": [one, two, four, three],
        "created_desc": [four, three, two, one],
        "updated_desc": [two, three, four, one],
        "manual_first": [one, four, three, two],
    }


def test_the_scoring_string_sorts_as_the_order_does() -> None:
    kept = [
        (NOW, replace(FRESH, manually_added=True, category="other")),
        (NOW + timedelta(days=1), replace(FRESH, category="work")),
        (NOW, replace(FRESH, category="work")),
        (NOW, FRESH),
    ]

    strings = [scoring(at, curation) for at, curation in kept]

    assert strings == sorted(strings, reverse=True)
    assert strings[2] == f"00_998_{int(NOW.timestamp())}"


@pytest.mark.parametrize(
    ("change", "only"),
    [
        ({"category": "work"}, {"categories": ["work", "core"]}),
        ({"reviewed": True}, {"reviewed": True}),
        ({"manually_added": True}, {"manually_added": True}),
        ({"updated_at": NOW + timedelta(seconds=1)}, {"updated_after": NOW}),
    ],
)
async def test_a_filter_keeps_what_it_names_and_no_other(
    store: SqliteStore, home: Home, change: dict[str, object], only: dict[str, object]
) -> None:
    one, _ = (await store.write(lambda tx: teach(tx, home.space, "One.", "Two."))).memories
    await store.write(lambda tx: curate(tx, home.space, one, **change))

    assert await listed(store, home, **only) == [one]
    assert CurationFilter(**only).is_narrow  # type: ignore[arg-type]


async def test_what_only_reports_activity_is_left_out_unless_asked_for(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> list[MemoryId]:
        watched = teach(tx, home.space, "Terminal was in front.", "Ana writes.", labels={"activity": "screen"})
        told = teach(tx, home.space, "Ana reads.")
        tx.memories.add_line(home.space, watched.memories[1], a_line(told.source, told.passages[0], "Ana reads."), 9)
        return [*watched.memories, *told.memories]

    only_watched, told_too, told = await store.write(work)

    assert await listed(store, home) == [told, told_too]
    assert await listed(store, home, with_activity=True) == [told, told_too, only_watched]


async def test_what_a_source_with_a_withheld_secret_tells_can_be_left_out(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> list[MemoryId]:
        kept, told = teach(tx, home.space, "One."), teach(tx, home.space, "Two.")
        source = tx.sources.find(home.space, told.source)
        assert source is not None
        tx.sources.update(home.space, replace(source, withheld=1))
        return [*kept.memories, *told.memories]

    plain, sensitive = await store.write(work)

    assert await listed(store, home) == [sensitive, plain]
    assert await listed(store, home, with_sensitive=False) == [plain]


async def test_memories_of_another_space_are_neither_listed_nor_changed(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> tuple[Home, MemoryId]:
        other = make_home(tx, "ben")
        (theirs,) = teach(tx, other.space, "Theirs.").memories
        tx.curations.set(home.space, theirs, replace(FRESH, locked=True))
        tx.curations.categorize([(home.space, theirs, "work")])
        return other, theirs

    other, theirs = await store.write(work)

    assert await listed(store, home) == []
    assert await store.read(lambda tx: tx.curations.find_many(home.space, [theirs])) == {}
    assert await store.read(lambda tx: tx.curations.find_many(other.space, [theirs])) == {theirs: FRESH}


async def test_what_is_not_in_use_is_not_listed(store: SqliteStore, home: Home) -> None:
    await store.write(lambda tx: teach(tx, home.space, "One.", status="replaced"))

    assert await listed(store, home) == []


async def test_locked_memories_are_known(store: SqliteStore, home: Home) -> None:
    one, _ = (await store.write(lambda tx: teach(tx, home.space, "One.", "Two."))).memories
    await store.write(lambda tx: curate(tx, home.space, one, locked=True))

    assert set(await store.read(lambda tx: tx.curations.locked(home.space))) == {one}


async def test_a_rewritten_memory_keeps_its_id_and_leaves_its_words_as_history(store: SqliteStore, home: Home) -> None:
    def first(tx: Transaction) -> tuple[MemoryId, MemoryId]:
        taught = teach(tx, home.space, "Older.", "Old.")
        older, old = taught.memories
        tx.memories.set_status(home.space, older, "replaced", old, tx.spaces.bump(home.space))
        return older, old

    def rewrite(words: str) -> Callable[[Transaction], MemoryId]:
        def work(tx: Transaction) -> MemoryId:
            rev = tx.spaces.bump(home.space)
            source = a_source(text_form="correction")
            tx.sources.add(home.space, source, words)
            (passage,) = tx.sources.add_passages(home.space, source.id, [(0, a_passage(words))])
            later = NOW + timedelta(hours=1)
            return tx.memories.rewrite(home.space, old, a_memory(words), a_line(source.id, passage, words), rev, later)

        return work

    _, old = await store.write(first)
    version = (await store.read(lambda tx: tx.spaces.by_id(home.space))).version  # type: ignore[union-attr]

    past = await store.write(rewrite("New."))
    later_past = await store.write(rewrite("Newer."))

    def held(tx: Transaction) -> list[tuple[str, str, MemoryId | None]]:
        return [(memory.text, memory.status, memory.replaced_by) for memory in tx.memories.every(home.space)]

    assert await store.read(held) == [
        ("Older.", "replaced", past),
        ("Newer.", "current", None),
        ("Old.", "wrong", later_past),
        ("New.", "wrong", old),
    ]
    lines = await store.read(
        lambda tx: {it: [line.quote for line in tx.memories.lines(home.space, it)] for it in (old, past, later_past)}
    )
    assert lines == {old: ["Newer."], past: ["Old."], later_past: ["New."]}
    curation = (await store.read(lambda tx: tx.curations.find_many(home.space, [old])))[old]
    assert (curation.edited, curation.updated_at) == (True, NOW + timedelta(hours=1))
    changed = await store.read(lambda tx: [row.id for row in tx.memories.shard_rows(home.space, version)])
    assert changed == [old]
