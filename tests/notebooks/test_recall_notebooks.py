"""What a reader of the notebooks about recall sees, and whether the numbers say what is written beside them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.notebooks.running import Ran, pictures_of


@pytest.fixture(scope="module")
def explained(ran: Callable[[str], Ran]) -> Ran:
    return ran("05_recall_explained")


@pytest.fixture(scope="module")
def measured(ran: Callable[[str], Ran]) -> Ran:
    return ran("06_benchmarks")


def test_the_words_alone_would_put_bens_violin_first_and_the_whole_puts_anas_cello_there(explained: Ran) -> None:
    cello, violin = "Ana: I bought a second-hand cello", "Ben: I bought my violin new"

    assert cello in explained.lines("search")[0]
    assert explained.values["by_words"].startswith(violin)
    assert not explained.values["ranked"][0].startswith(violin)


def test_the_parts_add_up_to_the_score_and_what_is_named_is_most_of_it(explained: Ran) -> None:
    parts, scores = explained.values["parts"], explained.values["scores"]

    assert [sum(each) for each in zip(*parts.values(), strict=True)] == pytest.approx(scores)
    named = [name for name in parts if name != "what stands around it"]
    assert sum(parts[name][0] for name in named) > 0.75 * scores[0]


def test_what_is_known_is_answered_and_what_is_another_persons_is_not(explained: Ran) -> None:
    buys, practises, allergic, repairs = explained.lines("ask")

    assert ("cello" in buys, "before breakfast" in practises) == (True, True)
    assert ("won't guess" in allergic, "won't guess" in repairs) == (True, True)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("05_recall_explained", "ranks"),
        ("05_recall_explained", "parts"),
        ("05_recall_explained", "judged"),
        ("06_benchmarks", "recall-at-k"),
        ("06_benchmarks", "parted"),
    ],
)
def test_each_picture_is_drawn_once(name: str, cell: str, ran: Callable[[str], Ran]) -> None:
    assert len(pictures_of(ran(name).cell(cell))) == 1


def test_the_search_finds_more_than_either_half_of_it_which_find_26_and_24_of_30(measured: Ran) -> None:
    at_five = {name: recall[1] for name, recall in measured.values["recall"].items()}

    assert at_five["the search"] >= 0.95
    assert at_five["words alone"] == pytest.approx(26 / 30, abs=0.04)
    assert at_five["vectors alone"] == pytest.approx(24 / 30, abs=0.04)


def test_most_that_was_said_is_answered_rightly_and_nothing_that_was_not(measured: Ran) -> None:
    said, never = measured.values["outcomes"]["was said"], measured.values["outcomes"]["never was"]

    assert said["right"] >= 2 / 3 * sum(said.values())
    assert never == {"silent": 10}


def test_every_question_was_timed(measured: Ran) -> None:
    assert len(measured.values["took"]) == 30
    assert "half of the searches took less than" in measured.printed("time")
