"""What stands in paths and queries."""

from __future__ import annotations

import pytest

from geniffy_server.rest.bodies import clamped
from geniffy_server.rest.parameters import MAX_ID, cursor_of, number_of, seconds_of


@pytest.mark.parametrize(("raw", "number"), [("0", 0), ("7", 7), ("0007", 7), (str(MAX_ID), MAX_ID)])
def test_digits_are_an_id(raw: str, number: int) -> None:
    assert number_of(raw) == number


@pytest.mark.parametrize("raw", ["", "-1", "+1", " 1", "1.0", "1e3", "one", "١", "1\n", str(MAX_ID + 1), "9" * 5000])
def test_anything_else_is_no_id(raw: str) -> None:
    assert number_of(raw) is None


@pytest.mark.parametrize(
    ("raw", "seconds"),
    [
        (None, 0.0),
        ("", 0.0),
        ("0.0", 0.0),
        ("3.0", 3.0),
        ("30", 30.0),
        ("999", 30.0),
        ("inf", 30.0),
        ("-inf", 0.0),
        ("-5", 0.0),
        ("nan", 0.0),
        ("soon", 0.0),
    ],
)
def test_a_wait_is_from_nothing_to_its_cap(raw: str | None, seconds: float) -> None:
    assert seconds_of(raw, 30.0) == seconds


@pytest.mark.parametrize(("raw", "limit"), [(None, 50), (-1, 1), (0, 1), (1, 1), (200, 200), (10**30, 200)])
def test_a_limit_is_clamped(raw: int | None, limit: int) -> None:
    assert clamped(raw, 50, 200) == limit


@pytest.mark.parametrize(("raw", "cursor"), [(None, 0), (-1, 0), (7, 7), (10**30, MAX_ID)])
def test_a_cursor_starts_at_nothing_and_fits_the_store(raw: int | None, cursor: int) -> None:
    assert cursor_of(raw) == cursor
