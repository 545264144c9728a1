"""When a request is sent again, and after how long."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_agents._request import Method, Reply, Request, Unreached
from geniffy_agents._retry import delay, may_retry

METHODS = get_args(Method)
REPEATABLE = ("GET", "PUT", "DELETE")


@pytest.mark.parametrize("method", METHODS)
def test_a_request_that_was_turned_away_as_too_many_may_go_again(method: Any) -> None:
    assert may_retry(Request(method, "/v1/memories"), Reply(429, {}, b""))


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504])
@pytest.mark.parametrize("method", METHODS)
def test_after_a_failure_of_the_server_only_what_may_be_repeated_goes_again(method: Any, status: int) -> None:
    assert may_retry(Request(method, "/v1/memories"), Reply(status, {}, b"")) is (method in REPEATABLE)


@pytest.mark.parametrize("status", [200, 201, 400, 401, 402, 403, 404, 409, 412, 413, 422, 501])
@pytest.mark.parametrize("method", METHODS)
def test_an_answer_that_would_be_the_same_again_is_final(method: Any, status: int) -> None:
    assert not may_retry(Request(method, "/v1/memories"), Reply(status, {}, b""))


@pytest.mark.parametrize("method", METHODS)
def test_a_request_whose_connection_never_opened_may_go_again(method: Any) -> None:
    assert may_retry(Request(method, "/v1/memories"), Unreached("refused", opened=False))


@pytest.mark.parametrize("method", METHODS)
def test_a_request_that_may_have_arrived_goes_again_only_when_it_may_be_repeated(method: Any) -> None:
    assert may_retry(Request(method, "/v1/memories"), Unreached("broke", opened=True)) is (method in REPEATABLE)


@pytest.mark.parametrize(("asked", "expected"), [("0", 0.0), ("7", 7.0), ("1.5", 1.5), ("60", 60.0)])
def test_the_wait_that_the_server_asks_for_is_kept_to(asked: str, expected: float) -> None:
    assert delay(5, {"retry-after": asked}, 0.9) == expected


@pytest.mark.parametrize("asked", ["", "61", "-1", "nan", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_wait_that_is_no_number_from_0_to_60_is_passed_over(asked: str) -> None:
    assert delay(0, {"retry-after": asked}, 0.5) == 0.5


@given(attempt=st.integers(0, 30), jitter=st.floats(0, 1))
def test_waits_double_up_to_eight_seconds_and_spread_by_a_quarter(attempt: int, jitter: float) -> None:
    middle = min(8.0, 0.5 * 2**attempt)

    assert middle * 0.75 <= delay(attempt, {}, jitter) <= middle * 1.25
