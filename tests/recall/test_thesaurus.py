from __future__ import annotations

import pytest

from geniffy_server.recall.lexicon import LANGUAGES, words
from geniffy_server.recall.thesaurus import answers, is_contradicted, members
from geniffy_server.recall.tokens import keys


def key_of(word: str) -> int:
    return keys(word)[-1]


@pytest.mark.parametrize(
    ("asking", "telling"),
    [
        ("job", "works"),
        ("contact", "email"),
        ("instrument", "ukulele"),
        ("walnut", "nuts"),
        ("chicken", "vegetarian"),
        ("live", "vive"),
        ("profesión", "trabaja"),
    ],
)
def test_a_word_is_answered_by_others_of_its_line_or_kind(asking: str, telling: str) -> None:
    assert key_of(telling) in answers(key_of(asking))


def test_what_answers_does_not_ask() -> None:
    assert key_of("game") not in answers(key_of("plays"))
    assert key_of("violin") not in answers(key_of("cello"))


def test_a_kind_has_members_and_other_words_have_none() -> None:
    assert key_of("cello") in members(key_of("instrument"))
    assert members(key_of("table")) == frozenset()


def test_another_member_contradicts_and_another_name_of_it_does_not() -> None:
    assert is_contradicted(key_of("cello"), {key_of("violin")})
    assert not is_contradicted(key_of("violin"), {key_of("fiddle")})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_sections(language: str) -> None:
    listed = words(language)

    assert set(words("es")) <= set(listed)
    assert set(words("es")["asks"]) <= set(listed["asks"]) | {"polar"}
    assert set(words("es")["holds"]) == set(listed["holds"])
    assert set(words("es")["relatives"]) == set(listed["relatives"])
    assert all(line.count("|") == 1 for line in listed["answers"])
    assert all(1 <= line.count("|") <= 2 for line in listed["kinds"])
