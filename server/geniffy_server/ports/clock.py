"""The time."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time, replaceable in tests."""

    def now(self) -> datetime:
        """The present as an aware datetime in UTC."""
        ...
