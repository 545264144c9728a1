"""Points in time as callers write them and as the wire shows them (contract 1.11)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from geniffy_server.errors import BadInput

_ISO: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?)?"
)


def instant_of(raw: Any, what: str = "said_at") -> datetime | None:
    """An ISO 8601 date or date and time as an aware datetime; None when left out. No zone means UTC.

    Raises BadInput (`bad_date`) for anything else.
    """
    if raw is None:
        return None
    found = _ISO.fullmatch(raw.strip()) if isinstance(raw, str) else None
    try:
        if found is None:
            raise ValueError
        day, clock, fraction, zone = found.groups()
        moment = datetime.fromisoformat(f"{day}T{clock or '00:00'}{_zone(zone)}")
        moment = moment.replace(microsecond=int((fraction or "0")[:6].ljust(6, "0")))
        moment.astimezone(UTC)  # years 1 and 9999 can fall off the calendar here
    except (ValueError, OverflowError):
        raise BadInput(
            f"{what} must be a date or time in ISO 8601, such as 2026-10-03T09:41:00+00:00, not {raw!r:.60}.",
            "bad_date",
        ) from None
    return moment


def end_of(raw: Any, what: str = "expires_at") -> datetime | None:
    """Like `instant_of`, but a bare date means the end of that day in UTC (contract 1.11)."""
    moment = instant_of(raw, what)
    if moment is None or not isinstance(raw, str) or len(raw.strip()) != 10:
        return moment
    if moment.date() == date.max:  # no day comes after it
        return datetime.max.replace(tzinfo=UTC)
    return datetime.combine(moment.date() + timedelta(days=1), time(), UTC)


def wire(moment: datetime) -> str:
    """ISO 8601 with its offset, as every answer shows a time."""
    return moment.isoformat()


def said_on(moment: datetime) -> date:
    """The calendar day a thing was said on, in the zone it was said in."""
    return moment.date()


def _zone(zone: str | None) -> str:
    if zone is None or zone in "Zz":
        return "+00:00"
    return zone if ":" in zone else f"{zone[:3]}:{zone[3:] or '00'}"
