"""Statements that count calls which anyone may make, over the last minute."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select

from geniffy_server.storage.connection_schema import visits

_WINDOW: Final = timedelta(minutes=1)

# The visit after which one more may come: when it is a minute old, there is room.
_OF_ALL = (
    select(visits.c.at)
    .where(visits.c.door == bindparam("door"), visits.c.at > bindparam("since"))
    .order_by(visits.c.at.desc())
    .offset(bindparam("limit"))
    .limit(1)
)
_OF_PEER = _OF_ALL.where(visits.c.peer == bindparam("peer"))
_DROP_OLD = delete(visits).where(visits.c.at <= bindparam("since"))


class VisitRows:
    """`ports.Visits` over one connection to the database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self, door: str, peer: str, now: datetime, *, per_peer: int, in_all: int) -> int | None:
        of = {"door": door, "since": now - _WINDOW}
        self._connection.execute(_DROP_OLD, {"since": of["since"]})
        over = [
            self._connection.execute(_OF_PEER, {**of, "peer": peer, "limit": per_peer - 1}).scalar(),
            self._connection.execute(_OF_ALL, {**of, "limit": in_all - 1}).scalar(),
        ]
        held: list[datetime] = [at for at in over if at is not None]
        if held:
            return max(1, math.ceil((max(held) + _WINDOW - now).total_seconds()))
        self._connection.execute(insert(visits), {"door": door, "peer": peer, "at": now})
        return None
