"""A process that is asked to stop ends, whatever its threads are at."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from tests.cli.conftest import STARTS_WITHIN_S, STOPS_WITHIN_S
from tests.ports import kept_port

ROOT = Path(__file__).parents[2]


def test_a_thread_that_never_ends_keeps_no_process_alive_and_its_call_is_answered() -> None:
    with (
        kept_port() as port,
        subprocess.Popen(
            [sys.executable, "-m", "tests.cli.busy", str(port)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as process,
        ThreadPoolExecutor(1) as threads,
    ):
        try:
            assert process.stdout is not None
            http = httpx.HTTPTransport(retries=10)
            call = threads.submit(
                httpx.Client(transport=http, timeout=STARTS_WITHIN_S).get, f"http://127.0.0.1:{port}/"
            )
            assert process.stdout.readline() == "reading\n"
            process.terminate()
            assert process.stdout.readline() == "stopping\n"
            status = process.wait(STOPS_WITHIN_S)
            answer = call.result(STOPS_WITHIN_S)
        finally:
            process.kill()

    assert status == 0
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "memory_unavailable")
