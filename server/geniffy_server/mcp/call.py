"""The request that is being served, between the transport that took it and the tool that answers it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from geniffy_server.caller import Caller
from geniffy_server.domain.text import one_line
from geniffy_server.ports import Ports

MAX_APP_CHARS: Final = 60


@dataclass(slots=True)
class Call:
    """One request: through what, and who makes it. The tool fills in `caller`'s space and app, `tool` and `outcome`."""

    ports: Ports
    caller: Caller
    tool: str | None = None
    outcome: str | None = None


current: ContextVar[Call] = ContextVar("current")
"""Set by a transport before FastMCP sees the request."""


def app_name(raw: str) -> str | None:
    """A client's own name on one line: up to 60 characters that can be seen; None when none is left."""
    return one_line("".join(ch for ch in raw[:400] if ch.isprintable()), MAX_APP_CHARS) or None
