"""Where forgotten words stand, and what is left of a text or a title without them."""

from __future__ import annotations

import pytest

from geniffy_server.services.cutting import blanked, cut_title, places


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("I ski. When I ski, I skid: I ski", "I ski", [(0, 5), (12, 17), (27, 32)]),
        ("Zoë Ö, Zoë Öl", "Zoë Ö", [(0, 5)]),
        ("2.5 kg and 12.5 kg", "2.5 kg", [(0, 6)]),
        ("a.c abc", "a.c", [(0, 3)]),
        ("他说我喜欢喝茶。我喜欢喝茶吗", "我喜欢喝茶", [(2, 7), (8, 13)]),
        ("(Ana) [Ana] Ana's Anas", "Ana", [(1, 4), (7, 10), (12, 15)]),
        ("ana", "Ana", []),
    ],
)
def test_words_are_found_where_they_stand_alone(text: str, words: str, found: list[tuple[int, int]]) -> None:
    assert places(text, words) == found


def test_blanks_take_the_place_of_what_is_cut_so_that_nothing_moves() -> None:
    text = "Kim is CFO.\nAna lives in Porto."

    assert blanked(text, places(text, "Kim is CFO")) == "          .\nAna lives in Porto."
    assert blanked("", []) == ""


@pytest.mark.parametrize(
    ("title", "left"),
    [
        ("Kim Park is our lawyer", ""),
        ("Kim Park is our lawyer.", "."),
        ("Call: Kim Park is our lawyer, and more", "Call: , and more"),
        ("Call about Kim Park is our l...", "Call about"),
        ("Call about Kim Park is…", "Call about"),
        ("Call about Kim Par...", "Call about Kim Par..."),  # too little of it to tell
        ("Kim   Park is our", "Kim Park is our"),
        ("Notes", "Notes"),
        ("Notes...", "Notes..."),
    ],
)
def test_a_title_loses_a_statement_also_where_it_was_cut_off(title: str, left: str) -> None:
    assert cut_title(title, ["Kim Park is our lawyer"]) == left


def test_a_title_loses_names_too() -> None:
    assert cut_title("Kim Park and Kim Parker", [], ["Kim Park"]) == "and Kim Parker"
