"""What a statement says of the attributes that have one value at a time."""

from __future__ import annotations

import pytest

from geniffy_server.learn.change.states import differ, is_wider, states


@pytest.mark.parametrize(
    ("text", "about", "attribute", "value"),
    [
        ("Lea lives in Porto.", "Lea", "residence", "porto"),
        ("I've just moved to Turin", "OWNER", "residence", "turin"),
        ("Last month I moved to Lisbon", "OWNER", "residence", "lisbon"),
        ("My brother relocated to Nice", "my brother", "residence", "nice"),
        ("Omar works at Initech now", "Omar", "job", "initech"),
        ("Omar reports to Nia", "Omar", "manager", "nia"),
        ("Nadia moved to project Heron", "Nadia", "project", "heron"),
        ("Ahora vivo en Cusco", "OWNER", "residence", "cusco"),
        ("Ich bin nach Ulm gezogen", "OWNER", "residence", "ulm"),
        ("我搬到了成都", "OWNER", "residence", "成都"),
        ("私は奈良に引っ越しました", "OWNER", "residence", "奈良"),
        ("עברתי לחיפה", "OWNER", "residence", "חיפה"),
        ("أنا أسكن في طنجة", "OWNER", "residence", "طنجة"),
        ("Seit Juni wohne ich in Dresden.", "OWNER", "residence", "dresden"),
        ("Me acabo de mudar a Granada.", "OWNER", "residence", "granada"),
        ("Ich wohne in Wien.", "OWNER", "residence", "vienna"),
        ("Priya moved to marketing.", "Priya", "department", "marketing"),
        ("Carla retrained and is a midwife now.", "Carla", "occupation", "midwife"),
        ("My daughter turned 7 today.", "my daughter", "age", "7"),
        ("The keys are with Pat.", "keys", "holder", "pat"),
        ("Finn attends Northgate College.", "Finn", "school", "northgate college"),
    ],
)
def test_an_attribute_and_its_value_are_read(text: str, about: str, attribute: str, value: str) -> None:
    (state,) = states(text, about)

    assert (state.attribute, " ".join(sorted(state.value, reverse=True))) == (attribute, value)


@pytest.mark.parametrize(
    "text",
    [
        "I met a man who lives in Porto",
        "I want to move to Porto",
        "I might move to Porto next year",
        "I lived in Porto as a child",
        "Ben's mother lives in Porto",
        "I live in Porto in winter",
        "I moved my desk to the attic",
        "I live in hope",
        "I rent a flat in Porto every summer",
        "Ab nächstem Jahr wohne ich in Bonn",
        "I joined Emma for lunch",
        "I moved to Marketing Street",
        "I'm a mother now",
        "If I live in Porto, I need a car",
        "x" * 400 + " lives in Porto",
    ],
)
def test_what_gives_its_subject_no_such_value_has_no_state(text: str) -> None:
    assert states(text, "OWNER") == ()


def test_a_statement_that_says_more_is_not_whole() -> None:
    (whole,) = states("Lea moved to Porto in March 2024.", "Lea")
    (more,) = states("Lea lives in Porto and works at Initech", "Lea")

    assert whole.is_whole
    assert not more.is_whole


def test_one_town_in_two_languages_is_no_other_value() -> None:
    english, german = states("I live in Vienna", "OWNER")[0], states("Ich wohne in Wien", "OWNER")[0]
    assert not differ(english, german)


def test_values_differ_unless_one_may_be_within_the_other() -> None:
    porto, lisbon = states("I live in Porto", "OWNER")[0], states("I live in Lisbon", "OWNER")[0]
    assert differ(porto, lisbon)
    assert not differ(porto, states("I live in Porto, Portugal", "OWNER")[0])
    assert not differ(porto, states("I live in Portugal", "OWNER")[0])
    assert not differ(porto, states("I live at 9 Church Street", "OWNER")[0])
    assert is_wider(porto, states("I moved to Portugal", "OWNER")[0])
    assert not is_wider(porto, lisbon)
