"""How the times that a question names are read."""

from __future__ import annotations

from datetime import date

import pytest

from geniffy_server.recall.features import Question

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("Where will Tomas travel in July?", {2025, 2026, 2028}),
        ("What did we do on 4 October?", {2024, 2025, 2027}),
        ("What did we do in July 2026?", set()),
        ("What did we do last month?", set()),
        ("What did we do yesterday?", set()),
        ("What does Kim like?", set()),
    ],
)
def test_a_day_or_month_without_a_year_may_be_that_of_the_years_beside(question: str, years: set[int]) -> None:
    assert {each.low.year for each in Question.read(question, TODAY).other_years} == years


def test_a_29th_of_february_is_the_28th_where_there_is_none() -> None:
    others = Question.read("What did we do on 29 February?", date(2024, 3, 1)).other_years

    assert date(2023, 2, 28) in {each.low for each in others}
