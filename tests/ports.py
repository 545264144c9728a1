"""A port that is kept for a process that will listen there: other tests ask for free ports meanwhile."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept_port() -> Iterator[int]:
    """A port of 127.0.0.1 that is nobody else's while the block runs.

    Nothing listens there, so calls are refused, until a server does: it takes the port with SO_REUSEADDR.
    """
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        yield int(keeper.getsockname()[1])
