"""`make demo` shows what it says it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[2] / "demo" / "minute.py"


def test_the_demo_remembers_answers_corrects_and_forgets() -> None:
    done = subprocess.run([sys.executable, str(DEMO)], capture_output=True, text=True, timeout=120, check=False)

    steps = [line for line in done.stdout.splitlines() if line.strip()]
    assert done.returncode == 0, done.stderr
    assert [step for step in steps if step.startswith("==")][-1].startswith('== Look for "Acme"')
    assert steps[-1].strip() == "Nothing here holds the text."
    assert done.stdout.count("Nothing that was added says that yet") == 2
    assert "before that: Kim Park signs the Acme renewal. (wrong)" in done.stdout
