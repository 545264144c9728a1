"""Long computing that ends early when the process is asked to stop."""

from __future__ import annotations

from geniffy_server.ports import Ports


class Stopping(Exception):
    """The process was asked to stop while something was computed; nothing of it was written."""


def unless_stopping(ports: Ports) -> None:
    """Raise Stopping when the process was asked to stop: called between the parts of what takes long."""
    if ports.bell.is_stopping:
        raise Stopping
