"""Spaces written to a file and read again."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from geniffy_server.domain.curation import Conversation, Curation
from geniffy_server.domain.memory import Spoken
from geniffy_server.domain.source import SourceId, ToolUse, Turn
from geniffy_server.domain.space import OWN, AccountId
from geniffy_server.errors import BadInput, Conflict, NotFound
from geniffy_server.ports import Transaction
from geniffy_server.storage.archive import Moved, read_spaces, write_spaces
from geniffy_server.storage.archive_rows import PARTS
from geniffy_server.storage.store import SqliteStore, open_store
from tests.storage.conftest import NOW, Home, a_line, a_source, make_home, put_file, teach


def quiet(done: int, total: int) -> None:
    assert 0 <= done <= total


def fill(tx: Transaction, home: Home) -> None:
    """Something in every table, with ids that start elsewhere than at 1."""
    teach(tx, make_home(tx, "before").space, *map(str, range(40)))
    taught = teach(
        tx, home.space, "Zoë plans.", "Old.", "New.", labels={"b": "'", "a": "ü\n"}, about="Zoë", first_person=True
    )
    one, old, new = taught.memories
    spoken = Spoken(date(2026, 1, 1), date(2026, 1, 31), "month")
    other = teach(tx, home.space, "Other.", "Clash.", kind="plan", spoken=spoken, status="clash")
    tx.memories.add_line(home.space, one, a_line(other.source, other.passages[0], "Other."), 9)
    tx.memories.set_status(home.space, old, "replaced", new, 9)
    tx.memories.add_clash(home.space, other.memories[1], other.memories[0])
    tx.memories.refuse(home.space, [b"\x00\xff", b"b"])
    source = put_file(tx, home.space, "/n\u0301.md", "\ufeffkept\r\n" * 700)
    tx.jobs.add(home.space, source, 1, NOW)
    talk = a_source(text_form="turns", said_at=None)
    tx.sources.add(home.space, talk, None)
    tool = ToolUse("look", None, '"x"', is_output=True)
    tx.sources.append_turns(
        home.space, talk.id, [Turn("user", "Ana", "Hi", NOW, (tool,)), Turn("tool", None, "", None)]
    )
    tx.curations.set(home.space, one, Curation("work", True, True, True, False, True, NOW + timedelta(days=1)))
    tx.conversations.set(home.space, replace(a_conversation(tx, home, talk.id), category="travel", locked=True))
    tx.spaces.name_owner(home.space, "Zoë")
    tx.spaces.added(home.space, NOW)
    tx.set_meta("embedder", "mini")


def a_conversation(tx: Transaction, home: Home, source_id: SourceId) -> Conversation:
    return tx.conversations.find_many(home.space, [source_id])[source_id]


def held(tx: Transaction, name: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of a space but for numbers that are given anew, which become their rank."""
    from sqlalchemy import select

    connection = tx._connection
    account = tx.accounts.owner()
    assert account is not None
    space = tx.spaces.find(account.id, name)
    assert space is not None
    ranks: dict[str, dict[int, int]] = {"passage": {}, "memory": {}}
    found: dict[str, list[tuple[Any, ...]]] = {"space": [(space.name, space.secret, space.owner_name)]}
    for part in PARTS:
        rows = connection.execute(
            select(*part.columns)
            .where(part.table.c.space_id == space.id)
            .order_by(*(part.table.c[c] for c in part.order))
        ).mappings()
        rows = [dict(row) for row in rows]
        if "id" in part.numbers:
            ranks[part.numbers["id"]] = {row["id"]: rank for rank, row in enumerate(rows)}
        for row in rows:
            for column, owner in part.numbers.items():
                row[column] = ranks[owner].get(row[column])
        found[part.name] = [tuple(str(value) for value in row.values()) for row in rows]
    return found


@pytest.fixture
async def filled(store: SqliteStore, home: Home) -> SqliteStore:
    await store.write(lambda tx: fill(tx, home))
    return store


