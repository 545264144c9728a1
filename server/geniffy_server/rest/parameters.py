"""What stands in paths and queries."""

from __future__ import annotations

import math
import re
from typing import Annotated, Final

from fastapi import Query

CursorQuery = Annotated[int | None, Query(description="The `next` of the page before.")]
KindQuery = Annotated[str | None, Query(description="all, people, plan, pref or detail.")]
LabelQuery = Annotated[list[str] | None, Query(description="`name:value`; of one name any, of several names all.")]

MAX_ID: Final = 2**53 - 1  # what every JSON reader keeps exactly (RFC 8259 6)

_DIGITS: Final = re.compile(r"[0-9]{1,16}")


def number_of(raw: str) -> int | None:
    """An id in a path; None for anything that is not one."""
    if not _DIGITS.fullmatch(raw):
        return None
    number = int(raw)
    return number if number <= MAX_ID else None


def cursor_of(raw: int | None) -> int:
    """Where a page starts: 0 when left out or negative."""
    return min(max(raw or 0, 0), MAX_ID)


def seconds_of(raw: str | None, most: float) -> float:
    """How long to wait, 0 to `most`; 0 for what is no number (contract 2.2 (9))."""
    try:
        seconds = float(raw or 0)
    except ValueError:
        return 0.0
    return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), most)
