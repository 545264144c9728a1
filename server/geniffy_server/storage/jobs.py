"""Statements on learning jobs: leased by time, so that what a crashed process held is taken by another.

Whose turn it is goes by a counter rather than by the clock: a turn taken, waited for or given up puts a job behind
all others.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from geniffy_server.domain.job import Job, JobId
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import SpaceId
from geniffy_server.storage.compiled import Compiled
from geniffy_server.storage.schema import jobs
from geniffy_server.storage.sqlite import raw

_all = jobs.alias("all_jobs")
_held = jobs.alias("held_jobs")
_last_turn = select(func.coalesce(func.max(_all.c.turn), 0) + 1).scalar_subquery()
_add = upsert(jobs)
# A running job keeps its lease and a waiting one its turn: whoever runs it gives it back for the newer revision.
_ADD = Compiled(
    _add.values(
        space_id=bindparam("space_id"),
        source_id=bindparam("source_id"),
        revision=bindparam("revision"),
        attempts=0,
        turn=_last_turn,
        ready_at=bindparam("ready_at"),
    ).on_conflict_do_update(
        index_elements=["space_id", "source_id"],
        set_={"revision": _add.excluded.revision, "attempts": 0, "ready_at": _add.excluded.ready_at},
    )
)
_next = (
    select(_all.c.id)
    .where(
        _all.c.ready_at <= bindparam("now"),
        _all.c.space_id.not_in(select(_held.c.space_id).where(_held.c.leased_until > bindparam("now"))),
    )
    .order_by(_all.c.turn, _all.c.id)
    .limit(1)
    .scalar_subquery()
)
_CLAIM = Compiled(
    update(jobs)
    .where(jobs.c.id == _next)
    .values(leased_until=bindparam("until"), worker=bindparam("by"), attempts=jobs.c.attempts + 1, turn=_last_turn)
    .returning(jobs.c.id, jobs.c.space_id, jobs.c.source_id, jobs.c.revision, jobs.c.attempts)
)
_of_revision = (jobs.c.id == bindparam("job_id"), jobs.c.revision == bindparam("at_revision"))
_YIELD = (
    update(jobs)
    .where(*_of_revision)
    .values(leased_until=None, worker=None, attempts=0, ready_at=bindparam("at"), turn=_last_turn)
)
_RETRY = update(jobs).where(*_of_revision).values(leased_until=None, worker=None, ready_at=bindparam("at"))
_FINISH = delete(jobs).where(*_of_revision)
_GIVE_BACK = update(jobs).where(jobs.c.id == bindparam("job_id")).values(leased_until=None, worker=None)
_LEASED = select(jobs.c.worker).where(jobs.c.leased_until > bindparam("now"), jobs.c.worker.is_not(None)).distinct()
_FREE = (
    update(jobs)
    .where(jobs.c.worker.in_(bindparam("of_workers", expanding=True)))
    .values(leased_until=None, worker=None)
)
_WAITING = select(func.count()).select_from(jobs)


class JobRows:
    """`ports.Jobs` over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._driver = raw(connection)

    def add(self, space_id: SpaceId, source_id: SourceId, revision: int, now: datetime) -> None:
        asked = {"space_id": space_id, "source_id": source_id, "revision": revision, "ready_at": now}
        _ADD.run(self._driver, asked)

    def claim(self, worker: str, now: datetime, lease_s: float) -> Job | None:
        lease = {"now": now, "until": now + timedelta(seconds=lease_s), "by": worker}
        row = _CLAIM.row(self._driver, lease)
        if row is None:
            return None
        return Job(JobId(row.id), SpaceId(row.space_id), SourceId(row.source_id), row.revision, row.attempts)

    def yield_(self, job_id: JobId, revision: int, now: datetime) -> None:
        if not self._connection.execute(_YIELD, {"job_id": job_id, "at_revision": revision, "at": now}).rowcount:
            self._give_back(job_id)

    def finish(self, job_id: JobId, revision: int) -> None:
        if not self._connection.execute(_FINISH, {"job_id": job_id, "at_revision": revision}).rowcount:
            self._give_back(job_id)

    def retry(self, job_id: JobId, revision: int, at: datetime) -> None:
        if not self._connection.execute(_RETRY, {"job_id": job_id, "at_revision": revision, "at": at}).rowcount:
            self._give_back(job_id)

    def workers(self, now: datetime) -> Collection[str]:
        return set(self._connection.execute(_LEASED, {"now": now}).scalars())

    def free(self, workers: Collection[str]) -> None:
        self._connection.execute(_FREE, {"of_workers": list(workers)})

    def waiting(self) -> int:
        return int(self._connection.execute(_WAITING).scalar_one())

    def _give_back(self, job_id: JobId) -> None:
        """End the lease of a job that a newer revision took over, so that it is learned at once."""
        self._connection.execute(_GIVE_BACK, {"job_id": job_id})
