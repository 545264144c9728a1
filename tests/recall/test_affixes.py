from __future__ import annotations

import pytest

from geniffy_server.recall.affixes import without_affixes


@pytest.mark.parametrize(
    "forms",
    [
        "يسكن تسكن ويسكن أسكن",
        "ستسافر تسافر سيسافر",
        "عمل العمل عملي وأعمل",
        "لندن بلندن",
        "زوجة زوجتي الزوجة",
        "اسم اسمه اسمي",
    ],
)
def test_the_forms_of_an_arabic_word_are_one(forms: str) -> None:
    assert len(set(map(without_affixes, forms.split()))) == 1


@pytest.mark.parametrize("forms", ["עבודה העבודה לעבודה", "כלב הכלב ולכלב", "עובד עובדת", "לונדון ללונדון", "בית בבית"])
def test_the_forms_of_a_hebrew_word_are_one(forms: str) -> None:
    assert len(set(map(without_affixes, forms.split()))) == 1


@pytest.mark.parametrize("forms", ["रहता रहती", "बच्चे बच्चों", "बेटा बेटे"])
def test_the_forms_of_a_hindi_word_are_one(forms: str) -> None:
    assert len(set(map(without_affixes, forms.split()))) == 1


@pytest.mark.parametrize("words", ["बेटा बेटी", "ابن ابنة", "אח אחות", "चाचा चाची"])
def test_a_relative_stays_apart_from_the_other(words: str) -> None:
    assert len(set(map(without_affixes, words.split()))) == 2


@pytest.mark.parametrize("word", ["running", "北京", "кошка", "6543"])
def test_a_word_of_another_script_stays(word: str) -> None:
    assert without_affixes(word) == word
