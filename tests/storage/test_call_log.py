"""The request log and the rate windows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from geniffy_server.domain.account import KeyId
from geniffy_server.domain.space import AccountId
from geniffy_server.ports import CallFilter, CallLog, CallRecord
from geniffy_server.storage import call_log
from geniffy_server.storage.call_log import LOG, SqliteCallLog, open_call_log
from geniffy_server.storage.sqlite import connected, open_engine, raw
from tests.storage.conftest import NOW

ANA, BEN = AccountId(1), AccountId(2)
KEY = KeyId(7)


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqliteCallLog]:
    opened = open_call_log(tmp_path)
    yield opened
    await opened.close()


def a_call(
    number: int,
    *,
    account: AccountId | None = ANA,
    space: str | None = "ana",
    days: float = 0,
    route: str = "/v1/search",
    door: str = "rest",
    status: int = 200,
    app: str = "tests/1",
) -> CallRecord:
    at = NOW + timedelta(days=days, milliseconds=number)
    return CallRecord(f"req_{number}", at, account, space, door, route, status, "ok", 1.5, app, KEY)


async def ids(log: CallLog, **wanted: object) -> list[str]:
    calls, _ = await log.page(ANA, limit=100, only=CallFilter(**wanted))
    return [call.id for call in calls]


async def test_a_call_comes_back_as_it_was_recorded(log: SqliteCallLog) -> None:
    log.record(a_call(1))
    await log.flush()
    assert await log.page(ANA, limit=10) == ([a_call(1)], None)


async def test_calls_are_written_without_being_asked(log: SqliteCallLog) -> None:
    log.record(a_call(1))
    async with asyncio.timeout(10):
        while not await ids(log):
            pass  # each look gives the flusher its time


async def test_closing_writes_what_is_left(tmp_path: Path) -> None:
    log = open_call_log(tmp_path)
    log.record(a_call(1))
    await log.close()
    await log.close()
    again = open_call_log(tmp_path)
    assert await ids(again) == ["req_1"]
    await again.close()


async def test_an_account_sees_its_own_calls_newest_first_by_pages(log: SqliteCallLog) -> None:
    for number in range(5):
        log.record(a_call(number))
    log.record(a_call(10, account=BEN))
    log.record(a_call(11, account=None))
    await log.flush()
    first, before = await log.page(ANA, limit=3)
    assert [call.id for call in first] == ["req_4", "req_3", "req_2"]
    rest, end = await log.page(ANA, limit=3, before=before)
    assert ([call.id for call in rest], end) == (["req_1", "req_0"], None)


async def test_calls_are_searched_by_plain_text(log: SqliteCallLog) -> None:
    log.record(a_call(1, route="/v1/files"))
    log.record(a_call(2, space="100%_sure"))
    log.record(a_call(3))
    await log.flush()
    assert await ids(log, text="files") == ["req_1"]
    assert await ids(log, text="%_") == ["req_2"]
    assert await ids(log, text="req_3") == ["req_3"]
    assert await ids(log, text="nowhere") == []


async def test_calls_are_chosen_by_app_status_time_and_whether_they_did_anything(log: SqliteCallLog) -> None:
    log.record(a_call(1, app="Claude", status=404))
    log.record(a_call(2, app="Claude", days=1))
    log.record(a_call(3, door="page", route="GET /app/memories"))
    log.record(a_call(4, door="page", route="POST /app/keys"))
    log.record(a_call(5, app="Other", account=BEN))
    await log.flush()
    assert await ids(log, app="Claude") == ["req_2", "req_1"]
    assert await ids(log, statuses=(400, 499)) == ["req_1"]
    assert await ids(log, since=NOW + timedelta(hours=1)) == ["req_2"]
    assert await ids(log, until=NOW + timedelta(hours=1), app="Claude") == ["req_1"]
    assert await ids(log, views=False) == ["req_4", "req_2", "req_1"]
    assert await log.apps(ANA) == ["Claude", "tests/1"]


async def test_calls_older_than_they_are_kept_for_go(tmp_path: Path) -> None:
    log = open_call_log(tmp_path, keep_days=2)
    for number, days in enumerate((0.0, 0.1, 2.05)):
        log.record(a_call(number, days=days))
        await log.flush()
    assert await ids(log) == ["req_2", "req_1"]
    await log.close()


async def test_only_so_many_calls_are_kept(log: SqliteCallLog, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy import delete, func, select

    from geniffy_server.storage.schema import requests

    newest = select(func.max(requests.c.n)).scalar_subquery()
    monkeypatch.setattr(call_log, "_PRUNE_MANY", delete(requests).where(requests.c.n <= newest - 3))
    for number in range(10):
        log.record(a_call(number))
    await log.flush()
    assert await ids(log) == ["req_9", "req_8", "req_7"]


async def test_the_name_of_an_erased_space_goes_from_every_row(log: SqliteCallLog, tmp_path: Path) -> None:
    late = open_call_log(tmp_path)  # another process, which still has a call of that space to write
    log.record(a_call(1))
    log.record(a_call(2, space="ben"))
    late.record(a_call(3))
    await log.forget_space(ANA, "ana", NOW + timedelta(seconds=1))
    await late.flush()
    log.record(a_call(4, days=1))  # the same name, taken again later
    await log.flush()
    calls, _ = await log.page(ANA, limit=10)
    assert {call.id: call.space for call in calls} == {"req_1": None, "req_2": "ben", "req_3": None, "req_4": "ana"}
    await late.close()


class TestRates:
    async def take(self, log: SqliteCallLog, rpm: int, after_s: float, key: KeyId = KEY) -> int | None:
        return await log.take_slot(key, rpm, NOW + timedelta(seconds=after_s))

    async def test_as_many_requests_pass_as_a_key_may_make(self, log: SqliteCallLog) -> None:
        passed = [await self.take(log, 3, second) for second in (0, 10, 20, 30)]
        assert passed == [None, None, None, 30]

    async def test_a_slot_frees_when_the_request_before_it_is_a_minute_old(self, log: SqliteCallLog) -> None:
        for second in (0, 10):
            await self.take(log, 2, second)
        assert await self.take(log, 2, 59.999) == 1
        assert await self.take(log, 2, 60) is None
        assert await self.take(log, 2, 60) == 10
        assert await self.take(log, 2, 70) is None

    async def test_a_refused_request_takes_no_slot(self, log: SqliteCallLog) -> None:
        assert [await self.take(log, 1, second) for second in (0, 1, 2, 60)] == [None, 59, 58, None]

    async def test_keys_do_not_share_slots(self, log: SqliteCallLog) -> None:
        assert await self.take(log, 1, 0) is None
        assert await self.take(log, 1, 0, KeyId(8)) is None

    async def test_no_minute_holds_more_than_its_requests(self, log: SqliteCallLog) -> None:
        passed: list[int] = []
        for tenths in range(1_500):
            now = NOW + tenths * timedelta(seconds=0.1)
            if await log.take_slot(KEY, 40, now) is None:
                passed.append(tenths)
        assert len(passed) == 120
        assert all(later - earlier >= 600 for earlier, later in zip(passed, passed[40:], strict=False))

    async def test_the_most_that_a_key_may_make_fits_the_ring(self, log: SqliteCallLog) -> None:
        passed = [await self.take(log, 600, 0) for _ in range(601)]
        assert passed.count(None) == 600
        assert passed[600] == 60
        assert await self.take(log, 600, 60) is None

    async def test_a_lower_rate_counts_what_passed_before(self, log: SqliteCallLog) -> None:
        for _ in range(10):
            await self.take(log, 600, 0)
        assert await self.take(log, 5, 30) == 30
        assert await self.take(log, 11, 30) is None

    async def test_two_processes_share_the_slots(self, log: SqliteCallLog, tmp_path: Path) -> None:
        other = open_call_log(tmp_path)
        passed = [await self.take(it, 5, 0) for _ in range(5) for it in (log, other)]
        assert passed.count(None) == 5
        await other.close()

    async def test_a_slot_is_waited_for_while_another_process_holds_the_log(
        self, log: SqliteCallLog, tmp_path: Path
    ) -> None:
        with connected(open_engine(tmp_path / LOG, "log")) as stranger:
            raw(stranger).execute("BEGIN IMMEDIATE")
            waiting = asyncio.create_task(self.take(log, 1, 0))
            assert await self.page_is_answered(log)  # the loop goes on meanwhile
            assert not waiting.done()
            raw(stranger).execute("COMMIT")
        assert await asyncio.wait_for(waiting, 10) is None
        assert await self.take(log, 1, 0) == 60

    async def page_is_answered(self, log: SqliteCallLog) -> bool:
        return await log.page(ANA, limit=1) == ([], None)

    async def test_processes_whose_clocks_differ_a_little_still_share_them(self, log: SqliteCallLog) -> None:
        assert [await self.take(log, 2, second) for second in (5, 0, 0)] == [None, None, 60]

    async def test_a_clock_that_was_set_back_starts_anew(self, log: SqliteCallLog) -> None:
        assert await self.take(log, 1, 10_000) is None
        assert await self.take(log, 1, 0) is None
        assert await self.take(log, 1, 1) == 59

    async def test_windows_of_idle_keys_are_dropped(self, log: SqliteCallLog) -> None:
        await self.take(log, 5, 0)
        log.record(a_call(1, days=1))
        await log.flush()
        with log._engine.connect() as connection:
            left = connection.exec_driver_sql("SELECT (SELECT count(*) FROM rate_slots) + count(*) FROM rate_windows")
            assert left.scalar() == 0

    async def test_a_process_counts_by_itself_while_the_log_can_not_be_written_and_says_so_once(
        self, log: SqliteCallLog, caplog: pytest.LogCaptureFixture
    ) -> None:
        def may_be_written(is_so: bool) -> None:
            for connection in (log._slots_connection, log._at_once_connection):
                raw(connection).execute(f"PRAGMA query_only={not is_so}")

        with caplog.at_level(logging.WARNING):
            may_be_written(False)
            passed = [await self.take(log, 2, second) for second in (0, 10, 20, 61, 62)]
            others = await self.take(log, 2, 20, KeyId(8))
            may_be_written(True)
            after = await self.take(log, 2, 63)
        assert passed == [None, None, 40, None, 8]
        assert (others, after) == (None, None)
        assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
        assert "each process counts the rates of keys by itself" in caplog.text


async def test_a_log_that_is_no_database_is_refused_in_one_sentence(tmp_path: Path) -> None:
    from geniffy_server.errors import Unavailable

    (tmp_path / "log.db").write_bytes(b"something else entirely" * 500)
    with pytest.raises(Unavailable, match="not a database"):
        open_call_log(tmp_path)
