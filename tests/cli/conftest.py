"""Commands run in this process, and a server run in one of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx
import pytest

from geniffy_server.cli import main

STARTS_WITHIN_S = 60.0
STOPS_WITHIN_S = 30.0


@dataclass(frozen=True)
class Ran:
    """What a command answered with."""

    status: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        return self.out.splitlines()[-1]


Run = Callable[..., Ran]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs `geniffy-server` with arguments: `run("key", "list", "--data", data)`."""

    def ran(*arguments: object) -> Ran:
        capfd.readouterr()
        status = main([str(argument) for argument in arguments])
        return Ran(status, *capfd.readouterr())

    return ran


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("GENIFFY_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Where a command keeps its store; nothing is there yet."""
    return tmp_path / "memory"


class Served:
    """`geniffy-server serve` in a process of its own, on a free port."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process = process
        self.printed = ""
        self._log = log
        assert process.stdout is not None
        while "/mcp" not in self.printed:
            line = process.stdout.readline()
            assert line, f"the server stopped while it started: {self.logged}"
            self.printed += line
        found = re.search(r"http://\S+", self.printed)
        assert found
        self.base_url = found.group()
        assert httpx.get(f"{self.base_url}/healthz", timeout=STARTS_WITHIN_S).status_code == 200

    @property
    def logged(self) -> str:
        """What it wrote on standard error so far."""
        return self._log.read_text()

    def stop(self, with_signal: int = signal.SIGTERM) -> int:
        """Its exit status, after a signal. What it printed until then is added to `printed`."""
        self.process.send_signal(with_signal)
        status = self.process.wait(STOPS_WITHIN_S)
        assert self.process.stdout is not None
        self.printed += self.process.stdout.read()
        return status


Serve = Callable[..., Served]


@pytest.fixture
def serve(data: Path, tmp_path: Path) -> Iterator[Serve]:
    """Starts servers on `data`, with more arguments if wanted; they are stopped when the test ends."""
    with ExitStack() as stack:
        logs = (tmp_path / f"log-{number}" for number in count())
        yield lambda *arguments: stack.enter_context(serving(next(logs), data, *arguments))


@contextmanager
def serving(log: Path, data: Path, *arguments: object) -> Iterator[Served]:
    """A server on `data` while the block runs, which logs to `log`."""
    command = [sys.executable, "-m", "geniffy_server", "serve", "--data", str(data), "--port", "0"]
    with (
        log.open("w") as errors,
        subprocess.Popen([*command, *map(str, arguments)], stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            yield Served(process, log)
        finally:
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(STOPS_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
