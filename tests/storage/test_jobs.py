"""Learning jobs: leases by time, turns by counter, newer revisions never lost."""

from __future__ import annotations

from datetime import datetime, timedelta

from geniffy_server.domain.job import Job
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.space import SpaceId
from geniffy_server.ports import Transaction
from geniffy_server.storage.store import SqliteStore
from tests.storage.conftest import NOW, Home, a_source, make_home

LEASE_S = 30.0


def ask(tx: Transaction, space: SpaceId, revision: int = 1) -> SourceId:
    source = a_source()
    tx.sources.add(space, source, "text")
    tx.jobs.add(space, source.id, revision, NOW)
    return source.id


async def claim(store: SqliteStore, after_s: float = 0.0) -> Job | None:
    now: datetime = NOW + timedelta(seconds=after_s)
    return await store.write(lambda tx: tx.jobs.claim("w", now, LEASE_S))


async def claimed(store: SqliteStore, after_s: float = 0.0) -> Job:
    job = await claim(store, after_s)
    assert job is not None
    return job


async def waiting(store: SqliteStore) -> int:
    return await store.read(lambda tx: tx.jobs.waiting())


async def test_a_job_is_taken_once_and_finished(store: SqliteStore, home: Home) -> None:
    source = await store.write(lambda tx: ask(tx, home.space, 7))
    job = await claimed(store)
    assert (job.space_id, job.source_id, job.revision, job.attempts) == (home.space, source, 7, 1)
    assert await claim(store) is None
    assert await waiting(store) == 1
    await store.write(lambda tx: tx.jobs.finish(job.id, job.revision))
    assert (await waiting(store), await claim(store)) == (0, None)


async def test_a_lease_that_ended_is_taken_by_another_with_one_more_attempt(store: SqliteStore, home: Home) -> None:
    await store.write(lambda tx: ask(tx, home.space))
    first = await claimed(store)
    assert await claim(store, LEASE_S - 0.001) is None
    second = await claimed(store, LEASE_S)
    assert (second.id, second.attempts) == (first.id, 2)


async def test_the_job_that_waited_longest_since_its_turn_goes_first(store: SqliteStore, home: Home) -> None:
    homes = [home, *[await store.write(lambda tx, name=name: make_home(tx, name)) for name in "bc"]]
    sources = [await store.write(lambda tx, it=it: ask(tx, it.space)) for it in homes]
    order = []
    for _ in range(6):  # the clock stands still
        job = await claimed(store)
        order.append(sources.index(job.source_id))
        await store.write(lambda tx, job=job: tx.jobs.yield_(job.id, job.revision, NOW))
    assert order == [0, 1, 2, 0, 1, 2]


async def test_a_job_that_came_later_goes_before_one_that_yields(store: SqliteStore, home: Home) -> None:
    first = await store.write(lambda tx: ask(tx, home.space))
    job = await claimed(store)
    second = await store.write(lambda tx: ask(tx, home.space))
    await store.write(lambda tx: tx.jobs.yield_(job.id, job.revision, NOW))
    job = await claimed(store)
    assert job.source_id == second
    await store.write(lambda tx: tx.jobs.finish(job.id, job.revision))
    again = await claimed(store)
    assert (again.source_id, again.attempts) == (first, 1)


async def test_one_space_is_learned_by_one_worker_at_a_time(store: SqliteStore, home: Home) -> None:
    other = await store.write(lambda tx: make_home(tx, "ben"))
    await store.write(lambda tx: ask(tx, home.space))
    second = await store.write(lambda tx: ask(tx, home.space))
    elsewhere = await store.write(lambda tx: ask(tx, other.space))
    job = await claimed(store)
    assert (await claimed(store)).source_id == elsewhere
    assert await claim(store) is None
    await store.write(lambda tx: tx.jobs.finish(job.id, job.revision))
    assert (await claimed(store)).source_id == second


async def test_a_newer_revision_takes_the_place_of_a_waiting_one(store: SqliteStore, home: Home) -> None:
    source = await store.write(lambda tx: ask(tx, home.space))
    await store.write(lambda tx: tx.jobs.add(home.space, source, 2, NOW))
    assert await waiting(store) == 1
    assert (await claimed(store)).revision == 2


async def test_a_newer_revision_is_never_lost_by_the_worker_of_an_older_one(store: SqliteStore, home: Home) -> None:
    source = await store.write(lambda tx: ask(tx, home.space))
    late = NOW + timedelta(hours=1)
    for revision, end in enumerate(("finish", "yield_", "retry"), start=2):
        job = await claimed(store)
        await store.write(lambda tx, revision=revision: tx.jobs.add(home.space, source, revision, NOW))
        assert await claim(store) is None  # its lease stands while it is learned
        if end == "finish":
            await store.write(lambda tx, job=job: tx.jobs.finish(job.id, job.revision))
        else:
            await store.write(lambda tx, job=job, end=end: getattr(tx.jobs, end)(job.id, job.revision, late))
        again = await claimed(store)
        assert (again.revision, again.attempts) == (revision, 1)
        await store.write(lambda tx, again=again: tx.jobs.yield_(again.id, again.revision, NOW))


async def test_a_job_given_back_after_a_fault_waits_until_its_time(store: SqliteStore, home: Home) -> None:
    await store.write(lambda tx: ask(tx, home.space))
    job = await claimed(store)
    await store.write(lambda tx: tx.jobs.retry(job.id, job.revision, NOW + timedelta(seconds=8)))
    assert await claim(store, 7.9) is None
    again = await claimed(store, 8)
    assert again.attempts == 2


async def test_a_job_asked_again_while_it_waits_for_a_retry_goes_at_once(store: SqliteStore, home: Home) -> None:
    source = await store.write(lambda tx: ask(tx, home.space))
    job = await claimed(store)
    await store.write(lambda tx: tx.jobs.retry(job.id, job.revision, NOW + timedelta(hours=1)))
    await store.write(lambda tx: tx.jobs.add(home.space, source, 2, NOW))
    assert (await claimed(store)).attempts == 1
