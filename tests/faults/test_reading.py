"""Who only reads waits for nobody who writes, and for no disk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conftest import Server, learned

# Another process that keeps everybody from writing to the store until it is killed.
_WRITER = """
import sys
from pysqlite3 import dbapi2
store = dbapi2.connect(sys.argv[1], isolation_level=None)
store.execute("BEGIN IMMEDIATE")
print("writing", flush=True)
sys.stdin.read()
"""


@contextmanager
def written_to(data: Path) -> Iterator[None]:
    """Nobody else can write to the store while the block runs."""
    command = [sys.executable, "-c", _WRITER, str(data / "main.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        yield
        process.kill()


def test_reading_and_asking_wait_for_no_writer_and_are_counted_all_the_same(
    fresh_server: Callable[..., Server], make_account: Callable[..., Any]
) -> None:
    from geniffy import Geniffy

    server = fresh_server()
    with (
        Geniffy(make_account(server).key, base_url=server.base_url, max_retries=0, timeout=10) as client,
        Geniffy(make_account(server).key, base_url=server.base_url, max_retries=0, timeout=10) as never_used,
    ):
        learned(client, client.memories.add("Ana lives in Porto."))
        before = client.usage()["answers"]
        with written_to(server.data):
            assert "Porto" in str(client.ask("Where does Ana live?").answer)
            assert "Porto" in client.context("Where does Ana live?")
            assert "Porto" in client.search("Where does Ana live?")[0].text
            assert never_used.search("Where does Ana live?") == []
        assert client.usage()["answers"] == before + 2
