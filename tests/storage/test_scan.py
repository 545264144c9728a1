"""Finding every place that still holds a text."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from geniffy_server.domain.source import ToolUse, Turn
from geniffy_server.errors import BadInput, NotFound
from geniffy_server.ports import Transaction
from geniffy_server.storage import raw_bytes
from geniffy_server.storage.call_log import open_call_log
from geniffy_server.storage.scan import Finding, scan
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, a_source, put_file, teach
from tests.storage.test_call_log import a_call


def rows(found: list[Finding]) -> set[tuple[str | None, str | None, str | None]]:
    return {(place.table, place.column, place.row) for place in found if place.table is not None}


async def test_a_text_is_found_in_every_table_and_in_the_bytes(store: SqliteStore, home: Home) -> None:
    taught = await store.write(lambda tx: teach(tx, home.space, "plover", about="plover", labels={"bird": "plover"}))
    found = scan(store.directory, "plover")
    assert rows(found) == {
        ("memories", "text", f"id={taught.memories[0]}"),
        ("memories", "about", f"id={taught.memories[0]}"),
        ("memories", "statement", f"id={taught.memories[0]}"),
        ("memory_lines", "quote", f"space_id={home.space}, memory_id={taught.memories[0]}, n=0"),
        ("passages", "digest", f"id={taught.passages[0]}"),
        ("source_labels", "value", f"space_id={home.space}, source_id={taught.source!r}, name='bird'"),
        ("source_texts", "text", f"space_id={home.space}, source_id={taught.source!r}"),
        ("sources", "labels", "n=1"),
    }
    assert {place.file for place in found if place.offset is not None} == {"main.db-wal"}
    assert scan(store.directory, "Plover") == []


async def test_a_text_is_found_however_it_is_written(store: SqliteStore, home: Home) -> None:
    typed = 'Zoë said\n"no"'

    def fill(tx: Transaction) -> None:
        put_file(tx, home.space, "/nfd", unicodedata.normalize("NFD", typed))
        source = a_source(text_form="turns")
        tx.sources.add(home.space, source, None)
        tx.sources.append_turns(
            home.space, source.id, [Turn("user", None, "", NOW, (ToolUse(None, None, typed, is_output=True),))]
        )

    await store.write(fill)
    (store.directory / "cache").mkdir()
    (store.directory / "cache" / "one.txt").write_bytes(typed.encode("utf-16-le"))
    found = scan(store.directory, typed)
    assert {(place.table, place.form) for place in found if place.table} == {
        ("source_texts", "NFD in UTF-8"),
        ("turns", "as typed, escaped in UTF-8"),
    }
    assert Finding("cache/one.txt", "as typed in UTF-16-LE", offset=0) in found


async def test_the_request_log_is_searched_too(store: SqliteStore) -> None:
    log = open_call_log(store.directory)
    log.record(a_call(1, space="plover"))
    await log.flush()
    found = scan(store.directory, "plover")
    await log.close()
    assert rows(found) == {("requests", "space", "n=1")}


async def test_a_long_text_is_found_where_pages_cut_it(store: SqliteStore, home: Home) -> None:
    text = "".join(f"{number:07d} " for number in range(5_000))
    await store.write(lambda tx: put_file(tx, home.space, "/long", text))
    for start in range(0, 30_000, 2_917):
        found = scan(store.directory, text[start : start + 1_800])
        assert rows(found)
        assert any(place.offset is not None for place in found)


async def test_after_forgetting_a_scan_is_empty(store: SqliteStore, home: Home) -> None:
    from tests.storage.test_scrub import forget

    taught = await store.write(lambda tx: teach(tx, home.space, "plover " * 3_000))
    await store.write(lambda tx: forget(tx, home, taught))
    await store.scrub()
    assert scan(store.directory, "plover") == []


async def test_a_blank_text_is_refused(store: SqliteStore) -> None:
    with pytest.raises(BadInput):
        scan(store.directory, " \n")


def test_a_directory_without_a_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        scan(tmp_path, "plover")


def test_a_string_is_found_once_wherever_the_reading_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"..needle..needlee" + b"." * 10 + b"needle")
    for chunk in range(1, 25):
        monkeypatch.setattr(raw_bytes, "_CHUNK", chunk)
        found = list(raw_bytes.places(tmp_path, [b"needle", b"e"]))
        assert [offset for _, offset, number in found if number == 0] == [2, 10, 27]
        assert len([offset for _, offset, number in found if number == 1]) == 10
