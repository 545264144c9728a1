"""Where a store's items are kept: different items under different paths that the server takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_langchain.paths import ROOT, is_item, labels_of, namespace_of, path_of, prefix_of

# What LangGraph takes for a label: any text that is not empty and has neither a period nor NUL.
labels = st.text(min_size=1, max_size=60).filter(lambda label: "." not in label and "\x00" not in label)
namespaces = st.lists(labels, min_size=1, max_size=8).map(tuple)


@pytest.mark.parametrize(
    ("namespace", "key", "path"),
    [
        (("users", "ana"), "profile", "/store/users/ana/profile.md"),
        (("memories", "user 1"), "a.b", "/store/memories/user 1/a.b.md"),
        (("Füße", "日本"), "..", "/store/Füße/日本/...md"),
        (("a/b", "~c"), "d\\e%\n", "/store/a%2Fb/%7Ec/d%5Ce%25%0A.md"),
        (("a",), "", "/store/a/.md"),
    ],
)
def test_a_path_shows_the_namespace_and_the_key(namespace: tuple[str, ...], key: str, path: str) -> None:
    assert path_of(namespace, key) == path
    assert namespace_of(path) == namespace


@given(namespaces, st.text(max_size=300))
def test_every_path_is_one_that_the_server_takes(namespace: tuple[str, ...], key: str) -> None:
    path = path_of(namespace, key)

    assert is_item(path)
    assert len(path) <= 255
    assert "\\" not in path
    assert all(part not in ("", ".", "..") for part in path[1:].split("/"))
    assert path.isprintable() or not any(ord(char) < 0xA0 and not char.isprintable() for char in path)
    path.encode()


@given(st.tuples(namespaces, st.text(max_size=300)), st.tuples(namespaces, st.text(max_size=300)))
def test_different_items_have_different_paths(
    one: tuple[tuple[str, ...], str], other: tuple[tuple[str, ...], str]
) -> None:
    assert (path_of(*one) == path_of(*other)) == (one == other)


@given(namespaces, st.text(max_size=100), st.integers(0, 8))
def test_an_items_path_begins_with_the_prefix_of_every_namespace_above_it(
    namespace: tuple[str, ...], key: str, depth: int
) -> None:
    path = path_of(namespace, key)

    assert path.startswith(prefix_of(namespace[:depth]))
    assert namespace_of(path) in (namespace, None)


def test_labels_that_are_too_long_for_a_path_are_known_to_the_item_alone() -> None:
    long = ("users", "x" * 200, "y" * 200)

    path = path_of(long, "k" * 500)

    assert path.startswith(f"{ROOT}users/~")
    assert namespace_of(path) is None
    assert path != path_of((*long[:2], "z" * 200), "k" * 500)


def test_a_files_labels_say_where_it_belongs_and_are_the_filter_for_all_above_it() -> None:
    assert labels_of(("users", "a/b")) == {"channel": "langgraph-store", "ns-0": "users", "ns-1": "a%2Fb"}
    assert labels_of(()).items() <= labels_of(("users",)).items() <= labels_of(("users", "ana")).items()
    assert len(labels_of(("x",) * 40)) <= 20
    assert all(len(value) <= 256 for value in labels_of(("ü" * 10_000,)).values())
