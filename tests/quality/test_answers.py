"""What the set of questions must be answered with: a fall below these floors is a regression.

They lie a little below what was measured (`python -m tests.quality.answering`). Nothing is mended by looking at what
goes wrong in the `held` half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from geniffy_server.recall.judge import Certainty
from tests.quality.answering import Given, Half, asked_of, memories, tally


@pytest.fixture(scope="module")
async def given(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Certainty, Sequence[Given]]:
    return await asked_of(memories(), tmp_path_factory.mktemp("answers"))


def test_the_set_has_many_languages_and_both_sorts_of_question_in_both_halves() -> None:
    told = memories()
    answerable = [(one.half, bool(question.gold)) for one in told for question in one.asked]

    assert len({one.id for one in told}) == len(told) >= 40
    assert len({one.language for one in told}) >= 10
    assert min(answerable.count((half, has)) for half in ("seen", "held") for has in (True, False)) >= 80


@pytest.mark.parametrize(
    ("certainty", "half", "precision", "recall", "false_refusals", "false_answers"),
    [
        ("strict", "seen", 0.96, 0.89, 0.10, 0.03),
        ("normal", "seen", 0.95, 0.94, 0.05, 0.04),
        ("lenient", "seen", 0.87, 0.96, 0.03, 0.16),
        ("strict", "held", 0.95, 0.82, 0.18, 0.05),
        ("normal", "held", 0.92, 0.86, 0.15, 0.10),
        ("lenient", "held", 0.83, 0.88, 0.11, 0.22),
    ],
)
async def test_each_certainty_answers_and_refuses_as_well_as_it_says(
    given: Mapping[Certainty, Sequence[Given]],
    certainty: Certainty,
    half: Half,
    precision: float,
    recall: float,
    false_refusals: float,
    false_answers: float,
) -> None:
    of = tally(one for one in given[certainty] if one.memory.half == half)

    assert of.precision >= precision
    assert of.recall >= recall
    assert of.false_refusals <= false_refusals
    assert of.false_answers <= false_answers
    assert of.to_the_point >= 0.97


async def test_nobody_is_taken_for_another_at_normal(given: Mapping[Certainty, Sequence[Given]]) -> None:
    kinds = ("unknown-person", "near-name", "swapped", "unknown-topic", "other-time")
    asked = [one for one in given["normal"] if one.question.kind in kinds]

    assert len(asked) >= 55
    assert sum(one.text is None for one in asked if not one.question.gold) >= 0.96 * len(asked)


async def test_both_sides_of_a_contradiction_are_told_at_normal(given: Mapping[Certainty, Sequence[Given]]) -> None:
    clashes = [one for one in given["normal"] if one.question.kind == "clash"]

    assert clashes
    assert all(one.clash and set(one.lines) == set(one.question.gold) for one in clashes)
