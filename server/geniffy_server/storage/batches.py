"""Collections in parts small enough for one statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

T = TypeVar("T")

BATCH: Final = 500  # every database takes this many parameters; more gain nothing


def in_batches(items: Iterable[T]) -> Iterator[list[T]]:
    """Lists of up to 500 of `items`, in order; none when there is nothing."""
    rest = iter(items)
    while batch := list(islice(rest, BATCH)):
        yield batch
