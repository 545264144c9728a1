"""How good a ranking is, and how well a score parts two sets: the measures, and nothing of what is measured."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

DEPTHS: Final = (1, 5, 10, 25)


@dataclass(frozen=True, slots=True)
class Score:
    """How one question went: `recall` and `hit` by depth, and the reciprocal of the first hit's rank, 0 without one."""

    recall: Mapping[int, float]
    hit: Mapping[int, float]
    reciprocal: float


@dataclass(frozen=True, slots=True)
class Means:
    """The means of some questions' scores: recall@k, hit@k, and MRR; 0 throughout when there are none."""

    questions: int
    recall: Mapping[int, float]
    hit: Mapping[int, float]
    mrr: float


def score(ranking: Sequence[Hashable], gold: Collection[Hashable]) -> Score:
    """Judge a ranking, best first, against what it should hold. `gold` is not empty.

    Something that stands in the ranking twice takes two ranks, and is found once.
    """
    ranks = {one: rank for rank, one in reversed(list(enumerate(ranking, 1))) if one in gold}
    recall = {depth: sum(rank <= depth for rank in ranks.values()) / len(set(gold)) for depth in DEPTHS}
    hit = {depth: float(any(rank <= depth for rank in ranks.values())) for depth in DEPTHS}
    return Score(recall, hit, 1 / min(ranks.values()) if ranks else 0.0)


def means(scores: Sequence[Score]) -> Means:
    """The mean of each measure over questions."""
    count = max(len(scores), 1)
    return Means(
        questions=len(scores),
        recall={depth: sum(one.recall[depth] for one in scores) / count for depth in DEPTHS},
        hit={depth: sum(one.hit[depth] for one in scores) / count for depth in DEPTHS},
        mrr=sum(one.reciprocal for one in scores) / count,
    )


def auroc(above: Sequence[float], below: Sequence[float]) -> float | None:
    """How often a score of `above` is larger than one of `below`, equal ones counted half; None when either is empty.

    The area under the receiver operating characteristic, by ranks (Hanley and McNeil 1982).
    """
    if not above or not below:
        return None
    ranked = sorted([(value, True) for value in above] + [(value, False) for value in below])
    total, start = 0.0, 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end][0] == ranked[start][0]:
            end += 1
        rank = (start + 1 + end) / 2  # the mean rank of equal values
        total += rank * sum(is_above for _, is_above in ranked[start:end])
        start = end
    return (total - len(above) * (len(above) + 1) / 2) / (len(above) * len(below))


def percentile(values: Sequence[float], share: float) -> float:
    """The value that a share of them (0 to 1) does not exceed, by nearest rank; 0 when there are none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def median(values: Sequence[float]) -> float:
    """The middle value; 0 when there are none."""
    return percentile(values, 0.5)
