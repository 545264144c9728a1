"""Which word lists a text is read with."""

from __future__ import annotations

import pytest

from geniffy_server.learn.language import language_of
from geniffy_server.learn.lexicon import LANGUAGES, keyed, words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Kim works at Acme.", "en"),
        ("", "en"),
        ("Prefiero el té.", "es"),
        ("Elle a commencé en 2020 avec ma sœur.", "fr"),
        ("Ich trinke keinen Alkohol.", "de"),
        ("Preferisco il treno all'aereo.", "it"),
        ("Иван живёт в Москве.", "ru"),
        ("李雷住在北京。", "zh"),
        ("田中さんが勝った。", "ja"),
        ("राहुल दिल्ली में रहता है।", "hi"),
        ("يعيش أحمد في القاهرة.", "ar"),
        ("יעל עובדת בספרייה.", "he"),
    ],
)
def test_a_language_is_known_by_its_script_and_common_words(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_list_reads_and_holds_no_blank(language: str) -> None:
    for section, keys in words(language).items():
        for key, many in keys.items():
            assert all(word.strip() for word in many), (section, key)


def test_the_calendar_is_whole() -> None:
    assert {int(key) for key in keyed("months").values()} == set(range(1, 13))
    assert {int(key) for key in keyed("weekdays").values()} == set(range(7))
