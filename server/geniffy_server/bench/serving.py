"""Servers that a benchmark starts, in processes of their own on this machine, and always stops again."""

from __future__ import annotations

import contextlib
import http.client
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from geniffy_server.errors import Unavailable

STARTS_WITHIN_S: Final = 60.0
STOPS_WITHIN_S: Final = 20.0
_IMPORTS_WITHIN_S: Final = 300.0
_LOOK_EVERY_S: Final = 0.005
_SETTLES_WITHIN_S: Final = 10.0
_SETTLED_S: Final = 1.0
_NOISE_MB: Final = 0.2


@dataclass(frozen=True, slots=True)
class Served:
    """A server that answers. `started_s`: from the start of its process to its first answer."""

    base_url: str
    process_id: int
    started_s: float
    log: Path

    def memory_mb(self) -> float | None:
        """What of it lies in RAM, in 10^6 bytes; None where the system does not say."""
        try:
            lines = Path(f"/proc/{self.process_id}/status").read_text().splitlines()
        except OSError:
            return None
        sizes = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
        return int(sizes[0]) * 1024 / 1e6 if sizes else None

    def settled_memory_mb(self) -> float | None:
        """The same once it stayed so for a second, or after ten: a server that just started still reads its models."""
        last, since = self.memory_mb(), time.monotonic()
        until = since + _SETTLES_WITHIN_S
        while last is not None and time.monotonic() < min(until, since + _SETTLED_S):
            time.sleep(_LOOK_EVERY_S)
            now = self.memory_mb()
            if now is None or abs(now - last) > _NOISE_MB:
                last, since = now, time.monotonic()
        return last


@contextlib.contextmanager
def serving(data: Path, *options: str) -> Iterator[Served]:
    """`geniffy-server serve` on `data` while the block runs."""
    command = [sys.executable, "-m", "geniffy_server", "serve", "--data", str(data), "--host", "127.0.0.1", *options]
    with _process(command) as served:
        yield served


def run_import(data: Path, archive: Path) -> tuple[int, str, float]:
    """Run `geniffy-server import` on a store that a server may have open: its status, what it said, and its seconds."""
    command = [sys.executable, "-m", "geniffy_server", "import", "--data", str(data), str(archive)]
    began = time.perf_counter()
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_IMPORTS_WITHIN_S)
    return ran.returncode, (ran.stdout + ran.stderr).strip(), time.perf_counter() - began


@contextlib.contextmanager
def serving_echo() -> Iterator[Served]:
    """A FastMCP server with one tool and nothing else, as served by the same web server, while the block runs."""
    with _process([sys.executable, "-m", "geniffy_server.bench.echo"]) as served:
        yield served


@contextlib.contextmanager
def _process(command: Sequence[str]) -> Iterator[Served]:
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="geniffy-bench-log-") as folder:
        log = Path(folder) / "log"
        with log.open("wb") as errors:
            began = time.perf_counter()
            process = _start([*command, "--port", str(port)], errors)
            try:
                _wait_until_it_answers(process, port, log)
                yield Served(f"http://127.0.0.1:{port}", process.pid, time.perf_counter() - began, log)
            finally:
                stop(process)


def _start(command: Sequence[str], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started here, by force when it does not go."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOPS_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until and process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=STARTS_WITHIN_S)
        try:
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(_LOOK_EVERY_S)
        finally:
            connection.close()
    raise Unavailable(
        f"The server did not start: {log.read_text(errors='replace')[-400:].strip() or 'it said nothing'}"
    )


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
