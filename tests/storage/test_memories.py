"""Memories, their lines, what was refused, and what the cache is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.memory import Spoken
from geniffy_server.errors import BadInput
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, a_line, a_memory, a_passage, a_source, make_home, teach

AUCKLAND = timezone(timedelta(hours=13))


async def test_a_memory_comes_back_as_it_was_added(store: SqliteStore, home: Home) -> None:
    said = datetime(2026, 10, 4, 0, 30, tzinfo=AUCKLAND)
    spoken = Spoken(date(1, 1, 1), date(9999, 12, 31), "minute", 1439)
    new = a_memory("Ana flies.", kind="plan", about="Ana", how="name", first_person=True, spoken=spoken, status="clash")

    def add(tx: Transaction) -> tuple[int, str]:
        source = a_source(labels={"a": "1"})
        tx.sources.add(home.space, source, "I fly.")
        passage = tx.sources.add_passages(home.space, source.id, [(7, a_passage("I fly."))])[0]
        line = a_line(source.id, passage, "I fly.", said_at=said)
        return tx.memories.add(home.space, new, line, tx.spaces.bump(home.space)), source.id

    memory_id, source_id = await store.write(add)
    found = await store.read(lambda tx: tx.memories.find(home.space, memory_id))
    assert found is not None
    assert (found.text, found.kind, found.about, found.how) == ("Ana flies.", "plan", "Ana", "name")
    assert (found.status, found.spoken, found.replaced_by) == ("clash", spoken, None)
    assert (found.quote, found.said_at.isoformat()) == ("I fly.", "2026-10-04T00:30:00+13:00")
    assert found.source is not None
    assert (found.source.id, found.source.labels) == (source_id, {"a": "1"})
    assert await store.read(lambda tx: tx.memories.statement(home.space, memory_id)) == b"Ana flies."

    row = (await store.read(lambda tx: list(tx.memories.shard_rows(home.space, -1))))[0]
    assert (row.id, row.rev, row.vector, row.tokens) == (memory_id, 1, b"v" * 768, b"t" * 16)
    assert (row.kind, row.about, row.first_person) == ("plan", "Ana", True)
    assert (row.said_on, row.spoken_low, row.spoken_high) == (date(2026, 10, 4).toordinal(), 1, date.max.toordinal())
    assert (row.source_id, row.position) == (source_id, 7)


async def test_a_memory_of_another_space_is_not_found(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))
    taught = await store.write(lambda tx: teach(tx, home.space, "One."))
    one = taught.memories[0]

    def meddle(tx: Transaction) -> None:
        rev = tx.spaces.bump(other.space)
        tx.memories.set_status(other.space, one, "wrong", None, rev)
        tx.memories.remove(other.space, [one], rev, NOW)
        assert tx.memories.cut_lines(other.space, taught.passages, rev) == []

    def look(tx: Transaction) -> list[object]:
        return [
            tx.memories.find(other.space, one),
            dict(tx.memories.find_many(other.space, [one])),
            list(tx.memories.page(other.space, None, {}, 10, 0)),
            list(tx.memories.lines(other.space, one)),
            tx.memories.statement(other.space, one),
            list(tx.memories.shard_rows(other.space, -1)),
            list(tx.memories.gone(other.space, -1)),
        ]

    await store.write(meddle)
    assert await store.read(look) == [None, {}, [], [], None, [], []]
    found = await store.read(lambda tx: tx.memories.find(home.space, one))
    assert found is not None
    assert found.status == "current"


async def test_memories_are_listed_newest_first_by_pages_and_kinds(store: SqliteStore, home: Home) -> None:
    def fill(tx: Transaction) -> list[int]:
        ids = teach(tx, home.space, "0", "1", "2", kind="plan").memories
        ids += teach(tx, home.space, "3", kind="people", status="clash").memories
        teach(tx, home.space, "old", kind="plan", status="replaced")
        teach(tx, home.space, "bad", kind="plan", status="wrong")
        return ids

    ids = await store.write(fill)

    def look(tx: Transaction) -> list[list[int]]:
        pages = [(None, 10, 0), (None, 2, 1), ("plan", 10, 0), ("plan", 10, 2), ("pref", 10, 0)]
        found = [tx.memories.page(home.space, kind, {}, limit, at) for kind, limit, at in pages]
        return [[memory.id for memory in page] for page in found]

    assert await store.read(look) == [ids[::-1], ids[2:0:-1], ids[2::-1], ids[:1], []]
    assert await store.read(lambda tx: tx.memories.counts(home.space, {})) == {
        "people": 1,
        "plan": 3,
        "pref": 0,
        "detail": 0,
    }
    assert len(await store.read(lambda tx: list(tx.memories.every(home.space)))) == 6


@pytest.mark.parametrize(
    ("labels", "texts"),
    [
        ({"channel": ("email",)}, {"mail", "both"}),
        ({"channel": ("email", "chat")}, {"mail", "chat", "both"}),
        ({"channel": ("email",), "team": ("sales",)}, {"mail"}),
        ({"channel": ("chat",), "team": ("sales",)}, set()),
    ],
)
async def test_one_source_that_teaches_a_memory_must_carry_the_whole_filter(
    store: SqliteStore, home: Home, labels: LabelFilter, texts: set[str]
) -> None:
    def fill(tx: Transaction) -> None:
        teach(tx, home.space, "mail", labels={"channel": "email", "team": "sales"})
        chat = teach(tx, home.space, "chat", labels={"channel": "chat"})
        both = teach(tx, home.space, "both", labels={"channel": "email"})
        sales = teach(tx, home.space, "sales", labels={"team": "sales"})
        teach(tx, home.space, "old", labels={"channel": "email"}, status="replaced")
        # Taught by an e-mail and by a note of the sales team: neither is an e-mail of the sales team.
        tx.memories.add_line(home.space, both.memories[0], a_line(sales.source, sales.passages[0], "sales"), 9)
        tx.memories.add_line(home.space, both.memories[0], a_line(chat.source, chat.passages[0], "chat"), 9)

    await store.write(fill)

    def look(tx: Transaction) -> tuple[set[str], int, set[str]]:
        listed = {memory.text for memory in tx.memories.page(home.space, None, labels, 10, 0)}
        matching = tx.memories.matching(home.space, labels)
        named = {memory.text for memory in tx.memories.find_many(home.space, matching).values()}
        return listed, sum(tx.memories.counts(home.space, labels).values()), named

    assert await store.read(look) == (texts, len(texts), texts)


async def test_a_label_filter_of_too_many_values_is_refused(store: SqliteStore, home: Home) -> None:
    many = {"a": tuple(map(str, range(10_001)))}
    with pytest.raises(BadInput) as refused:
        await store.read(lambda tx: tx.memories.page(home.space, None, many, 10, 0))
    assert refused.value.code == "bad_labels"
    fits = {"a": tuple(map(str, range(10_000)))}
    assert await store.read(lambda tx: tx.memories.page(home.space, None, fits, 10, 0)) == []


async def test_ids_are_one_counter_and_never_used_again(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))
    first = (await store.write(lambda tx: teach(tx, home.space, "1", "2"))).memories
    second = (await store.write(lambda tx: teach(tx, other.space, "3"))).memories
    await store.write(lambda tx: tx.memories.remove(other.space, second, 2, NOW))
    third = (await store.write(lambda tx: teach(tx, home.space, "4"))).memories
    assert [*first, *second, *third] == sorted({*first, *second, *third})


async def test_more_memories_than_one_statement_takes_are_found(store: SqliteStore, home: Home) -> None:
    taught = await store.write(lambda tx: teach(tx, home.space, *map(str, range(1_100))))
    found = await store.read(lambda tx: tx.memories.find_many(home.space, [*taught.memories, 10**9]))
    assert sorted(found) == taught.memories
    assert [m.id for m in await store.read(lambda tx: list(tx.memories.every(home.space)))] == taught.memories


async def test_a_subject_is_looked_up_by_its_exact_name(store: SqliteStore, home: Home) -> None:
    def fill(tx: Transaction) -> list[int]:
        ids = teach(tx, home.space, "1", "2", "3", about="Kim").memories
        teach(tx, home.space, "4", about="kim")
        teach(tx, home.space, "5", about="Kim", status="wrong")
        teach(tx, home.space, "6", "7", about="Ana")
        return ids

    ids = await store.write(fill)
    about = await store.read(lambda tx: tx.memories.about(home.space, "Kim", 2))
    assert [memory.id for memory in about] == [ids[2], ids[1]]
    assert await store.read(lambda tx: list(tx.memories.subjects(home.space, 2))) == ["Kim", "Ana"]
    assert await store.read(lambda tx: list(tx.memories.subjects(home.space, 10))) == ["Kim", "Ana", "kim"]


async def test_a_statement_finds_the_usable_memory_that_says_it(store: SqliteStore, home: Home) -> None:
    def fill(tx: Transaction) -> list[int]:
        teach(tx, home.space, "old", statement=b"s1", status="replaced")
        return teach(tx, home.space, "new", statement=b"s1").memories

    ids = await store.write(fill)
    found = await store.read(lambda tx: tx.memories.by_statement(home.space, [b"s1", b"s2"]))
    assert found == {b"s1": ids[0]}


async def test_what_was_refused_stays_refused(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))
    for _ in range(2):
        await store.write(lambda tx: tx.memories.refuse(home.space, [b"a", b"b"]))
    assert await store.read(lambda tx: set(tx.memories.refused(home.space, [b"a", b"c"]))) == {b"a"}
    assert await store.read(lambda tx: set(tx.memories.refused(other.space, [b"a", b"c"]))) == set()


async def test_the_same_words_at_the_same_place_are_one_line(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> int:
        taught = teach(tx, home.space, "One.", "Two.")
        one = taught.memories[0]
        for _ in range(2):
            tx.memories.add_line(home.space, one, a_line(taught.source, taught.passages[0], "One."), 2)
            tx.memories.add_line(home.space, one, a_line(taught.source, taught.passages[1], "Two."), 2)
        return one

    one = await store.write(work)
    lines = await store.read(lambda tx: tx.memories.lines(home.space, one))
    assert [line.quote for line in lines] == ["One.", "Two."]


async def test_a_memory_whose_first_line_is_cut_shows_its_next_one(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> tuple[int, int, list[int]]:
        first = teach(tx, home.space, "First.", "Alone.")
        second = teach(tx, home.space, "Other.")
        shared, alone = first.memories
        said = NOW + timedelta(days=1)
        tx.memories.add_line(
            home.space,
            shared,
            a_line(second.source, second.passages[0], "Second.", said_at=said),
            tx.spaces.bump(home.space),
        )
        rev = tx.spaces.bump(home.space)
        assert tx.memories.taught(home.space, second.source) == 2
        return shared, alone, list(tx.memories.cut_lines(home.space, first.passages, rev))

    shared, alone, left = await store.write(work)
    assert left == [alone]
    found = await store.read(lambda tx: tx.memories.find(home.space, shared))
    assert found is not None
    assert (found.quote, found.said_at) == ("Second.", NOW + timedelta(days=1))
    rows = await store.read(lambda tx: list(tx.memories.shard_rows(home.space, 3)))
    assert [(row.id, row.said_on) for row in rows] == [(shared, (NOW + timedelta(days=1)).toordinal())]


async def test_a_line_for_a_memory_that_lost_all_its_lines_is_shown(store: SqliteStore, home: Home) -> None:
    def work(tx: Transaction) -> int:
        taught = teach(tx, home.space, "One.", "Two.", "Three.")
        one = taught.memories[0]
        tx.memories.add_line(home.space, one, a_line(taught.source, taught.passages[1], "Two."), 2)
        tx.memories.cut_lines(home.space, taught.passages[:1], 3)
        tx.memories.cut_lines(home.space, taught.passages[1:2], 4)
        tx.memories.add_line(home.space, one, a_line(taught.source, taught.passages[2], "Three."), 5)
        return one

    one = await store.write(work)
    found = await store.read(lambda tx: tx.memories.find(home.space, one))
    assert found is not None
    assert found.quote == "Three."


async def test_lines_of_a_source_name_their_memories(store: SqliteStore, home: Home) -> None:
    taught = await store.write(lambda tx: teach(tx, home.space, "One.", "Two."))
    lines = await store.read(lambda tx: tx.memories.lines_of_source(home.space, taught.source))
    assert [(memory_id, line.quote) for memory_id, line in lines] == list(
        zip(taught.memories, ["One.", "Two."], strict=True)
    )


async def test_a_replaced_memory_is_found_from_its_successor(store: SqliteStore, home: Home) -> None:
    one, two = (await store.write(lambda tx: teach(tx, home.space, "Old.", "New."))).memories

    def work(tx: Transaction) -> None:
        tx.memories.set_status(home.space, one, "replaced", two, tx.spaces.bump(home.space))

    await store.write(work)
    assert [m.id for m in await store.read(lambda tx: tx.memories.replaced_by(home.space, [two]))] == [one]
    found = await store.read(lambda tx: tx.memories.find(home.space, one))
    assert found is not None
    assert (found.status, found.replaced_by) == ("replaced", two)
    await store.write(lambda tx: tx.memories.remove(home.space, [two], tx.spaces.bump(home.space), NOW))
    found = await store.read(lambda tx: tx.memories.find(home.space, one))
    assert found is not None
    assert found.replaced_by is None


async def test_clashes_are_pairs_in_either_order_and_end_together(store: SqliteStore, home: Home) -> None:
    one, two, three = (await store.write(lambda tx: teach(tx, home.space, "1", "2", "3"))).memories

    def clash(tx: Transaction) -> None:
        tx.memories.add_clash(home.space, two, one)
        tx.memories.add_clash(home.space, one, two)
        tx.memories.add_clash(home.space, one, three)

    await store.write(clash)
    found = await store.read(lambda tx: tx.memories.clashing_with(home.space, [one, two]))
    assert {key: set(others) for key, others in found.items()} == {one: {two, three}, two: {one}}
    await store.write(lambda tx: tx.memories.end_clashes(home.space, two))
    assert await store.read(lambda tx: dict(tx.memories.clashing_with(home.space, [one, two]))) == {one: {three}}
    await store.write(lambda tx: tx.memories.remove(home.space, [three], 2, NOW))
    assert await store.read(lambda tx: dict(tx.memories.clashing_with(home.space, [one]))) == {}


class TestWhatTheCacheIsTold:
    async def test_only_memories_stamped_later_are_loaded(self, store: SqliteStore, home: Home) -> None:
        first = (await store.write(lambda tx: teach(tx, home.space, "1"))).memories
        seen = await store.read(lambda tx: tx.spaces.version(home.space))
        second = (await store.write(lambda tx: teach(tx, home.space, "2"))).memories
        every = await store.read(lambda tx: [row.id for row in tx.memories.shard_rows(home.space, -1)])
        later = await store.read(lambda tx: [row.id for row in tx.memories.shard_rows(home.space, seen)])
        assert (every, later) == ([*first, *second], second)

    async def test_a_memory_that_stops_being_usable_is_gone_and_comes_back(
        self, store: SqliteStore, home: Home
    ) -> None:
        one, two = (await store.write(lambda tx: teach(tx, home.space, "1", "2"))).memories

        async def set_status(status: str) -> tuple[list[int], list[int]]:
            seen = await store.read(lambda tx: tx.spaces.version(home.space))
            await store.write(
                lambda tx: tx.memories.set_status(home.space, one, status, None, tx.spaces.bump(home.space))
            )
            rows = await store.read(lambda tx: [row.id for row in tx.memories.shard_rows(home.space, seen)])
            return rows, list(await store.read(lambda tx: tx.memories.gone(home.space, seen)))

        assert await set_status("replaced") == ([], [one])
        assert await set_status("current") == ([one], [])
        assert await set_status("wrong") == ([], [one])
        assert await set_status("clash") == ([one], [])
        assert await store.read(lambda tx: tx.memories.find(home.space, two)) is not None

    async def test_a_removed_memory_is_gone_after_the_versions_before(self, store: SqliteStore, home: Home) -> None:
        taught = await store.write(lambda tx: teach(tx, home.space, "1", "2"))

        def remove(tx: Transaction) -> int:
            rev = tx.spaces.bump(home.space)
            tx.memories.remove(home.space, taught.memories[:1], rev, NOW)
            return rev

        rev = await store.write(remove)
        assert await store.read(lambda tx: list(tx.memories.gone(home.space, rev - 1))) == taught.memories[:1]
        assert await store.read(lambda tx: list(tx.memories.gone(home.space, rev))) == []
        assert await store.read(lambda tx: tx.memories.find(home.space, taught.memories[0])) is None
        assert await store.read(lambda tx: tx.memories.lines(home.space, taught.memories[0])) == []
        assert await store.read(lambda tx: tx.memories.taught(home.space, taught.source)) == 1

    async def test_tombstones_older_than_a_day_go_and_say_so(self, store: SqliteStore, home: Home) -> None:
        ids = (await store.write(lambda tx: teach(tx, home.space, "1", "2", "3", "4"))).memories

        async def remove(memory_id: int, at: datetime) -> int:
            def work(tx: Transaction) -> int:
                rev = tx.spaces.bump(home.space)
                tx.memories.remove(home.space, [memory_id], rev, at)
                return rev

            return await store.write(work)

        async def known() -> tuple[int, list[int]]:
            return await store.read(
                lambda tx: (tx.memories.oldest_tombstone(home.space), sorted(tx.memories.gone(home.space, 0)))
            )

        assert await known() == (0, [])
        first = await remove(ids[0], NOW)
        await remove(ids[1], NOW + timedelta(hours=23))
        assert await known() == (0, ids[:2])
        await remove(ids[2], NOW + timedelta(hours=25))
        assert await known() == (first, ids[1:3])
        # A clock that was set back buries as of yesterday: nothing between is dropped with it.
        await remove(ids[3], NOW)
        assert (await known())[0] == first

    async def test_a_vector_that_was_missing_reaches_the_cache(self, store: SqliteStore, home: Home) -> None:
        def fill(tx: Transaction) -> list[int]:
            third = teach(tx, home.space, "He said it.", vector=b"").memories
            mine = teach(tx, home.space, "I said it.", vector=b"", first_person=True, text="Ana: I said it.").memories
            return third + mine

        def set_one(tx: Transaction) -> int:
            rev = tx.spaces.bump(home.space)
            tx.memories.set_vectors([(home.space, third, b"w" * 768, rev)])
            return rev

        third, mine = await store.write(fill)
        missing = await store.read(lambda tx: tx.memories.without_vector(10))
        assert missing == [(home.space, third, "He said it.", None), (home.space, mine, "I said it.", None)]
        assert len(await store.read(lambda tx: tx.memories.without_vector(1))) == 1
        rev = await store.write(set_one)
        rows = await store.read(lambda tx: list(tx.memories.shard_rows(home.space, rev - 1)))
        assert [(row.id, row.vector) for row in rows] == [(third, b"w" * 768)]
        assert [found[1] for found in await store.read(lambda tx: tx.memories.without_vector(10))] == [mine]

    async def test_dropping_every_vector_makes_every_cache_load_again(self, store: SqliteStore, home: Home) -> None:
        other = await store.write(lambda tx: make_home(tx, "ben"))
        for space in (home.space, other.space):
            await store.write(lambda tx, space=space: teach(tx, space, "1"))
        await store.write(lambda tx: tx.memories.drop_vectors())
        for space in (home.space, other.space):
            rows = await store.read(lambda tx, space=space: list(tx.memories.shard_rows(space, 1)))
            assert [row.vector for row in rows] == [b""]
            assert await store.read(lambda tx, space=space: tx.spaces.version(space)) == 2
        assert len(await store.read(lambda tx: tx.memories.without_vector(10))) == 2


async def test_times_do_not_depend_on_the_zone_of_the_process(
    store: SqliteStore, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        early = datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
        taught = await store.write(lambda tx: teach(tx, home.space, "1", learned_at=early))
        found = await store.read(lambda tx: tx.memories.find(home.space, taught.memories[0]))
        assert found is not None
        assert replace(found).learned_at == early
        assert found.learned_at.utcoffset() == timedelta(0)
    finally:
        monkeypatch.undo()
        time.tzset()
