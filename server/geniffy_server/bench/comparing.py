"""Two things timed in turn, so that a busy moment of the machine meets both."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from geniffy_server.bench.figures import Figure
from geniffy_server.bench.scoring import median, percentile


@dataclass(slots=True)
class Compared:
    """Times of ours and of what it is held against, in milliseconds, as many of each."""

    ours: list[float] = field(default_factory=list)
    other: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Of the medians; 0 when nothing was timed."""
        return median(self.ours) / median(self.other) if self.other else 0.0

    def figure(self, name: str, other: str, at_most: float | None = None) -> Figure:
        """The ratio as a figure, whose note tells both medians. `other` is what ours is held against."""
        note = f"p50 {median(self.ours):.2f} ms; {other}: {median(self.other):.2f} ms; {len(self.ours)} in turn"
        return Figure(name, self.ratio, "x", at_most=at_most, note=note)


def in_turn(ours: Callable[[int], object], other: Callable[[int], object], times: int, warm_up: int) -> Compared:
    """Time both so often, after some turns that do not count; each is given the number of its turn.

    Which goes first changes with every turn: what follows a sync finds a disk that has nothing to do.
    """
    compared = Compared()
    for number in range(warm_up + times):
        pair = [(compared.ours, ours), (compared.other, other)]
        for took_ms, work in pair if number % 2 else reversed(pair):
            one_ms = timed_ms(work, number)
            if number >= warm_up:
                took_ms.append(one_ms)
    return compared


def timed_ms(work: Callable[..., object], *arguments: object) -> float:
    """How long something takes, in milliseconds."""
    began = time.perf_counter()
    work(*arguments)
    return (time.perf_counter() - began) * 1000


def spread(name: str, times_ms: Sequence[float], note: str = "") -> list[Figure]:
    """The median and the 95th percentile of times, as figures."""
    return [
        Figure(f"{name}, p50", median(times_ms), "ms", note=note or f"{len(times_ms)} in a row"),
        Figure(f"{name}, p95", percentile(times_ms, 0.95), "ms"),
    ]
