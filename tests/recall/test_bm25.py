from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geniffy_server.recall.bm25 import K1, B, Postings

rows_of_terms = st.lists(st.lists(st.integers(0, 7), max_size=12), min_size=1, max_size=20)


def packed(terms: list[int]) -> bytes:
    return np.array(terms, "<u4").tobytes()


def by_the_book(rows: list[list[int]], dead: set[int], query: list[int]) -> list[float]:
    living = [row for at, row in enumerate(rows) if at not in dead]
    average = sum(map(len, living)) / len(living) if living else 0
    scores = []
    for at, row in enumerate(rows):
        score = 0.0
        for term in set(query):
            holding = sum(term in other for other in living)
            count = row.count(term)
            if at in dead or not count:
                continue
            idf = math.log(1 + (len(living) - holding + 0.5) / (holding + 0.5))
            score += idf * count * (K1 + 1) / (count + K1 * (1 - B + B * len(row) / average))
        scores.append(score)
    return scores


@given(rows_of_terms, st.lists(st.integers(0, 9), max_size=5), st.data())
def test_scores_equal_the_formula_however_the_rows_were_added(
    rows: list[list[int]], query: list[int], data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    dead = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    postings = Postings.empty()
    for start, end in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        postings = postings.added([packed(row) for row in rows[start:end]])
    mask = np.array([at in dead for at in range(len(rows))])
    mask_or_none = mask if dead else None

    scores = postings.scores(list(postings.matches(query, mask_or_none)), mask_or_none)

    np.testing.assert_allclose(scores, by_the_book(rows, dead, query), rtol=1e-4, atol=1e-5)


def test_adding_many_times_keeps_few_segments() -> None:
    postings = Postings.empty()

    for at in range(300):
        postings = postings.added([packed([at, at + 1])])

    assert postings.size == 300
    assert len(postings.segments) <= 6
    (match,) = postings.matches([150])
    assert match.rows.tolist() == [149, 150]


def test_adding_leaves_the_postings_it_started_from_as_they_were() -> None:
    first = Postings.empty().added([packed([1])])

    first.added([packed([1])])

    assert [match.rows.tolist() for match in first.matches([1])] == [[0]]


def test_no_rows_give_no_scores() -> None:
    empty = Postings.empty()

    assert list(empty.matches([1])) == []
    assert empty.scores([]).shape == (0,)
