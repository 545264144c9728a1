"""Files kept exactly, and paths in code-point order."""

from __future__ import annotations

import unicodedata
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geniffy_server.domain.file import File, FilePath
from geniffy_server.domain.source import SourceId
from geniffy_server.errors import Conflict
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, a_source, make_home, put_file

EXACT = [
    "one\r\ntwo\rthree\n",
    "\ufeffwith a byte order mark",
    unicodedata.normalize("NFD", "Zoë na\u00efve"),
    "\u2028 \u2029 \u0085 \x0b\x0c\x1f",
    "👩‍👩‍👧 \U0010ffff \ue000 \ufffd",
    "",
    " \n\t ",
    "Ω" * 2_000_000,
]


@pytest.mark.parametrize("text", EXACT, ids=range(len(EXACT)))
async def test_a_text_comes_back_exactly(store: SqliteStore, home: Home, text: str) -> None:
    source = await store.write(lambda tx: put_file(tx, home.space, "/a.md", text))
    found = await store.read(lambda tx: tx.files.find(home.space, FilePath("/a.md")))
    assert found == File(FilePath("/a.md"), text, len(text), NOW, source)


async def test_putting_again_replaces_text_size_and_time(store: SqliteStore, home: Home) -> None:
    source = await store.write(lambda tx: put_file(tx, home.space, "/a.md", "old"))
    later = File(FilePath("/a.md"), "newer", 5, NOW + timedelta(microseconds=1), source)
    await store.write(lambda tx: tx.files.put(home.space, later))
    assert await store.read(lambda tx: tx.files.find(home.space, FilePath("/a.md"))) == later
    assert (await store.read(lambda tx: tx.files.page(home.space, "/", 10, 0)))[1] == 1


async def test_putting_under_another_source_leaves_no_text_behind(store: SqliteStore, home: Home) -> None:
    old = await store.write(lambda tx: put_file(tx, home.space, "/a.md", "old"))

    def again(tx: Transaction) -> SourceId:
        source = a_source(text_form="kept")
        tx.sources.add(home.space, source, None)
        tx.files.put(home.space, File(FilePath("/a.md"), "new", 3, NOW, source.id))
        return source.id

    new = await store.write(again)
    assert await store.read(lambda tx: tx.sources.text(home.space, old)) is None
    assert await store.read(lambda tx: tx.sources.text(home.space, new)) == "new"


async def test_a_file_of_another_space_is_not_found(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))
    source = await store.write(lambda tx: put_file(tx, home.space, "/a.md", "ana's"))
    await store.write(lambda tx: tx.files.remove(other.space, FilePath("/a.md")))
    await store.write(lambda tx: tx.files.rename(other.space, [(FilePath("/a.md"), FilePath("/b.md"))]))

    def look(tx: Transaction) -> list[object]:
        return [
            tx.files.find(other.space, FilePath("/a.md")),
            tx.files.page(other.space, "/", 10, 0),
            list(tx.files.under(other.space, "/")),
            set(tx.files.taken(other.space, [FilePath("/a.md")])),
            tx.files.path_of_source(other.space, source),
        ]

    assert await store.read(look) == [None, ([], 0), [], set(), None]
    assert await store.read(lambda tx: tx.files.path_of_source(home.space, source)) == "/a.md"


PATHS = [
    "/A/x",
    "/a/x",
    "/a/X",
    "/a",
    "/a/",
    "/a.b",
    "/a b",
    "/a_b",
    "/a%b",
    "/aa",
    "/é",
    "/e\u0301",
    "/\ud7ff",
    "/\ue000",
    "/\uffff",
    "/\U00010000",
    "/😀/a",
    "/\U0010ffff",
    "/\U0010ffff/a",
    "/Z",
]


async def fill(store: SqliteStore, home: Home, paths: list[str]) -> None:
    def work(tx: Transaction) -> None:
        for path in paths:
            put_file(tx, home.space, path, path)

    await store.write(work)


