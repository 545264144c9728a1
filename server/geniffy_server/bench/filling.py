"""Fills a store with memories that were not learned: the rows that learning writes, in bulk and without its time."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Table, func, insert, select

from geniffy_server.bench.people import Statement, statement
from geniffy_server.domain.memory import embedded_text
from geniffy_server.domain.source import new_source_id
from geniffy_server.domain.space import AccountId
from geniffy_server.ports import Embedder, Recall
from geniffy_server.storage.schema import (
    memories,
    memory_lines,
    memory_vectors,
    passages,
    source_texts,
    sources,
    spaces,
)
from geniffy_server.storage.spaces import SECRET_BYTES
from geniffy_server.storage.sqlite import connected, in_transaction, open_engine
from geniffy_server.storage.store import MAIN

_SAID_AT: Final = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
_EACH_SOURCE: Final = 20  # memories that one source teaches
_AT_ONCE: Final = 10_000  # memories in one transaction, unless a space holds more
_CATEGORY: Final = "other"  # else the worker would detect it, beside what is measured
_NOISE: Final = 0.35  # a vector made with it has a cosine of .94 to the one it was made from

# What refers comes after what it refers to.
_TABLES: Final = (spaces, sources, source_texts, passages, memories, memory_vectors, memory_lines)


@dataclass(frozen=True, slots=True)
class Made:
    """A memory ready to be stored. `vector`: 384 float16 as bytes; `tokens`: its search keys as bytes."""

    told: Statement
    vector: bytes
    tokens: bytes


def embedded(numbers: Sequence[int], embedder: Embedder, recall: Recall) -> list[Made]:
    """The memories of these statements, each embedded by the model."""
    told = [statement(number) for number in numbers]
    vectors = embedder.embed([embedded_text(one.text, one.quote, first_person=one.is_own) for one in told])
    return [_made(one, vector, recall) for one, vector in zip(told, vectors, strict=True)]


def resembling(numbers: Iterable[int], known: Sequence[Made], recall: Recall) -> Iterator[Made]:
    """The memories of these statements, with vectors that are known ones and some noise.

    To embed a hundred thousand takes minutes, and how long a search takes does not hang on what its vectors mean.
    """
    of = np.frombuffer(b"".join(one.vector for one in known), np.float16).reshape(len(known), -1).astype(np.float32)
    chance = np.random.default_rng(1)
    for number in numbers:
        noise = chance.standard_normal(of.shape[1], np.float32) * np.float32(_NOISE / of.shape[1] ** 0.5)
        vector = of[number % len(of)] + noise
        yield _made(statement(number), vector / np.linalg.norm(vector), recall)


def fill(directory: Path, account_id: AccountId, held: Iterable[tuple[str, Sequence[Made]]]) -> None:
    """Write spaces that are new, each with its memories, into the store in `directory`."""
    with connected(open_engine(directory / MAIN, "writer")) as connection:
        space_id, passage_id, memory_id = (_next_id(connection, table) for table in (spaces, passages, memories))
        rows = _Rows(account_id, space_id, passage_id, memory_id)
        for name, its in held:
            rows.add_space(name, its)
            if len(rows.of.get(memories, ())) >= _AT_ONCE:
                in_transaction(connection, "BEGIN IMMEDIATE", rows.write)
                rows.of.clear()
        in_transaction(connection, "BEGIN IMMEDIATE", rows.write)


def _made(told: Statement, vector: NDArray[np.float32], recall: Recall) -> Made:
    tokens = recall.tokens(told.text, told.about, _SAID_AT, said_by=told.about if told.is_own else None)
    return Made(told, vector.astype(np.float16).tobytes(), tokens)


def _next_id(connection: Connection, table: Table) -> int:
    with connection.begin():
        return int(connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one()) + 1


@dataclass(slots=True)
class _Rows:
    """Rows that wait to be written, by table; the ids are those of the next rows."""

    account_id: AccountId
    space_id: int
    passage_id: int
    memory_id: int
    of: dict[Table, list[dict[str, Any]]] = field(default_factory=dict)

    def write(self, connection: Connection) -> None:
        for table in _TABLES:
            if rows := self.of.get(table):
                connection.execute(insert(table), rows)

    def add_space(self, name: str, its: Sequence[Made]) -> None:
        self._add(
            spaces,
            id=self.space_id,
            account_id=self.account_id,
            name=name,
            version=1,
            secret=secrets.token_bytes(SECRET_BYTES),
            owner_name=None,
            last_added_at=_SAID_AT,
            pruned_rev=0,
        )
        for start in range(0, len(its), _EACH_SOURCE):
            self._add_source(its[start : start + _EACH_SOURCE])
        self.space_id += 1

    def _add_source(self, its: Sequence[Made]) -> None:
        of = {"space_id": self.space_id, "source_id": new_source_id()}
        text = "\n\n".join(one.told.quote for one in its)
        self._add(
            sources,
            space_id=self.space_id,
            id=of["source_id"],
            kind="note",
            form="text",
            title=its[0].told.quote,
            title_given=False,
            status="learned",
            facts=len(its),
            labels={},
            said_at=_SAID_AT,
            added_at=_SAID_AT,
            revision=1,
            withheld=0,
        )
        self._add(source_texts, **of, text=text)
        start = 0
        for position, one in enumerate(its):
            self._add_memory(one, of, position, start)
            start += len(one.told.quote) + 2

    def _add_memory(self, one: Made, of: dict[str, Any], position: int, start: int) -> None:
        digest = hashlib.sha256(one.told.text.encode()).digest()
        place = {"start": start, "end": start + len(one.told.quote)}
        self._add(
            passages,
            id=self.passage_id,
            **of,
            position=position,
            digest=digest[:16],
            **place,
            kind="para",
            learned=True,
        )
        self._add(
            memories,
            id=self.memory_id,
            space_id=self.space_id,
            rev=1,
            text=one.told.text,
            kind=one.told.kind,
            about=one.told.about,
            how="speaker" if one.told.is_own else "np",
            first_person=one.told.is_own,
            statement=digest,
            learned_at=_SAID_AT,
            status="current",
            first_line=0,
            category=_CATEGORY,
        )
        ids = {"space_id": self.space_id, "memory_id": self.memory_id}
        self._add(memory_vectors, **ids, vec=one.vector, tok=one.tokens)
        line = {"n": 0, "passage_id": self.passage_id, "start": 0, "end": len(one.told.quote), "quote": one.told.quote}
        self._add(memory_lines, **ids, source_id=of["source_id"], **line, said_at=_SAID_AT)
        self.passage_id += 1
        self.memory_id += 1

    def _add(self, table: Table, **row: Any) -> None:
        self.of.setdefault(table, []).append(row)
