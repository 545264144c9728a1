"""Make what was removed unreadable, by a process of its own (`remains.py` says why)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from geniffy_server.errors import Unavailable
from geniffy_server.storage import remains

PATIENCE_S: Final = 30.0
_TIMEOUT_S: Final = 600.0


def scrub(database: Path) -> None:
    """Leave nothing of what was removed in a database's pages or its write-ahead log. Blocking.

    Raises Unavailable when others kept reading or writing for half a minute, or the file can't be written.
    """
    program = [sys.executable, "-I", remains.__file__, str(database), str(PATIENCE_S)]
    try:
        code = subprocess.run(program, capture_output=True, timeout=_TIMEOUT_S, check=False).returncode
    except (OSError, subprocess.SubprocessError):
        code = None
    if code == remains.BUSY:
        raise Unavailable("It is forgotten, but others kept the store busy, so its file may still hold traces of it.")
    if code != 0:
        raise Unavailable("It is forgotten, but the store's file could not be cleaned and may still hold traces of it.")
