"""Processes of their own, all ended when a test ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `writing.py` on the store in `tmp_path/data`: name, what to do, how often."""
    started: list[subprocess.Popen[str]] = []

    def run(name: str, what: str, times: int) -> subprocess.Popen[str]:
        program = [sys.executable, "-m", "tests.faults.writing", str(tmp_path / "data"), name, what, str(times)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            program, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=pipe, stdout=pipe, text=True
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=30)
