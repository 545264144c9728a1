"""Dates as an answer says them."""

from __future__ import annotations

from datetime import date

from geniffy_server.domain.memory import Spoken

_MONTHS = "January February March April May June July August September October November December"


def day(on: date) -> str:
    """`4 October 2026`."""
    return f"{on.day} {month(on)}"


def month(of: date) -> str:
    """`October 2026`."""
    return f"{_MONTHS.split()[of.month - 1]} {of.year}"


def spoken(time: Spoken) -> str:
    """The time a memory speaks of, no more exact than it was said."""
    low, high = time.low, time.high
    match time.precision:
        case "minute" if time.clock is not None:
            return f"{day(low)}, {time.clock // 60:02}:{time.clock % 60:02}"
        case "day" | "minute":
            return day(low)
        case "week":
            return f"the week of {day(low)}"
        case "month":
            return month(low)
        case "year":
            return str(low.year)
        case "since":
            return f"since {_begun(low)}"
        case "yearly":
            return f"{low.day} {_MONTHS.split()[low.month - 1]}, every year"
        case _:
            return day(low) if low == high else f"{day(low)} to {day(high)}"


def _begun(low: date) -> str:
    """The first day of a year or month stands for the whole of it: `since 2019`."""
    if low.day == 1:
        return str(low.year) if low.month == 1 else month(low)
    return day(low)
