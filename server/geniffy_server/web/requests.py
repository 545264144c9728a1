"""`/app/requests`: every call of the last days, which app made it, what it did and how it ended; never its words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from starlette.responses import Response

from geniffy_server.ports import CallFilter
from geniffy_server.web.visit import Visit

PER_PAGE: Final = 50
_STATUSES: Final[Mapping[str, tuple[int, int]]] = {
    "fine": (1, 399),
    "refused": (400, 499),
    "failed": (500, 599),
}


async def show_requests(visit: Visit) -> Response:
    """Calls that match what was chosen, newest first. Pages that were only looked at are shown when asked for."""
    day = _day(visit.asked("day"))
    status = visit.asked("status")
    since = visit.times.start_of(day) if day else None
    only = CallFilter(
        text=(visit.asked("q") or "")[:200] or None,
        app=visit.asked("app"),
        statuses=_STATUSES.get(status or ""),
        since=since,
        until=visit.times.start_of(day + timedelta(days=1)) if day else None,
        views=visit.asked("views") == "1",
    )
    calls, before = await visit.ports.calls.page(
        visit.person.id, limit=PER_PAGE, before=visit.number("before"), only=only
    )
    apps = await visit.ports.calls.apps(visit.person.id)
    return visit.html(
        "requests.html",
        page="requests",
        calls=calls,
        apps=apps,
        only=only,
        status=status,
        day=day.date().isoformat() if day else None,
        before=before,
        is_later_page=visit.number("before") is not None,
    )


def _day(raw: str | None) -> datetime | None:
    try:
        day = datetime.strptime(raw or "", "%Y-%m-%d")
    except ValueError:
        return None
    return day if 1970 < day.year < 9999 else None
