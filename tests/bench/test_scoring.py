"""Every expected value is worked out by hand."""

from __future__ import annotations

import pytest

from geniffy_server.bench.scoring import auroc, means, median, percentile, score


def test_recall_counts_the_share_that_was_found_and_hit_whether_any_was() -> None:
    scored = score(["x", "a", "y", "z", "w", "b"], {"a", "b", "c"})

    assert scored.recall == {1: 0, 5: pytest.approx(1 / 3), 10: pytest.approx(2 / 3), 25: pytest.approx(2 / 3)}
    assert scored.hit == {1: 0, 5: 1, 10: 1, 25: 1}
    assert scored.reciprocal == 1 / 2


def test_what_stands_in_a_ranking_twice_is_found_once_and_takes_two_ranks() -> None:
    scored = score(["a", "a", "a", "a", "a", "b"], {"a", "b"})

    assert scored.recall == {1: 0.5, 5: 0.5, 10: 1, 25: 1}
    assert scored.reciprocal == 1


def test_nothing_found_scores_nothing() -> None:
    scored = score(["x", None], {"a"})

    assert (set(scored.recall.values()), set(scored.hit.values()), scored.reciprocal) == ({0}, {0}, 0)


def test_the_means_are_over_questions() -> None:
    over = means([score(["a"], {"a"}), score(["x", "x", "a"], {"a"}), score([], {"a"})])

    assert over.questions == 3
    assert over.recall == {1: pytest.approx(1 / 3), **dict.fromkeys((5, 10, 25), pytest.approx(2 / 3))}
    assert over.mrr == pytest.approx((1 + 1 / 3) / 3)


def test_no_question_has_means_of_nothing() -> None:
    assert (means([]).questions, means([]).mrr) == (0, 0)


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        ([3, 4], [1, 2], 1.0),
        ([1, 2], [3, 4], 0.0),
        ([1], [1], 0.5),
        ([3, 1], [2], 0.5),
        ([2, 3], [1, 2], 0.875),  # of four pairs three are won and one is even
        ([1], [], None),
    ],
)
def test_auroc_is_the_share_of_pairs_that_are_won(
    above: list[float], below: list[float], expected: float | None
) -> None:
    assert auroc(above, below) == expected


def test_a_percentile_is_a_value_that_was_seen() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]

    assert median(values) == 3
    assert [percentile(values, share) for share in (0, 0.2, 0.21, 0.95, 1)] == [1, 1, 2, 5, 5]
    assert percentile([], 0.5) == 0
