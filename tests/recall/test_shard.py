from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.domain.memory import MemoryId
from geniffy_server.domain.source import SourceId
from geniffy_server.ports import ShardRow
from geniffy_server.recall.shard import NONE, Shard
from geniffy_server.recall.vectors import encoded


def row(memory_id: int, source: str = "talk", position: int = 0, words: Sequence[int] = (1,)) -> ShardRow:
    return ShardRow(
        id=MemoryId(memory_id),
        rev=1,
        vector=encoded(np.eye(384, dtype=np.float32)[memory_id % 384]),
        tokens=np.array(words, "<u4").tobytes(),
        kind="detail",
        about="Kim",
        first_person=False,
        said_on=1,
        spoken_low=0,
        spoken_high=0,
        source_id=SourceId(source),
        position=position,
    )


def neighbours(shard: Shard) -> dict[int, tuple[int | None, int | None]]:
    """By memory id, the ids before and behind it."""
    ids = [int(one) for one in shard.columns.ids]
    living = [at for at in range(shard.size) if not shard.dead[at]]
    pairs = zip(shard.previous, shard.next, strict=True)
    named = [tuple(None if at == NONE else ids[at] for at in pair) for pair in pairs]
    return {ids[at]: (named[at][0], named[at][1]) for at in living}


def test_neighbours_are_the_nearest_positions_of_one_source() -> None:
    shard = Shard.of([row(1, position=4), row(2, position=2), row(3, "note"), row(4, position=9)], 1)

    assert neighbours(shard) == {2: (None, 1), 1: (2, 4), 4: (1, None), 3: (None, None)}


places = st.tuples(st.integers(1, 30), st.sampled_from(["a", "b"]), st.integers(0, 5))


@given(st.lists(st.tuples(st.lists(places, max_size=6), st.sets(st.integers(1, 30), max_size=4)), max_size=5))
def test_a_shard_brought_up_to_date_equals_one_loaded_anew(
    updates: list[tuple[list[tuple[int, str, int]], set[int]]],
) -> None:
    held: dict[int, ShardRow] = {}
    shard = Shard.of([], 0)
    for version, (written, gone) in enumerate(updates, start=1):
        rows = {one[0]: row(one[0], one[1], one[2], words=[one[0], 99]) for one in written}
        for memory_id in gone - rows.keys():
            held.pop(memory_id, None)
        held |= rows
        shard = shard.updated(rows.values(), [MemoryId(one) for one in gone - rows.keys()], version)

    anew = Shard.of(held.values(), len(updates))

    assert neighbours(shard) == neighbours(anew)
    living = ~shard.dead
    assert {int(one) for one in shard.columns.ids[living]} == held.keys()
    np.testing.assert_array_equal(
        np.argmax(shard.vectors.rows(np.flatnonzero(living)), axis=1), shard.columns.ids[living]
    )
    dead = shard.dead if shard.dead.any() else None
    found = {int(shard.columns.ids[at]) for match in shard.postings.matches([99], dead) for at in match.rows}
    assert found == held.keys()


def test_an_earlier_shard_does_not_see_what_came_later() -> None:
    first = Shard.of([row(1), row(2)], 1)

    second = first.updated([row(3), row(1, words=[7])], [MemoryId(2)], 2)

    assert (first.size, first.dead.tolist()) == (2, [False, False])
    assert (second.size, second.dead.tolist()) == (4, [True, True, False, False])


def test_a_shard_that_is_mostly_dead_asks_to_be_loaded_anew() -> None:
    shard = Shard.of([row(at) for at in range(1, 1_502)], 1)

    assert not shard.is_sparse
    assert shard.updated([], [MemoryId(at) for at in range(1, 1_102)], 2).is_sparse


def test_what_lies_near_everything_is_common_and_what_lies_apart_is_not() -> None:
    near = [np.eye(384, dtype=np.float32)[0] + np.eye(384, dtype=np.float32)[at] for at in range(1, 60)]
    apart, bare = np.eye(384, dtype=np.float32)[200], b""
    vectors = [*(encoded(one / np.sqrt(2)) for one in near), encoded(apart), bare]
    shard = Shard.of([replace(row(at), vector=vector) for at, vector in enumerate(vectors, 1)], 1)

    assert (shard.common[:59] > 0).all()
    assert shard.common[59] < -1
    assert shard.common[60] == 0


def test_a_few_rows_have_no_middle() -> None:
    assert not Shard.of([row(at) for at in range(1, 40)], 1).common.any()