async def test_paths_are_in_the_order_of_their_code_points(store: SqliteStore, home: Home) -> None:
    await fill(store, home, PATHS)
    entries, total = await store.read(lambda tx: tx.files.page(home.space, "/", 100, 0))
    assert [entry.path for entry in entries] == sorted(PATHS)
    assert total == len(PATHS)
    page, total = await store.read(lambda tx: tx.files.page(home.space, "/", 3, 4))
    assert [entry.path for entry in page] == sorted(PATHS)[4:7]
    assert total == len(PATHS)


@pytest.mark.parametrize("prefix", ["/a", "/a/", "/A", "/a_", "/a%", "/é", "/\ud7ff", "/\U0010ffff", "/none", "/"])
async def test_a_prefix_is_literal(store: SqliteStore, home: Home, prefix: str) -> None:
    await fill(store, home, PATHS)
    expected = sorted(path for path in PATHS if path.startswith(prefix))
    entries, total = await store.read(lambda tx: tx.files.page(home.space, prefix, 100, 0))
    under = await store.read(lambda tx: tx.files.under(home.space, prefix))
    first = await store.read(lambda tx: tx.files.under(home.space, prefix, 2))
    assert [entry.path for entry in entries] == [path for path, _ in under] == expected
    assert [path for path, _ in first] == expected[:2]
    assert total == len(expected)


_names = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=4)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.sets(_names, min_size=1, max_size=8), prefix=st.text(max_size=2))
async def test_any_paths_sort_and_start_as_in_python(
    store: SqliteStore, home: Home, names: set[str], prefix: str
) -> None:
    paths = [FilePath("/" + name) for name in names]
    wanted = "/" + "".join(ch for ch in prefix if unicodedata.category(ch) not in ("Cs", "Cc"))

    def work(tx: Transaction) -> list[str]:
        for path in paths:
            source = a_source(text_form="kept")
            tx.sources.add(home.space, source, None)
            tx.files.put(home.space, File(path, "", 0, NOW, source.id))
        found = [entry.path for entry in tx.files.page(home.space, wanted, 100, 0)[0]]
        for path in paths:
            tx.files.remove(home.space, path)
        return list(found)

    assert await store.write(work) == sorted(path for path in paths if path.startswith(wanted))


async def test_files_move_together_and_may_take_each_others_places(store: SqliteStore, home: Home) -> None:
    await fill(store, home, ["/a", "/b", "/c"])
    moves = [("/a", "/b"), ("/b", "/a"), ("/c", "/d/c"), ("/none", "/x")]
    await store.write(lambda tx: tx.files.rename(home.space, [(FilePath(a), FilePath(b)) for a, b in moves]))

    def texts(tx: Transaction) -> dict[str, str]:
        held = {path: tx.files.find(home.space, path) for path, _ in tx.files.under(home.space, "/")}
        return {path: file.text for path, file in held.items() if file is not None}

    assert await store.read(texts) == {"/a": "/b", "/b": "/a", "/d/c": "/c"}


async def test_a_move_onto_another_file_is_refused_whole(store: SqliteStore, home: Home) -> None:
    await fill(store, home, ["/a", "/b", "/c"])
    moves = [(FilePath("/a"), FilePath("/z")), (FilePath("/b"), FilePath("/c"))]
    with pytest.raises(Conflict, match="/c"):
        await store.write(lambda tx: tx.files.rename(home.space, moves))
    assert [path for path, _ in await store.read(lambda tx: tx.files.under(home.space, "/"))] == ["/a", "/b", "/c"]


async def test_taken_paths_are_those_that_hold_a_file(store: SqliteStore, home: Home) -> None:
    await fill(store, home, ["/a", "/b"])
    asked = [FilePath(path) for path in ("/a", "/A", "/c")]
    assert await store.read(lambda tx: set(tx.files.taken(home.space, asked))) == {"/a"}


async def test_a_removed_file_takes_its_text(store: SqliteStore, home: Home) -> None:
    source = await store.write(lambda tx: put_file(tx, home.space, "/a", "text"))
    for _ in range(2):
        await store.write(lambda tx: tx.files.remove(home.space, FilePath("/a")))
    assert await store.read(lambda tx: tx.files.find(home.space, FilePath("/a"))) is None
    assert await store.read(lambda tx: tx.sources.text(home.space, source)) is None
