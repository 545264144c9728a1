"""Sources with their labels, texts, turns and passages."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from geniffy_server.domain.labels import LabelFilter
from geniffy_server.domain.source import NewPassage, ToolUse, Turn
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, a_passage, a_source, make_home, put_file, teach

KOLKATA = timezone(timedelta(hours=5, minutes=30))


async def test_a_source_comes_back_as_it_was_added(store: SqliteStore, home: Home) -> None:
    source = replace(
        a_source(labels={"b": "2", "a": "1", "ü": "'\"\n"}, external_id="x:1"),
        said_at=datetime(2026, 3, 1, 23, 30, tzinfo=KOLKATA),
        error="why",
        facts=0,
        withheld=2,
        url="https://example.com",
        file_name="a.pdf",
        file_type="application/pdf",
        size_bytes=2**40,
    )
    await store.write(lambda tx: tx.sources.add(home.space, source, "text"))
    found = await store.read(lambda tx: tx.sources.find(home.space, source.id))
    assert found == source
    assert found is not None
    assert found.said_at is not None
    assert found.said_at.isoformat() == "2026-03-01T23:30:00+05:30"
    assert list(found.labels) == ["b", "a", "ü"]
    assert await store.read(lambda tx: tx.sources.by_external_id(home.space, "x:1")) == source
    assert await store.read(lambda tx: tx.sources.text(home.space, source.id)) == "text"


async def test_a_source_of_another_space_is_not_found(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))
    source = a_source(external_id="x")
    await store.write(lambda tx: tx.sources.add(home.space, source, "text"))

    def look(tx: Transaction) -> list[object]:
        return [
            tx.sources.find(other.space, source.id),
            tx.sources.by_external_id(other.space, "x"),
            tx.sources.text(other.space, source.id),
            *tx.sources.refs(other.space, [source.id]),
            *tx.sources.page(other.space, {}, 10, 0)[0],
        ]

    assert await store.read(look) == [None, None, None]


async def test_sources_come_newest_first_by_pages(store: SqliteStore, home: Home) -> None:
    sources = [a_source(title=str(number)) for number in range(5)]
    for source in sources:
        await store.write(lambda tx, source=source: tx.sources.add(home.space, source, None))
    page, total = await store.read(lambda tx: tx.sources.page(home.space, {}, 2, 1))
    assert [source.title for source in page] == ["3", "2"]
    assert total == await store.read(lambda tx: tx.sources.count(home.space)) == 5


@pytest.mark.parametrize(
    ("labels", "titles"),
    [
        ({"channel": ("email",)}, ["mail in", "mail out"]),
        ({"channel": ("email", "chat")}, ["chat", "mail in", "mail out"]),
        ({"channel": ("email", "chat"), "team": ("sales",)}, ["mail out"]),
        ({"channel": ("email",), "team": ("nobody",)}, []),
        ({"Channel": ("email",)}, []),
        ({"channel": ("EMAIL",)}, []),
        ({"team": ("it's; DROP TABLE sources --",)}, ["odd"]),
        ({"none": ("x",)}, []),
    ],
)
async def test_a_label_filter_joins_names_by_and_and_values_by_or(
    store: SqliteStore, home: Home, labels: LabelFilter, titles: list[str]
) -> None:
    def fill(tx: Transaction) -> None:
        for title, carried in (
            ("mail out", {"channel": "email", "team": "sales"}),
            ("mail in", {"channel": "email", "team": "support"}),
            ("chat", {"channel": "chat"}),
            ("odd", {"team": "it's; DROP TABLE sources --"}),
            ("bare", {}),
        ):
            tx.sources.add(home.space, a_source(title=title, labels=carried), None)

    await store.write(fill)
    page, total = await store.read(lambda tx: tx.sources.page(home.space, labels, 10, 0))
    assert [source.title for source in page] == titles
    assert total == len(titles)


async def test_an_update_writes_every_column_and_the_labels(store: SqliteStore, home: Home) -> None:
    source = a_source(labels={"a": "1"}, external_id="old")
    await store.write(lambda tx: tx.sources.add(home.space, source, None))
    changed = replace(source, title="New", status="learned", labels={"b": "2"}, external_id="new", revision=2, facts=0)
    await store.write(lambda tx: tx.sources.update(home.space, changed))
    assert await store.read(lambda tx: tx.sources.find(home.space, source.id)) == changed
    for labels, count in (({"a": ("1",)}, 0), ({"b": ("2",)}, 1)):
        page = await store.read(lambda tx, labels=labels: tx.sources.page(home.space, labels, 9, 0))
        assert page[1] == count


async def test_refs_are_what_is_shown_with_a_memory(store: SqliteStore, home: Home) -> None:
    source = a_source(labels={"a": "1"})
    await store.write(lambda tx: tx.sources.add(home.space, source, None))
    refs = await store.read(lambda tx: tx.sources.refs(home.space, [source.id]))
    assert refs[source.id].title == "A note"
    assert refs[source.id].labels == {"a": "1"}


async def test_the_text_of_a_kept_source_is_its_files(store: SqliteStore, home: Home) -> None:
    source = await store.write(lambda tx: put_file(tx, home.space, "/a.md", "kept\r\n"))
    assert await store.read(lambda tx: tx.sources.text(home.space, source)) == "kept\r\n"


async def test_a_text_can_be_set_again(store: SqliteStore, home: Home) -> None:
    source = a_source()
    await store.write(lambda tx: tx.sources.add(home.space, source, "one"))
    await store.write(lambda tx: tx.sources.set_text(home.space, source.id, "two"))
    assert await store.read(lambda tx: tx.sources.text(home.space, source.id)) == "two"


async def test_turns_are_kept_in_order_with_their_tools_and_offsets(store: SqliteStore, home: Home) -> None:
    source = a_source(text_form="turns")
    at = datetime(2026, 1, 2, 3, 4, tzinfo=KOLKATA)
    tool = ToolUse("look", "c1", '{"q": "ü"}', is_output=False)
    turns = [Turn("user", "Ana", "Hi", at), Turn("assistant", None, "", NOW, (tool,)), Turn("tool", None, "ok", None)]

    def add(tx: Transaction) -> tuple[int, int]:
        tx.sources.add(home.space, source, None)
        first = tx.sources.append_turns(home.space, source.id, turns[:2])
        return first, tx.sources.append_turns(home.space, source.id, turns[2:])

    assert await store.write(add) == (0, 2)
    assert await store.read(lambda tx: tx.sources.turns(home.space, source.id)) == turns
    assert await store.read(lambda tx: tx.sources.turns(home.space, source.id, 1, 2)) == turns[1:2]
    assert await store.read(lambda tx: tx.sources.text(home.space, source.id)) is None
    kept = (await store.read(lambda tx: tx.sources.turns(home.space, source.id)))[0].said_at
    assert kept is not None
    assert kept.isoformat() == "2026-01-02T03:04:00+05:30"


async def test_turns_can_be_replaced_and_a_turn_rewritten(store: SqliteStore, home: Home) -> None:
    source = a_source(text_form="turns")

    def work(tx: Transaction) -> None:
        tx.sources.add(home.space, source, None)
        tx.sources.append_turns(home.space, source.id, [Turn("user", None, str(n), NOW) for n in range(3)])
        tx.sources.replace_turns(home.space, source.id, [Turn("user", None, "new", NOW), Turn("user", None, "b", NOW)])
        tx.sources.set_turn_text(home.space, source.id, 1, "cut")
        assert tx.sources.append_turns(home.space, source.id, []) == 2
        assert tx.sources.after_turns(home.space, source.id) == 2
        assert tx.sources.after_passages(home.space, source.id) == 0

    await store.write(work)
    held = await store.read(lambda tx: tx.sources.turns(home.space, source.id))
    assert [turn.text for turn in held] == ["new", "cut"]


async def test_passages_are_learned_in_order_and_keep_their_places(store: SqliteStore, home: Home) -> None:
    source = a_source()
    new = [NewPassage(bytes([n] * 16), n, n + 1, "item", f"H{n}", n) for n in range(4)]

    def add(tx: Transaction) -> list[int]:
        tx.sources.add(home.space, source, "0123")
        return list(tx.sources.add_passages(home.space, source.id, [(3 - n, p) for n, p in enumerate(new)]))

    ids = await store.write(add)
    held = await store.read(lambda tx: tx.sources.passages(home.space, source.id))
    assert [passage.id for passage in held] == ids[::-1]
    assert await store.read(lambda tx: tx.sources.after_passages(home.space, source.id)) == 4
    assert (held[3].digest, held[3].kind, held[3].heading, held[3].turn) == (bytes(16), "item", "H0", 0)
    assert [p.position for p in await store.read(lambda tx: tx.sources.passages(home.space, source.id, 1, 3))] == [1, 2]

    await store.write(lambda tx: tx.sources.mark_learned(home.space, [ids[3]]))
    left = await store.read(lambda tx: tx.sources.unlearned(home.space, source.id, 2))
    assert [passage.id for passage in left] == [ids[2], ids[1]]

    def move(tx: Transaction) -> None:
        tx.sources.remove_passages(home.space, ids[1:3])
        tx.sources.place_passages(home.space, [(ids[0], 0, 10, 20, None), (ids[3], 1, 5, 6, 7)])

    await store.write(move)
    held = await store.read(lambda tx: tx.sources.passages(home.space, source.id))
    assert [(p.id, p.position, p.start, p.end, p.turn) for p in held] == [
        (ids[0], 0, 10, 20, None),
        (ids[3], 1, 5, 6, 7),
    ]


async def test_thousands_of_passages_get_their_ids_in_order(store: SqliteStore, home: Home) -> None:
    source = a_source()

    def add(tx: Transaction) -> list[int]:
        tx.sources.add(home.space, source, "x")
        return list(tx.sources.add_passages(home.space, source.id, [(n, a_passage("x", n)) for n in range(2_500)]))

    ids = await store.write(add)
    assert ids == sorted(set(ids))
    held = await store.read(lambda tx: tx.sources.passages(home.space, source.id))
    assert [(passage.id, passage.start) for passage in held] == list(zip(ids, range(2_500), strict=True))


async def test_a_moved_passage_reaches_the_cache(store: SqliteStore, home: Home) -> None:
    taught = await store.write(lambda tx: teach(tx, home.space, "One.", "Two."))

    def swap(tx: Transaction) -> int:
        rev = tx.spaces.bump(home.space)
        places = [(taught.passages[0], 1, 0, 4, None), (taught.passages[1], 0, 4, 8, None)]
        tx.sources.place_passages(home.space, places)
        return rev

    rev = await store.write(swap)
    rows = await store.read(lambda tx: list(tx.memories.shard_rows(home.space, rev - 1)))
    assert [(row.id, row.position) for row in rows] == [(taught.memories[0], 1), (taught.memories[1], 0)]


async def test_removing_a_source_takes_all_that_hangs_on_it(store: SqliteStore, home: Home) -> None:
    taught = await store.write(lambda tx: teach(tx, home.space, "One.", labels={"a": "1"}))

    def remove(tx: Transaction) -> None:
        tx.jobs.add(home.space, taught.source, 1, NOW)
        rev = tx.spaces.bump(home.space)
        gone = tx.memories.cut_lines(home.space, taught.passages, rev)
        tx.memories.remove(home.space, gone, rev, NOW)
        tx.sources.remove(home.space, taught.source)

    await store.write(remove)

    def look(tx: Transaction) -> list[object]:
        return [
            tx.sources.find(home.space, taught.source),
            tx.sources.text(home.space, taught.source),
            list(tx.sources.passages(home.space, taught.source)),
            tx.sources.page(home.space, {"a": ("1",)}, 10, 0)[1],
            tx.jobs.waiting(),
        ]

    assert await store.read(look) == [None, None, [], 0, 0]


async def test_sources_are_counted_and_listed_by_status(store: SqliteStore, home: Home) -> None:
    def add(tx: Transaction) -> list[str]:
        rows = [replace(a_source(), status=status) for status in ("learned", "failed", "learned")]
        for row in rows:
            tx.sources.add(home.space, row, "text")
        return [row.id for row in rows]

    added = await store.write(add)
    learned, total = await store.read(lambda tx: tx.sources.page(home.space, {}, 10, 0, "learned"))
    assert ([one.id for one in learned], total) == ([added[2], added[0]], 2)
    assert await store.read(lambda tx: tx.sources.page(home.space, {}, 10, 0, "waiting")) == ([], 0)
    assert await store.read(lambda tx: tx.sources.statuses(home.space)) == {"learned": 2, "failed": 1}
