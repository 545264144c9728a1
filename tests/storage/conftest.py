"""A real store in a temporary directory, and plain values to put in it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from geniffy_server.domain.file import File, FilePath, external_id_of_path
from geniffy_server.domain.memory import Line, MemoryId, NewMemory
from geniffy_server.domain.source import NewPassage, PassageId, Source, SourceId, new_source_id
from geniffy_server.domain.space import AccountId, SpaceId
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore, open_store

NOW = datetime(2026, 10, 3, 9, 41, tzinfo=UTC)


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an empty store, to be copied: making one takes longer than most tests."""
    directory = tmp_path_factory.mktemp("empty")
    asyncio.run(open_store(directory).close())
    return directory


@pytest.fixture
async def store(tmp_path: Path, empty_store: Path) -> AsyncIterator[SqliteStore]:
    shutil.copytree(empty_store, tmp_path / "data")
    opened = open_store(tmp_path / "data", create=False)
    yield opened
    await opened.close()


@dataclass(frozen=True, slots=True)
class Home:
    """An account with a space of its own."""

    account: AccountId
    space: SpaceId


@pytest.fixture
async def home(store: SqliteStore) -> Home:
    return await store.write(make_home)


def make_home(tx: Transaction, space: str = "ana") -> Home:
    owner = tx.accounts.owner() or tx.accounts.add("ana@example.com", "Ana", "UTC", NOW)
    return Home(owner.id, tx.spaces.ensure(owner.id, space).id)


def a_source(
    *,
    text_form: str = "text",
    title: str = "A note",
    labels: Mapping[str, str] | None = None,
    external_id: str | None = None,
    source_id: SourceId | None = None,
    said_at: datetime | None = NOW,
) -> Source:
    return Source(
        id=source_id or new_source_id(),
        kind="note",
        form=text_form,
        title=title,
        title_given=True,
        status="reading",
        error=None,
        facts=None,
        external_id=external_id,
        labels=labels or {},
        said_at=said_at,
        added_at=NOW,
        added_by="test",
        revision=1,
    )


def a_line(source_id: SourceId, passage_id: PassageId, quote: str, *, start: int = 0, said_at: datetime = NOW) -> Line:
    return Line(source_id, passage_id, start, start + len(quote), quote, said_at)


def a_memory(text: str, /, **changes: object) -> NewMemory:
    values: dict[str, object] = {
        "text": text,
        "kind": "detail",
        "about": None,
        "how": "none",
        "first_person": False,
        "statement": text.encode(),
        "spoken": None,
        "learned_at": NOW,
        "status": "current",
        "vector": b"v" * 768,
        "tokens": b"t" * 16,
        **changes,
    }
    return NewMemory(**values)


def a_passage(text: str, start: int = 0) -> NewPassage:
    return NewPassage(text.encode()[:16].ljust(16), start, start + len(text), "para")


@dataclass(frozen=True, slots=True)
class Taught:
    """A source with one passage and one memory for each text."""

    source: SourceId
    passages: list[PassageId]
    memories: list[MemoryId]


def teach(
    tx: Transaction, space: SpaceId, *texts: str, labels: Mapping[str, str] | None = None, **changes: object
) -> Taught:
    rev = tx.spaces.bump(space)
    source = a_source(labels=labels)
    tx.sources.add(space, source, "\n".join(texts))
    passages = list(tx.sources.add_passages(space, source.id, [(i, a_passage(t)) for i, t in enumerate(texts)]))
    ids: list[MemoryId] = []
    for text, passage in zip(texts, passages, strict=True):
        ids.append(tx.memories.add(space, a_memory(text, **changes), a_line(source.id, passage, text), rev))
    return Taught(source.id, passages, ids)


def put_file(tx: Transaction, space: SpaceId, path: str, text: str) -> SourceId:
    source = a_source(text_form="kept", title=path, external_id=external_id_of_path(FilePath(path)))
    tx.sources.add(space, source, None)
    tx.files.put(space, File(FilePath(path), text, len(text), NOW, source.id))
    return source.id
