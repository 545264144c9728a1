"""How the weights of change detection are made."""

from __future__ import annotations

import tomllib

from training.change.__main__ import FEATURES, crossed, fitted, written
from training.change.pairs import pairs

SOME = pairs()[:60]


def test_the_same_pairs_teach_the_same_weights() -> None:
    bias, weights = fitted(SOME, count=200)

    assert fitted(SOME, count=200) == (bias, weights)
    assert set(weights) == set(FEATURES)
    assert tomllib.loads(written(bias, weights))["weights"]["says_now"] == round(weights["says_now"], 3)


def test_what_speaks_for_a_change_weighs_more_than_what_speaks_against_it() -> None:
    _, weights = fitted(SOME, count=200)

    assert weights["says_now"] > 0 > weights["only_old"]


def test_crossed_pairs_are_of_two_pairs_and_drawn_alike_each_time() -> None:
    found = crossed(SOME, 100)

    assert found == crossed(SOME, 100)
    assert len(found) == 100
    written_together = {(pair.earlier, pair.later) for pair in SOME}
    assert not written_together & set(found)
