"""What the cases share: names that nobody else has, and a look at everything that a store keeps."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from geniffy_server.storage import raw_bytes
from geniffy_server.storage.scan import scan
from tests.cases.serving import first_key
from tests.cli.conftest import Served, serving
from tests.conftest import Server
from tests.mcp.conftest import connect, learn, tools

__all__ = ["connect", "learn", "tools"]

Traces = Callable[..., list[str]]


@dataclass(frozen=True)
class Pair:
    """Two servers, each a process of its own, on one directory."""

    data: Path
    one: Served
    two: Served
    key: str


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    directory = tmp_path_factory.mktemp("pair")
    data = directory / "data"
    with serving(directory / "one.log", data) as one, serving(directory / "two.log", data) as two:
        yield Pair(data, one, two, first_key(one))


@pytest.fixture
def person_name() -> str:
    """The name of a person whom no other test tells of, such as `Tamsin Qaebfcd`."""
    letters = str.maketrans("0123456789", "ghijklmnop")
    return f"Tamsin Q{uuid4().hex[:12].translate(letters)}"


@pytest.fixture
def traces(server: Server) -> Traces:
    """Every place in the server's rows, files and request log that holds any of these texts or bytes."""

    def found(*wanted: str | bytes) -> list[str]:
        server.run(server.ports.calls.flush())
        return traces_in(server.data, *wanted)

    return found


def traces_in(data: Path, *wanted: str | bytes) -> list[str]:
    """The same for a store that no server of this process runs on."""
    told = [
        f"{one.table}.{one.column}" if one.table else one.file
        for text in wanted
        if isinstance(text, str)
        for one in scan(data, text)
    ]
    strings = [text.hex() for text in wanted if isinstance(text, bytes)]
    if strings:
        # Another process looks: closing a file that SQLite has open too would drop SQLite's locks on it.
        looked = subprocess.run(
            [sys.executable, raw_bytes.__file__, str(data)],
            input="\n".join(strings),
            capture_output=True,
            text=True,
            check=True,
        )
        told += [json.loads(line)[0] for line in looked.stdout.splitlines()]
    return sorted(set(told))


@pytest.fixture
async def ahttp(base_url: str, api_key: str, space: str) -> AsyncIterator[httpx.AsyncClient]:
    """Plain HTTP with the key and the test's space, for tests that wait for other things too."""
    headers = {"Authorization": f"Bearer {api_key}", "X-Geniffy-Space": space}
    async with httpx.AsyncClient(base_url=base_url, headers=headers, timeout=60.0) as one:
        yield one


@pytest.fixture
def vector_of(server: Server) -> Callable[[int], bytes]:
    """The bytes of a memory's vector as the store keeps them."""

    def kept(memory_id: int) -> bytes:
        def work(tx: Any) -> bytes:
            sql = "SELECT vec FROM memory_vectors WHERE memory_id = ?"
            return bytes(tx._connection.exec_driver_sql(sql, (memory_id,)).scalar_one())

        return server.read(work)

    return kept


@pytest.fixture
def held(sdk: Any) -> Callable[[str], Any]:
    """The one memory of the test's space whose text holds some words."""

    def one(words: str) -> Any:
        (found,) = [memory for memory in sdk.memories.iter() if words in memory.text]
        return found

    return one
