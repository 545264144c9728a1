"""When a request is sent again, and after how long (contract 1.8). Decisions only: nothing here waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from geniffy_agents._request import Outcome, Request, Unreached

RETRIED_STATUSES: Final = frozenset({408, 500, 502, 503, 504})
LONGEST_ASKED_S: Final = 60.0
FIRST_DELAY_S: Final = 0.5
LONGEST_DELAY_S: Final = 8.0


def may_retry(request: Request, outcome: Outcome) -> bool:
    """Whether `request` may be sent again after `outcome`.

    An add, a correction or a move (POST, PATCH) goes again only when it was turned away unread (429) or its
    connection never opened, so that nothing is ever added twice.
    """
    if isinstance(outcome, Unreached):
        return request.may_repeat or not outcome.opened
    if outcome.status == 429:
        return True
    return request.may_repeat and outcome.status in RETRIED_STATUSES


def may_have_arrived(outcome: Outcome) -> bool:
    """Whether a request that came to `outcome` may have been done: not when it was turned away, or never left."""
    return outcome.opened if isinstance(outcome, Unreached) else outcome.status != 429


def delay(attempt: int, headers: Mapping[str, str], jitter: float) -> float:
    """Seconds to wait after attempt number `attempt`, from 0.

    `Retry-After` is followed when it is a number of seconds from 0 to 60. Otherwise half a second, doubled each
    time up to eight, spread by a quarter either way: `jitter` from 0 to 1 picks the place in that spread.
    """
    try:
        asked = float(headers.get("retry-after", ""))
    except ValueError:
        asked = -1.0
    if 0 <= asked <= LONGEST_ASKED_S:
        return asked
    return min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0**attempt) * (0.75 + jitter / 2)
