from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from geniffy_server.recall import vectors
from geniffy_server.recall.vectors import cosines_of, encoded, vectors_of


def made(rows: int, seed: int = 0) -> NDArray[np.float32]:
    """Unit vectors that lie mostly in few directions, as those of texts do."""
    random = np.random.default_rng(seed)
    shares = random.normal(size=(rows, 60)) @ np.random.default_rng(7).normal(size=(60, 384))
    spread = shares + 0.5 * random.normal(size=(rows, 384))
    return (spread / np.linalg.norm(spread, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(params=["whole", "reduced"])
def most_whole(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(vectors, "WHOLE_ROWS", 10_000 if request.param == "whole" else 100)
    return str(request.param)


@pytest.mark.usefixtures("most_whole")
def test_rows_come_back_as_they_were_stored() -> None:
    rows = made(300)
    held = vectors_of([encoded(row) for row in rows[:250]]).added([encoded(row) for row in rows[250:]])

    assert held.size == 300
    np.testing.assert_allclose(held.rows(np.array([0, 260])), rows[[0, 260]], atol=1e-3)
    np.testing.assert_allclose(held.exact(rows[3], np.array([3, 299])), rows[[3, 299]] @ rows[3], atol=2e-3)


@pytest.mark.usefixtures("most_whole")
def test_the_nearest_are_among_the_candidates() -> None:
    rows, question = made(2_000), made(1, seed=5)[0]
    held = vectors_of([encoded(row) for row in rows])

    likely = np.argsort(-held.cosines(question))[:50]

    assert set(np.argsort(-(rows @ question))[:5]) <= set(likely)


@pytest.mark.usefixtures("most_whole")
def test_near_finds_every_row_above_the_least_cosine() -> None:
    rows, questions = made(2_000), made(3, seed=5)
    held = vectors_of([encoded(row) for row in rows])
    exact = held.rows(np.arange(2_000)) @ questions.T

    for at, (found, cosines) in enumerate(held.near(questions, 0.3)):
        np.testing.assert_array_equal(found, np.flatnonzero(exact[:, at] >= 0.3))
        np.testing.assert_allclose(cosines, exact[found, at], atol=1e-5)


@pytest.mark.usefixtures("most_whole")
def test_adding_leaves_the_vectors_it_started_from_as_they_were() -> None:
    rows = made(300)
    first = vectors_of([encoded(row) for row in rows[:200]])

    second = first.added([encoded(row) for row in rows[200:250]])
    third = second.added([encoded(row) for row in rows[250:]])

    assert (first.size, second.size, third.size) == (200, 250, 300)
    assert len(second.cosines(rows[0])) == 250
    np.testing.assert_allclose(third.rows(np.arange(300)), rows, atol=1e-3)


def test_growing_past_what_is_kept_whole_keeps_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "WHOLE_ROWS", 100)
    rows = made(150)

    held = vectors_of([encoded(row) for row in rows[:90]]).added([encoded(row) for row in rows[90:]])

    np.testing.assert_allclose(held.rows(np.arange(150)), rows, atol=1e-3)


def test_only_the_rows_asked_for_are_looked_at() -> None:
    rows = made(100)
    held = vectors_of([encoded(row) for row in rows])

    found = cosines_of(held, rows[4], np.array([4, 9]))

    assert found[4] == pytest.approx(1, abs=1e-3)
    assert np.flatnonzero(found).tolist() == [4, 9]


def test_a_vector_that_is_not_made_yet_is_like_nothing() -> None:
    held = vectors_of([b"", encoded(made(1)[0])])

    assert held.cosines(made(1)[0])[0] == 0


@pytest.mark.usefixtures("most_whole")
def test_some_rows_alone_have_the_cosines_that_they_have_among_all() -> None:
    question, some = made(1, seed=5)[0], np.array([2, 0, 299])
    held = vectors_of([encoded(row) for row in made(300)])

    np.testing.assert_allclose(held.cosines(question, some), held.cosines(question)[some], atol=1e-6)


def test_every_finite_float16_is_read_back_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "WHOLE_ROWS", 0)
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = np.resize(halves[np.isfinite(halves)], (166, 384))

    read = vectors_of([row.tobytes() for row in finite]).rows(np.arange(166))

    np.testing.assert_array_equal(read, finite.astype(np.float32))
