"""What the first start of a server prints."""

from __future__ import annotations

import re

from tests.cli.conftest import Served


def first_key(served: Served) -> str:
    """The key that a server printed when it made its store."""
    assert served.process.stdout is not None
    while (found := re.search(r"gnf_live_[A-Za-z0-9_-]{43}", served.printed)) is None:
        line = served.process.stdout.readline()
        assert line, "the server printed no key"
        served.printed += line
    return found.group()
