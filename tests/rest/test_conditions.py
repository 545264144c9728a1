"""Conditions of a write as headers say them: RFC 9110 13.1 and 8.8.3."""

from __future__ import annotations

import pytest

from geniffy_server.errors import BadInput
from geniffy_server.rest.conditions import condition_of
from geniffy_server.services.files import ALWAYS, Condition


def test_without_headers_a_write_is_unconditional() -> None:
    assert condition_of([], []) is ALWAYS


@pytest.mark.parametrize(
    ("lines", "etags"),
    [
        (["*"], ("*",)),
        (['"abc"'], ("abc",)),
        (['"abc", "d,e"'], ("abc", "d,e")),
        (['"abc"', '"def"'], ("abc", "def")),
        ([' "abc" ,, "def",'], ("abc", "def")),
        (['W/"abc"'], ()),
        (['W/"abc", "def"'], ("def",)),
        (['""'], ("",)),
    ],
)
def test_if_match_is_a_list_of_strong_tags(lines: list[str], etags: tuple[str, ...]) -> None:
    assert condition_of(lines, []) == Condition(etags=etags)


@pytest.mark.parametrize(
    ("lines", "condition"),
    [
        (["*"], Condition(absent=True)),
        (['"abc"'], Condition(none_of=("abc",))),
        (['W/"abc", "def"'], Condition(none_of=("abc", "def"))),
    ],
)
def test_if_none_match_names_what_must_not_be_there(lines: list[str], condition: Condition) -> None:
    assert condition_of([], lines) == condition


def test_both_headers_demand_both() -> None:
    assert condition_of(['"abc"'], ["*"]) == Condition(etags=("abc",), absent=True)


@pytest.mark.parametrize(
    "line", ["", " ", ",", "abc", '"abc', 'abc"', '"a" "b"', '*, "a"', "w/*", '"a"x', "'a'", '"a b"']
)
def test_a_header_that_is_no_list_of_tags_is_refused(line: str) -> None:
    with pytest.raises(BadInput):
        condition_of([line], [])
    with pytest.raises(BadInput):
        condition_of([], [line])


def test_a_tag_that_never_ends_is_read_in_one_pass() -> None:
    with pytest.raises(BadInput):
        condition_of(['"a",' * 20_000 + '"'], [])
