"""What was removed leaves every byte of the store, also when others read meanwhile or a process ends in between."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cases.conftest import traces_in
from tests.conftest import Server, learned
from tests.faults.restarting import key_of, restarting, soon

# Another process that reads what is there now, goes on holding it until it gets a line, and keeps the store open.
_READER = """
import sys
from pysqlite3 import dbapi2
store = dbapi2.connect(sys.argv[1], isolation_level=None)
store.execute("BEGIN")
store.execute("SELECT count(*) FROM memories").fetchone()
print("reading", flush=True)
sys.stdin.readline()
store.execute("COMMIT")
print("read", flush=True)
sys.stdin.read()
"""


@contextmanager
def reading(data: Path) -> Iterator[Callable[[], None]]:
    """Another process holds what the store tells now, until the function that is yielded is called."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", _READER, str(data / "main.db")]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "reading\n"

        def end() -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "read\n"

        yield end
        process.kill()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scrubs that give up soon, and are tried again soon."""
    from geniffy_server import worker
    from geniffy_server.storage import scrub

    monkeypatch.setattr(scrub, "PATIENCE_S", 0.3)
    monkeypatch.setattr(worker, "_PAUSE_AFTER_BUSY_S", 0.1)


def tell(sdk: Any) -> int:
    """Tell a memory of a word that stands nowhere else; the memory's id."""
    learned(sdk, sdk.memories.add("The launch word is xylophantasm.\n\nAna lives in Porto."))
    return next(one.id for one in sdk.memories.iter() if "launch" in one.text)


@pytest.fixture
def sdk(fresh_server: Callable[..., Server], make_account: Callable[..., Any]) -> Iterator[tuple[Any, Path]]:
    """The published client of a server of the test's own, and where that keeps its store."""
    from geniffy import Geniffy

    server = fresh_server()
    with Geniffy(make_account(server).key, base_url=server.base_url, max_retries=0) as client:
        yield client.space("ana"), server.data


def test_forgetting_waits_for_one_who_reads_and_then_leaves_no_trace(sdk: tuple[Any, Path]) -> None:
    memory_client, data = sdk
    memory = tell(memory_client)
    forgotten = threading.Thread(target=memory_client.memories.delete, args=(memory,))
    with reading(data) as end:
        forgotten.start()
        assert soon(lambda: memory_client.memories.list().total == 1)  # it is gone from answers meanwhile
        assert traces_in(data, "xylophantasm")
        end()
        forgotten.join(60)

        assert traces_in(data, "xylophantasm") == []


@pytest.mark.usefixtures("impatient")
def test_when_one_reads_for_too_long_it_is_told_and_what_is_left_is_cleaned_later(sdk: tuple[Any, Path]) -> None:
    from geniffy import InternalServerError

    memory_client, data = sdk
    memory = tell(memory_client)
    with reading(data) as end:
        with pytest.raises(InternalServerError) as told:
            memory_client.memories.delete(memory)
        assert (told.value.status, told.value.code) == (503, "memory_unavailable")
        assert "It is forgotten" in str(told.value)
        assert memory_client.memories.list().total == 1
        assert traces_in(data, "xylophantasm")
        end()

        assert soon(lambda: not traces_in(data, "xylophantasm"))


def test_a_server_killed_before_it_cleaned_is_followed_by_one_that_does(tmp_path: Path) -> None:
    from geniffy import Geniffy

    data = tmp_path / "data"
    with restarting(data, tmp_path / "log") as server:
        server.start()
        key = key_of(data)
        with Geniffy(key, base_url=server.base_url, max_retries=0) as client:
            memory = tell(client)
            with reading(data) as end:
                forgotten = threading.Thread(target=forget, args=(server.base_url, key, memory))
                forgotten.start()
                assert soon(lambda: client.memories.list().total == 1)
                server.kill()
                forgotten.join(60)
                end()
                assert traces_in(data, "xylophantasm")

                server.start()
                assert soon(lambda: not traces_in(data, "xylophantasm"))


def forget(base_url: str, key: str, memory: int) -> None:
    """Ask a server to forget, and see it die."""
    headers = {"Authorization": f"Bearer {key}"}
    with pytest.raises(httpx.TransportError):
        httpx.delete(f"{base_url}/v1/memories/{memory}", headers=headers, timeout=60)


def test_a_fault_of_the_store_logs_no_word_of_what_was_said(
    sdk: tuple[Any, Path], caplog: pytest.LogCaptureFixture
) -> None:
    from geniffy import InternalServerError

    memory_client, data = sdk
    with subprocess.Popen(
        [sys.executable, "-c", _BREAK, data / "main.db"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as broken:
        assert broken.wait(30) == 0

    with caplog.at_level(logging.DEBUG), pytest.raises(InternalServerError) as told:
        memory_client.memories.add("The launch word is xylophantasm.", title="On xylophantasm")

    assert told.value.code == "internal"
    assert "a call failed" in caplog.text
    assert "xylophantasm" not in caplog.text
    assert "xylophantasm" not in str(told.value)


_BREAK = """
import sys
from pysqlite3 import dbapi2
store = dbapi2.connect(sys.argv[1])
store.execute("CREATE TRIGGER broken BEFORE INSERT ON source_texts BEGIN SELECT RAISE(ABORT, 'broken'); END")
store.commit()
"""
