from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geniffy_server.recall.fuse import Scores, likeliest, ranked
from geniffy_server.recall.naming import NAMING
from geniffy_server.recall.shard import Shard
from tests.recall.test_shard import row


def order(
    shard: Shard,
    scores: list[float],
    own: NDArray[np.float32] | None = None,
    cosine: NDArray[np.float32] | None = None,
) -> list[int]:
    own = np.zeros(shard.size, np.float32) if own is None else own
    values = np.array(scores, np.float32)
    rows, _ = ranked(shard, np.arange(shard.size), values, Scores(values, own, 5.0), cosine)
    return [int(one) for one in shard.columns.ids[rows]]


def test_statements_of_one_paragraph_make_room_for_those_of_others() -> None:
    shard = Shard.of([row(1, "a", 0), row(2, "a", 0), row(3, "b", 0), row(4, "b", 0)], 1)

    assert order(shard, [2.0, 1.9, 1.8, 1.7]) == [1, 3, 2, 4]


def test_a_session_that_is_about_it_lifts_what_was_said_in_it() -> None:
    shard = Shard.of([row(1, "alone"), *(row(at, "talk", at) for at in (2, 3, 4))], 1)

    assert order(shard, [1.5, 1.4, 1.4, 1.4])[0] in (2, 3, 4)


def test_what_the_same_person_said_before_the_other_answered_lifts_what_they_say_next() -> None:
    talk = [row(1, "talk", 0), row(2, "talk", 0), row(3, "talk", 1), row(4, "talk", 2), row(5, "talk", 3)]
    shard = Shard.of(talk, 1)
    own = np.array([0, 9, 0, 0, 0], np.float32)

    assert order(shard, [0.0] * 5, own)[0] == 4


def test_what_stands_in_another_source_lifts_nothing() -> None:
    shard = Shard.of([row(1, "a", 0), row(2, "b", 1), row(3, "b", 2)], 1)

    assert order(shard, [9.0, 0.0, 0.0], np.array([9, 0, 0], np.float32)) == [1, 3, 2]


def test_what_follows_on_the_passage_that_is_like_the_question_comes_before_what_stands_alone() -> None:
    talk = [row(1, "talk", 0), row(2, "talk", 1), row(3, "alone", 0), row(4, "other", 0)]
    cosine = np.array([0.9, 0.2, 0.2, 0.2], np.float32)

    assert order(Shard.of(talk, 1), [1.0, 0.0, 0.0, 0.0], cosine=cosine)[:2] == [1, 2]


def test_the_best_statement_of_a_source_lifts_the_others_of_it() -> None:
    shard = Shard.of([row(1, "a", 0), row(2, "a", 5), row(3, "b", 0), row(4, "b", 5)], 1)

    assert order(shard, [0.0] * 4, np.array([3, 0, 0, 0], np.float32))[:2] == [2, 1]


def test_what_names_something_in_a_talk_comes_before_what_names_nothing() -> None:
    held = [row(1, "a", words=(1, NAMING)), row(2, "b", words=(1, 2))]

    assert order(Shard.of(held, 1), [0.0, 0.0]) == [1, 2]


def test_the_newer_of_equals_comes_first() -> None:
    shard = Shard.of([row(1, "a"), row(2, "b"), row(3, "c")], 1)

    assert order(shard, [1.0, 1.0, 1.0]) == [3, 2, 1]


def test_the_likeliest_are_the_highest_of_the_living() -> None:
    scores = Scores(np.array([5, 1, 4, 3, 2], np.float32), np.zeros(5, np.float32), 0.0)
    living = np.array([False, True, True, True, True])

    assert set(likeliest(scores, None, 2)) == {0, 2}
    assert set(likeliest(scores, living, 2)) == {2, 3}
    assert set(likeliest(scores, living, 9)) == {1, 2, 3, 4}
