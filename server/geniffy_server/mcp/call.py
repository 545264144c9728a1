"""The request that is being served, between the transport that took it and the tool that answers it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from geniffy_server.caller import Caller
from geniffy_server.ports import Ports


@dataclass(slots=True)
class Call:
    """One request: through what, and who makes it. The tool fills in `caller`'s space and app, `tool` and `outcome`."""

    ports: Ports
    caller: Caller
    tool: str | None = None
    outcome: str | None = None


current: ContextVar[Call] = ContextVar("current")
"""Set by a transport before FastMCP sees the request."""
