"""Points in time as pages show them: in the account's zone, with the exact time beside for machines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape

from geniffy_server.domain.memory import Spoken


@dataclass(frozen=True, slots=True)
class Times:
    """Shows times in `zone`, an IANA name."""

    zone: str = "UTC"

    def short(self, at: datetime) -> Markup:
        """Such as `14 Oct 2026, 09:42`."""
        local = self.local(at)
        return _marked(local, f"{local.day} {local:%b %Y, %H:%M}")

    def long(self, at: datetime) -> Markup:
        """Such as `14 October 2026, 09:42`."""
        local = self.local(at)
        return _marked(local, f"{local.day} {local:%B %Y, %H:%M}")

    def day(self, at: datetime) -> Markup:
        """Such as `14 October 2026`."""
        local = self._said(at)
        return _marked(local, f"{local.day} {local:%B %Y}")

    def brief(self, at: datetime) -> Markup:
        """Such as `14 Oct 2026`."""
        local = self._said(at)
        return _marked(local, f"{local.day} {local:%b %Y}")

    def clock(self, at: datetime) -> Markup:
        """Such as `09:42:07`."""
        local = self.local(at)
        return _marked(local, f"{local:%H:%M:%S}")

    def said(self, at: datetime) -> Markup:
        """When a thing was said: the day alone where that is all that was told."""
        local = self._said(at)
        if at.utcoffset() == timedelta() and at.time() == time():
            return self.day(at)
        return _marked(local, f"{local.day} {local:%B %Y, %H:%M}")

    def period(self, spoken: Spoken) -> str:
        """The days that a text speaks of, such as `6 March 2026` or `1 to 31 March 2026`, or the minute."""
        low, high = spoken.low, spoken.high
        last = f"{high.day} {high:%B %Y}"
        if spoken.clock is not None:
            return f"{last}, {spoken.clock // 60:02d}:{spoken.clock % 60:02d}"
        if low == high:
            return last
        first = f"{low.day}" if (low.year, low.month) == (high.year, high.month) else f"{low.day} {low:%B %Y}"
        return f"{first} to {last}"

    def local(self, at: datetime) -> datetime:
        """The same moment in the zone."""
        return at.astimezone(ZoneInfo(self.zone))

    def start_of(self, day: datetime) -> datetime:
        """Midnight in the zone of the calendar day that `day`, which has no zone, lies on."""
        return day.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=ZoneInfo(self.zone)).astimezone(UTC)

    def _said(self, at: datetime) -> datetime:
        """A time with an offset of its own stays as it was said; a day that was told without a time stays that day."""
        if at.utcoffset() != timedelta() or at.time() == time():
            return at
        return self.local(at)


def _marked(at: datetime, shown: str) -> Markup:
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="seconds"), escape(shown))
