"""`python -m training.change`: fit the weights anew, write them, and print how the rules with them do.

Run in `server/`. The recipe: logistic regression over the features of `learn.changes`, on the pairs that are not held
out, whose earlier statement changed (1) or not (0), and on 3,000 crossed pairs as negatives of weight .2: the earlier
statement of one pair with the later one of another. Without crossed pairs it fires on one pair of real chat in seven.
It is deterministic: the same pairs write the same file.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from geniffy_server.learn.change import reconcile
from training.change.pairs import Pair, Score, features_of, pairs, score

WEIGHTS: Final = Path(str(resources.files("geniffy_server.learn.change").joinpath("weights.toml")))
# What a gate sees by itself, and what is left to rules alone: the classifier is asked about the rest.
FEATURES: Final = (
    "same_subject", "first_person", "first_word", "equal", "jaccard", "covered", "covered_longer", "flipped",
    "negated_old", "negated_new", "says_now", "formerly", "ceased", "one_valued", "many_valued", "opposite",
    "numbers_differ", "days_differ", "names_differ", "one_replaced", "contained", "only_old", "only_new", "typed",
    "named", "adds", "drops",
)  # fmt: skip
_CROSSED: Final = 3_000
_CROSSED_WEIGHT: Final = 0.2
_SHRINK: Final = 1.0  # L2; every feature lies between 0 and 1
_STEPS: Final = 50

HEAD: Final = """\
# How likely it is that a newer statement takes the place of an older one: logistic regression over the features of
# learn.changes. Written by `python -m training.change`, which says how; don't edit it by hand.
"""

Floats = NDArray[np.float64]


def main() -> None:
    """Fit, write and print."""
    options = argparse.ArgumentParser(prog="python -m training.change", description=__doc__)
    options.add_argument("--show", action="store_true", help="print the pairs that are told wrongly, of the seen half")
    options.add_argument("--keep", action="store_true", help="measure the weights that are there, and write none")
    chosen = options.parse_args()
    every = pairs()
    seen, held_out = [one for one in every if not one.is_held_out], [one for one in every if one.is_held_out]
    if not chosen.keep:
        bias, weights = fitted(seen)
        WEIGHTS.write_text(written(bias, weights), "utf-8")
        reconcile.forget_model()
    for name, some in (("seen", seen), ("held out", held_out)):
        _say(f"{name:12} {told(score(some))}")
    for kind in sorted({one.kind for one in held_out}):
        _say(f"{kind:12} {told(score([one for one in held_out if one.kind == kind]))}")
    for lang in sorted({one.lang for one in held_out}):
        _say(f"{lang:12} {told(score([one for one in held_out if one.lang == lang]))}")
    if chosen.show:
        for pair in (found := score(seen)).damaged:
            _say(f"damaged: {pair.earlier} | {pair.later}")
        for pair in found.missed:
            _say(f"missed: {pair.earlier} | {pair.later}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def told(one: Score) -> str:
    """One line of figures."""
    return (
        f"retired {one.right}/{one.retired} rightly, of {one.changed} that changed; "
        f"damaged {len(one.damaged)} of {one.holding} that hold"
    )


def crossed(some: Sequence[Pair], count: int) -> list[tuple[str, str]]:
    """Earlier statements of some pairs with the later ones of others; the same for the same pairs."""
    chance = random.Random(1)
    found: list[tuple[str, str]] = []
    while len(found) < count:
        one, other = chance.choice(some), chance.choice(some)
        if one.id != other.id and one.earlier != other.earlier:
            found.append((one.earlier, other.later))
    return found


def fitted(some: Sequence[Pair], count: int = _CROSSED) -> tuple[float, dict[str, float]]:
    """The bias and the weight of each feature that fit these pairs and `count` of their crossings best."""
    negatives = crossed(some, count)
    texts = [(one.earlier, one.later) for one in some] + negatives
    rows = np.array([[found[name] for name in FEATURES] + [1.0] for found in (features_of(*two) for two in texts)])
    wanted = np.array([float(one.outcome == "replaces") for one in some] + [0.0] * len(negatives))
    counts = np.array([1.0] * len(some) + [_CROSSED_WEIGHT] * len(negatives))
    solved = _newton(rows, wanted, counts)
    return float(solved[-1]), {name: float(weight) for name, weight in zip(FEATURES, solved, strict=False)}


def _newton(rows: Floats, wanted: Floats, counts: Floats) -> Floats:
    """Logistic regression by Newton's method; the last column is the bias and is not shrunk."""
    shrink = np.full(rows.shape[1], _SHRINK)
    shrink[-1] = 1e-6
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (counts * (likely - wanted)) + shrink * weights
        curve = (rows * (counts * likely * (1 - likely))[:, None]).T @ rows + np.diag(shrink)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def written(bias: float, weights: dict[str, float]) -> str:
    """The file of these weights."""
    lines = [f"{name} = {weight:.3f}" for name, weight in weights.items()]
    return HEAD + f"\nbias = {bias:.3f}\n\n[weights]\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
