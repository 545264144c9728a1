"""LangGraph's rules for filters and for listing namespaces."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.store.base import ListNamespacesOp, MatchCondition

from geniffy_langchain.matching import leading_labels, listed, passes

HELD = {
    "n": 4,
    "name": "Ana",
    "on": "2026-05-04",
    "tags": ["a", "b"],
    "deep": {"city": "Porto", "zip": 4},
    "none": None,
}


@pytest.mark.parametrize(
    ("wanted", "is_met"),
    [
        (None, True),
        ({}, True),
        ({"n": 4, "name": "Ana"}, True),
        ({"n": 4, "name": "Noor"}, False),
        ({"missing": 1}, False),
        ({"missing": None}, True),
        ({"tags": ["a", "b"]}, True),
        ({"tags": ["a"]}, False),
        ({"tags": "a"}, False),
        ({"deep": {"city": "Porto"}}, True),
        ({"deep": {"city": "Rome"}}, False),
        ({"name": {"city": "Porto"}}, False),
        ({"n": {"$eq": 4}}, True),
        ({"n": {"$ne": 4}}, False),
        ({"missing": {"$ne": 4}}, True),
        ({"n": {"$gt": 3.5, "$lt": 5}}, True),
        ({"n": {"$gte": 4, "$lte": 3}}, False),
        ({"missing": {"$gt": 0}}, False),
        ({"name": {"$gt": 0}}, False),
        ({"on": {"$gte": "2026-05-01", "$lt": "2026-06-01"}}, True),
        ({"deep": {"zip": {"$gt": 3}}}, True),
    ],
)
def test_a_filter_is_met_by_equal_fields_and_by_those_that_compare(wanted: Any, is_met: bool) -> None:
    assert passes(HELD, wanted) is is_met


def test_an_operator_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\$in"):
        passes(HELD, {"n": {"$in": [4]}})


SPACES = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f"), ("b",)]


def listing(*conditions: tuple[Any, tuple[str, ...]], **options: Any) -> ListNamespacesOp:
    return ListNamespacesOp(tuple(MatchCondition(kind, path) for kind, path in conditions), **options)


@pytest.mark.parametrize(
    ("op", "names", "leading"),
    [
        (ListNamespacesOp(), SPACES, ()),
        (listing(("prefix", ("a", "b")), max_depth=3), [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")], ("a", "b")),
        (listing(("suffix", ("f",))), [("a", "b", "f"), ("a", "c", "f")], ()),
        (listing(("prefix", ("a", "*", "f"))), [("a", "b", "f"), ("a", "c", "f")], ("a",)),
        (listing(("suffix", ("b", "*"))), [("a", "b", "c"), ("a", "b", "f")], ()),
        (listing(("prefix", ("a",)), ("suffix", ("e",))), [("a", "b", "d", "e")], ("a",)),
        (listing(("prefix", ("a", "b", "c", "d"))), [], ("a", "b", "c", "d")),
        (listing(limit=2, offset=1), SPACES[1:3], ()),
        (listing(max_depth=1), [("a",), ("b",)], ()),
    ],
)
def test_namespaces_are_listed_by_conditions_depth_and_page(
    op: ListNamespacesOp, names: list[tuple[str, ...]], leading: tuple[str, ...]
) -> None:
    assert listed(SPACES[::-1], op) == names
    assert leading_labels(op) == leading


def test_a_condition_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="infix"):
        listed(SPACES, listing(("infix", ("a",))))
