"""What learning finds in the labelled set, so that no change makes it less.

`python -m tests.quality.report` prints the figures.
Floors stand a little below what was measured. A rule is mended by looking at the `seen` half alone; the `held` half
says what other texts may expect.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.quality.scoring import Half, learned, rows, score

# Precision and recall, by half.
FLOORS: dict[Half, dict[str, tuple[float, float]]] = {
    "seen": {"facts": (0.98, 0.98), "subjects": (0.97, 0.97), "kinds": (0.97, 0.97), "dates": (0.97, 0.97)},
    "held": {"facts": (0.97, 0.98), "subjects": (0.91, 0.90), "kinds": (0.91, 0.92), "dates": (0.93, 0.96)},
}


@pytest.mark.parametrize("half", ["seen", "held"])
def test_facts_subjects_kinds_and_dates_are_as_right_as_they_were(half: Half) -> None:
    tallies = score([row for row in rows() if row.half == half]).tallies
    for measure, (precision, recall) in FLOORS[half].items():
        found = tallies[measure]
        assert (found.precision or 0) >= precision, measure
        assert (found.recall or 0) >= recall, measure


def test_every_quote_is_where_it_says_it_is() -> None:
    for row in rows():
        for text, fact in learned(row):
            assert text[fact.start : fact.end] == fact.quote, row.id


def test_the_set_holds_every_language_and_group_in_both_halves() -> None:
    every = rows()
    assert len(every) >= 300
    assert len({row.id for row in every}) == len(every)
    languages = Counter((row.language, row.half) for row in every)
    assert {language for language, _ in languages} == {"en", "es", "fr", "de", "it", "hi", "zh", "ja", "ar", "he"}
    assert min(languages.values()) >= 7
    groups = Counter((row.group, row.half) for row in every)
    assert min(groups.values()) >= 7


def test_what_states_nothing_teaches_nothing() -> None:
    taught = {row.id: [fact.quote for _, fact in learned(row)] for row in rows() if row.group == "nothing"}
    assert sum(bool(quotes) for quotes in taught.values()) <= len(taught) // 20, taught