@pytest.fixture
async def other(tmp_path: Path, empty_store: Path) -> AsyncIterator[SqliteStore]:
    shutil.copytree(empty_store, tmp_path / "other")
    opened = open_store(tmp_path / "other", create=False)
    yield opened
    await opened.close()


async def account_in(other: SqliteStore) -> AccountId:
    account = await other.write(lambda tx: tx.accounts.add(None, None, "UTC", NOW))
    return account.id


async def test_a_space_comes_back_with_every_row(
    filled: SqliteStore, other: SqliteStore, home: Home, tmp_path: Path
) -> None:
    before = await filled.read(lambda tx: held(tx, "ana"))
    assert all(before.values())  # nothing is left out of this test
    archive = tmp_path / "ana.jsonl"
    written = write_spaces(filled.directory, home.account, ["ana"], archive, quiet)
    assert written == Moved(["ana"], 4, 5)
    assert archive.stat().st_mode & 0o077 == 0

    account = await account_in(other)
    told: list[tuple[int, int]] = []
    assert read_spaces(other.directory, account, archive, lambda *at: told.append(at)) == written
    assert told[-1][0] == told[-1][1]
    assert await other.read(lambda tx: held(tx, "ana")) == before
    assert await other.read(lambda tx: tx.meta("embedder")) == "mini"

    def works(tx: Transaction) -> tuple[int, int, int, int]:
        space = tx.spaces.find(account, "ana")
        assert space is not None
        job = tx.jobs.claim("w", NOW.replace(year=2100), 1.0)
        assert job is not None
        text = tx.sources.text(space.id, job.source_id)
        labelled = tx.memories.page(space.id, None, {"a": ("ü\n",)}, 10, 0)
        rows = list(tx.memories.shard_rows(space.id, 0))
        return len(text or ""), len(labelled), len(rows), len(tx.memories.clashing_with(space.id, [r.id for r in rows]))

    assert await other.write(works) == (len("\ufeffkept\r\n" * 700), 2, 4, 2)


async def test_an_archive_of_the_first_version_is_read_with_what_it_did_not_know_yet(
    filled: SqliteStore, other: SqliteStore, home: Home, tmp_path: Path
) -> None:
    def as_first(line: dict[str, Any]) -> dict[str, Any] | None:
        if "format" in line:
            line["version"] = 1
            line["spaces"][0]["lines"] -= 1  # that of the conversation
        for name in ("category", "category_given", "manually_added", "reviewed", "edited", "locked", "updated_at"):
            line.get("memory", {}).pop(name, None)
        return None if "conversation" in line else line

    archive = tmp_path / "ana.jsonl"
    write_spaces(filled.directory, home.account, ["ana"], archive, quiet)
    lines = [as_first(json.loads(line)) for line in archive.read_bytes().splitlines()]
    archive.write_text("".join(json.dumps(line) + "\n" for line in lines if line is not None))
    before = await filled.read(lambda tx: held(tx, "ana"))

    account = await account_in(other)
    read_spaces(other.directory, account, archive, quiet)

    after = await other.read(lambda tx: held(tx, "ana"))
    assert {name for name in before if after[name] != before[name]} == {"memory", "conversation"}

    def kept(tx: Transaction) -> tuple[Any, Any]:
        space = tx.spaces.find(account, "ana")
        assert space is not None
        memories = [memory.id for memory in tx.memories.every(space.id)]
        talks = tx.conversations.page(space.id, since=None, before=None, categories=(), limit=9, offset=0)
        return tx.curations.find_many(space.id, memories), talks

    curations, talks = await other.read(kept)
    assert set(curations.values()) == {Curation(None, False, False, False, False, False, NOW)}
    assert [(talk.started_at, talk.finished_at, talk.category, talk.locked) for talk in talks] == [
        (NOW, NOW, None, False)
    ]


