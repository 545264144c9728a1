"""A server that is killed and started again on one directory, many times. Run as a program: `<directory> <port>`.

The program imports the server once, and for each line on its standard input forks one that serves: starting again
then takes a tenth of the time. It says the number of each process it starts, and when one has ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import httpx

from tests.ports import kept_port

STARTS_WITHIN_S = 60.0
ROOT = Path(__file__).parents[2]


class Restarting:
    """The address, and the ways to start and kill what answers there."""

    def __init__(self, program: subprocess.Popen[str], port: int) -> None:
        self._program = program
        self._pid: int | None = None
        self.base_url = f"http://127.0.0.1:{port}"

    def start(self) -> None:
        """Start a server and wait until it answers."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write("start\n")
        self._program.stdin.flush()
        self._pid = int(self._program.stdout.readline())
        give_up_at = time.monotonic() + STARTS_WITHIN_S
        with httpx.Client(transport=httpx.HTTPTransport(retries=0)) as http:
            while True:
                try:
                    assert http.get(f"{self.base_url}/healthz").status_code == 200
                    return
                except httpx.TransportError:
                    assert time.monotonic() < give_up_at, "the server did not start"

    def kill(self, *, with_children: bool = True, how: int = signal.SIGKILL) -> None:
        """End the server at once, with the processes that it started or without them, and wait for its end."""
        assert self._pid is not None
        assert self._program.stdout is not None
        if with_children:
            os.killpg(self._pid, how)
        else:
            os.kill(self._pid, how)
        assert self._program.stdout.readline() == "ended\n"
        self._pid = None

    def close(self) -> None:
        """End whatever still runs."""
        if self._pid is not None:
            self.kill()


@contextmanager
def restarting(data: Path, log: Path) -> Iterator[Restarting]:
    """Servers on `data`, one after the other, none of which is started yet."""
    command = [sys.executable, "-m", "tests.faults.restarting", str(data)]
    pipe = subprocess.PIPE
    with (
        kept_port() as port,
        log.open("a") as errors,
        subprocess.Popen([*command, str(port)], cwd=ROOT, stdin=pipe, stdout=pipe, stderr=errors, text=True) as program,
    ):
        one = Restarting(program, port)
        try:
            yield one
        finally:
            one.close()


def key_of(data: Path) -> str:
    """A new key of the whole of a store's first account."""
    command = [sys.executable, "-m", "geniffy_server", "key", "create", "--data", str(data)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1]


def soon(holds: Callable[[], bool], every_s: float = 0.2) -> bool:
    """Whether it holds before long."""
    pause = threading.Event()
    return any(holds() or pause.wait(every_s) for _ in range(int(STARTS_WITHIN_S / every_s)))


def main(data: Path, port: int) -> None:
    """Serve once for each line on standard input."""
    from geniffy_server.models.threads import limit_threads

    limit_threads()
    import uvicorn

    from geniffy_server.app import create_app
    from geniffy_server.learn.learn import Reading, facts_of
    from geniffy_server.settings import Settings

    import_module("geniffy_server.mcp.engine")  # which a server otherwise imports after it has started
    facts_of([Reading("Ana lives in Porto.", datetime.now(UTC))], owner=None)  # reads the word lists
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            settings = Settings(data=data, port=port)
            uvicorn.run(create_app(settings), port=port, log_level="warning", lifespan="on")
            os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        os.waitpid(pid, 0)
        sys.stdout.write("ended\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
