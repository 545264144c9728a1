"""What one process counts, in Prometheus's words."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST

_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counters in a registry of their own, so that two apps in one process do not add up."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._calls = Counter(
            "geniffy_calls", "Calls that ended.", ("door", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "geniffy_call_duration_seconds",
            "How long calls took, long polls included.",
            ("door", "route"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.jobs_waiting = Gauge(
            "geniffy_learning_jobs_waiting", "Sources that wait to be learned.", registry=self._registry
        )

    def observe(self, door: str, route: str, status: int, duration_s: float) -> None:
        """Count one call. `route` is a method and a template; `status` 0 means that nobody waited for the answer."""
        self._calls.labels(door, route, str(status)).inc()
        self._seconds.labels(door, route).observe(duration_s)

    def text(self) -> bytes:
        """Everything counted so far, in the text format."""
        return generate_latest(self._registry)