async def test_the_same_space_gives_the_same_bytes_whatever_else_is_held(
    filled: SqliteStore, home: Home, tmp_path: Path
) -> None:
    write_spaces(filled.directory, home.account, ["ana"], tmp_path / "one", quiet)
    before = await filled.write(lambda tx: make_home(tx, "before"))
    await filled.write(lambda tx: tx.spaces.erase(before.space))
    await filled.write(lambda tx: teach(tx, make_home(tx, "later").space, "More."))
    write_spaces(filled.directory, home.account, ["ana"], tmp_path / "two", quiet)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


async def test_all_spaces_that_hold_something_are_written(
    filled: SqliteStore, other: SqliteStore, home: Home, tmp_path: Path
) -> None:
    await filled.write(lambda tx: make_home(tx, "empty"))
    await filled.write(lambda tx: teach(tx, make_home(tx, OWN).space, "Mine."))
    written = write_spaces(filled.directory, home.account, None, tmp_path / "all", quiet)
    assert written.spaces == [OWN, "ana", "before"]
    account = await account_in(other)
    assert read_spaces(other.directory, account, tmp_path / "all", quiet) == written
    for name in written.spaces:
        assert await other.read(lambda tx, name=name: held(tx, name)) == await filled.read(
            lambda tx, name=name: held(tx, name)
        )


async def test_what_was_refused_stays_refused_after_a_move(
    filled: SqliteStore, other: SqliteStore, home: Home, tmp_path: Path
) -> None:
    write_spaces(filled.directory, home.account, ["ana"], tmp_path / "ana", quiet)
    account = await account_in(other)
    await other.write(lambda tx: tx.spaces.ensure(account, "ana"))  # there, but empty: its secret is replaced
    read_spaces(other.directory, account, tmp_path / "ana", quiet)
    old = await filled.read(lambda tx: tx.spaces.find(home.account, "ana"))
    new = await other.read(lambda tx: tx.spaces.find(account, "ana"))
    assert old is not None
    assert new is not None
    assert new.secret == old.secret
    assert await other.read(lambda tx: set(tx.memories.refused(new.id, [b"b", b"c"]))) == {b"b"}


async def test_a_space_that_holds_something_is_not_read_over(filled: SqliteStore, home: Home, tmp_path: Path) -> None:
    write_spaces(filled.directory, home.account, ["ana"], tmp_path / "ana", quiet)
    before = await filled.read(lambda tx: held(tx, "ana"))
    with pytest.raises(Conflict, match="'ana' holds something"):
        read_spaces(filled.directory, home.account, tmp_path / "ana", quiet)
    assert await filled.read(lambda tx: held(tx, "ana")) == before


async def test_vectors_of_another_embedder_are_made_anew(
    filled: SqliteStore, other: SqliteStore, home: Home, tmp_path: Path
) -> None:
    write_spaces(filled.directory, home.account, ["ana"], tmp_path / "ana", quiet)
    account = await account_in(other)
    await other.write(lambda tx: tx.set_meta("embedder", "another"))
    read_spaces(other.directory, account, tmp_path / "ana", quiet)
    assert len(await other.read(lambda tx: tx.memories.without_vector(100))) == 5
    assert await other.read(lambda tx: tx.meta("embedder")) == "another"


async def test_a_file_that_is_there_is_not_written_over(filled: SqliteStore, home: Home, tmp_path: Path) -> None:
    (tmp_path / "ana").write_text("mine")
    with pytest.raises(Conflict):
        write_spaces(filled.directory, home.account, ["ana"], tmp_path / "ana", quiet)
    assert (tmp_path / "ana").read_text() == "mine"


async def test_a_space_that_holds_nothing_leaves_no_file(
    filled: SqliteStore, other: SqliteStore, home: Home, tmp_path: Path
) -> None:
    with pytest.raises(NotFound, match="'none'"):
        write_spaces(filled.directory, home.account, ["ana", "none"], tmp_path / "out", quiet)
    assert not (tmp_path / "out").exists()
    with pytest.raises(NotFound):
        write_spaces(tmp_path / "nowhere", home.account, None, tmp_path / "out", quiet)


