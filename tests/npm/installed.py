"""What tests need of the npm registry: a real identity provider, and axe, which finds what shuts people out."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.turns import own_turn

HERE: Final = Path(__file__).parent
CACHE: Final = Path(sys.prefix) / "npm-for-tests"
_WITHIN_S: Final = 600


def installed() -> Path:
    """The folder with the packages as package-lock.json pins them, installed once for all runs of the tests."""
    lock = (HERE / "package-lock.json").read_bytes()
    stamp = CACHE / "installed.lock"
    with own_turn(CACHE / "turn"):
        if not stamp.exists() or stamp.read_bytes() != lock:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, CACHE / name)
            npm = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
            subprocess.run(npm, cwd=CACHE, timeout=_WITHIN_S, check=True)
            stamp.write_bytes(lock)
    return CACHE
