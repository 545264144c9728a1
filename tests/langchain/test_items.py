"""An item as the text of a file: exact in its head, and below it what is learned."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import Item

from geniffy_langchain.items import exact, fresh, item_of, learned_of, text_of, words_of
from geniffy_server.learn.read import blocks

NOW = datetime(2026, 10, 5, 12, 30, 1, 123456, tzinfo=UTC)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40)
values = st.dictionaries(
    st.text(max_size=10),
    leaves | st.lists(leaves, max_size=4) | st.dictionaries(st.text(max_size=5), leaves, max_size=4),
    max_size=5,
)


def item(value: Any, namespace: tuple[str, ...] = ("users", "ana"), key: str = "k") -> Item:
    return fresh(namespace, key, value, NOW, None)


@given(values, st.lists(st.text(), max_size=4).map(tuple), st.text())
def test_an_item_comes_back_exactly_as_it_was_put(value: dict[str, Any], namespace: tuple[str, ...], key: str) -> None:
    text = text_of(item(exact(value), namespace, key), None)

    assert item_of(text) == item(value, namespace, key)
    text.encode()
    assert "\x00" not in text


@given(values)
def test_of_an_items_head_nothing_is_learned(value: dict[str, Any]) -> None:
    text = text_of(item(exact(value)), None)

    head = len(text) - len(learned_of(text))
    assert all(block.start >= head for block in blocks(text))


@pytest.mark.parametrize("value", [{"a": {1: "x"}}, {"a": [{None: 1}]}, {"when": NOW}, {"a": {"b": {1, 2}}}])
def test_a_value_that_could_not_come_back_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        exact(value)


def test_what_a_caller_does_to_a_value_later_is_not_done_to_the_item() -> None:
    value = {"tags": ["a"], "pair": (1, 2)}

    kept = exact(value)
    value["tags"].append("b")  # type: ignore[attr-defined]

    assert kept == {"tags": ["a"], "pair": [1, 2]}


@pytest.mark.parametrize(
    ("value", "index", "words"),
    [
        ({"kind": "Memory", "content": {"content": "Ana prefers dark mode."}}, None, ["Ana prefers dark mode."]),
        ({"subject": "Ana", "city": "Porto", "n": 2, "gone": None}, None, ["subject: Ana; city: Porto; n: 2"]),
        ({"food": "pizza"}, None, ["food: pizza"]),
        ({"notes": ["Ana lives in Porto.", "She has a son."]}, None, ["Ana lives in Porto.", "She has a son."]),
        ({"text": "アナはポルトに住んでいます"}, None, ["アナはポルトに住んでいます"]),
        ({"text": "Ana lives in Porto.", "secret": "not to be found"}, ["text"], ["Ana lives in Porto."]),
        ({"a": {"b": [{"c": "x"}, {"c": "y"}]}}, ["a.b[*].c"], ["c: x; c: y"]),
        ({"text": "Ana lives in Porto."}, ["missing"], []),
        ({"text": "Ana lives in Porto.", "x": "y"}, ["$"], ["Ana lives in Porto."]),
        ({"text": "Ana lives in Porto."}, False, []),
        ({"text": " "}, None, []),
        ({"text": "half \ud800 a pair\x00."}, None, ["half \ufffd a pair\ufffd."]),
    ],
)
def test_what_is_learned_of_a_value_are_its_sentences_and_its_fields_with_their_names(
    value: Any, index: Any, words: list[str]
) -> None:
    assert words_of(value, index) == words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain notes.",
        "---\ntitle: x\n---\n",
        "---\nitem: {broken\n---\n",
        "---\nitem: [1]\n---\n",
        '---\nitem: {"key": "k"}\n---\n',
    ],
)
def test_a_file_that_someone_else_wrote_is_no_item(text: str) -> None:
    assert item_of(text) is None


def test_a_long_value_is_kept_whole_and_what_is_learned_of_it_is_cut_to_what_a_file_holds() -> None:
    long = {"text": "word " * 300_000}

    text = text_of(item(long), None)

    assert len(text) == 2_000_000
    assert item_of(text) == item(long)