def change(number: int, edit: Callable[[dict[str, Any]], None]) -> Callable[[list[bytes]], list[bytes]]:
    def changed(lines: list[bytes]) -> list[bytes]:
        line = json.loads(lines[number])
        edit(line)
        return [*lines[:number], json.dumps(line).encode() + b"\n", *lines[number + 1 :]]

    return changed


def without(key: str) -> Callable[[list[bytes]], list[bytes]]:
    """The archive with the first line of that kind taken out, and counted out."""

    def changed(lines: list[bytes]) -> list[bytes]:
        at = next(number for number, line in enumerate(lines) if line.startswith(f'{{"{key}"'.encode()))
        rest = lines[:at] + lines[at + 1 :]
        return change(0, lambda first: first["spaces"][0].update(lines=len(rest) - 1))(rest)

    return changed


DAMAGE: list[tuple[str, Callable[[list[bytes]], list[bytes]]]] = [
    ("no archive", lambda lines: []),
    ("no archive", lambda lines: [b"\x00\xff\n"]),
    ("no archive", lambda lines: [b"[" * 100_000 + b"\n"]),
    ("no archive", lambda lines: [b'{"format": "other"}\n']),
    ("newer version", change(0, lambda first: first.update(version=3))),
    ("can't name a space", change(0, lambda first: first["spaces"][0].update(name="../x"))),
    ("no archive", change(0, lambda first: first["spaces"][0].update(lines=0))),
    ("twice", change(0, lambda first: first["spaces"].append(first["spaces"][0]))),
    ("cut off", lambda lines: lines[:-1]),
    ("cut off", lambda lines: [*lines[:-1], lines[-1][:-1]]),
    ("goes on", lambda lines: [*lines, lines[-1]]),
    ("does not follow", change(1, lambda line: line["space"].update(name="other"))),
    ("no row", lambda lines: [*lines[:3], b"not json\n", *lines[4:]]),
    ("no row", change(2, lambda line: line.update(more={}))),
    ("no row", change(2, lambda line: line["source"].pop("kind"))),
    ("no value", change(2, lambda line: line["source"].update(title=None))),
    ("no value", change(2, lambda line: line["source"].update(revision=True))),
    ("no value", change(2, lambda line: line["source"].update(revision=2**70))),
    ("no value", change(2, lambda line: line["source"].update(added_at="2026-10-03"))),
    ("no value", change(2, lambda line: line["source"].update(labels={"a": 1}))),
    ("surrogate", change(2, lambda line: line["source"].update(title="\ud800"))),
    ("NUL", change(2, lambda line: line["source"].update(title="\x00"))),
    ("source of 'ana'", without("source")),
    ("passage of 'ana'", without("passage")),
    ("memory of 'ana'", without("memory")),
    (
        "twice",
        lambda lines: change(0, lambda f: f["spaces"][0].update(lines=len(lines)))([*lines[:3], lines[2], *lines[3:]]),
    ),
]


@pytest.mark.parametrize(("sentence", "damage"), DAMAGE, ids=range(len(DAMAGE)))
async def test_a_damaged_archive_is_refused_and_nothing_is_read(
    filled: SqliteStore,
    other: SqliteStore,
    home: Home,
    tmp_path: Path,
    sentence: str,
    damage: Callable[[list[bytes]], list[bytes]],
) -> None:
    archive = tmp_path / "ana"
    write_spaces(filled.directory, home.account, ["ana"], archive, quiet)
    archive.write_bytes(b"".join(damage(archive.read_bytes().splitlines(keepends=True))))
    account = await account_in(other)
    with pytest.raises(BadInput, match=sentence):
        read_spaces(other.directory, account, archive, quiet)
    space = await other.read(lambda tx: tx.spaces.find(account, "ana"))
    assert space is None
