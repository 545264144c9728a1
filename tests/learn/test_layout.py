"""Rows of data, addresses, records and talks in plain notes, and how they are learned."""

from __future__ import annotations

import pytest

from geniffy_server.domain.memory import OWNER
from geniffy_server.learn.layout import Talk, after_asides, delimiter_of, is_address, lines_of, own_words, record_of
from tests.learn.labels import learned


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("name,role,city\nEsra,cook,Izmir", ","),
        ("sku;price\nA-1;9.90\nB-2;4.50", ";"),
        ("host\tport\ndb\t5432", "\t"),
        ("Milk, eggs, bread.\nTea, sugar, salt.", None),
        ("I came, I saw, I left\nWe came, we saw, we left", None),
        ("one,two,three", None),
        ("a,b,c\nd,e", None),
    ],
)
def test_data_has_as_many_cells_in_every_line(text: str, delimiter: str | None) -> None:
    assert delimiter_of(text, lines_of(text, 0, len(text))) == delimiter


def test_a_line_of_data_is_one_fact_worded_by_its_columns() -> None:
    facts = learned("name,role,city\r\nEsra,cook,Izmir\r\nBilal,waiter,Konya\r\n")
    assert [(fact.quote, fact.text, fact.about) for fact in facts] == [
        ("Esra,cook,Izmir", "name: Esra; role: cook; city: Izmir", "Esra"),
        ("Bilal,waiter,Konya", "name: Bilal; role: waiter; city: Konya", "Bilal"),
    ]


def test_a_column_of_things_names_no_people() -> None:
    table = "| {} | Since |\n|---|---|\n| Monstera | 2024 |\n"
    assert [learned(table.format(head))[0].kind for head in ("Plant", "Person", "Name")] == [
        "detail",
        "people",
        "people",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Velo Nord\nKanalstraat 14\n9000 Gent\nBelgium", True),
        ("14 Elm Road\nLeeds LS1 4AP", True),
        ("1600 Main Street\nSpringfield, IL 62701", True),
        ("Bought 14 apples\nSold 9000 pears\nTired", False),
        ("Kanalstraat 14", False),
        ("We live at Elm Road 14.\n9000 Gent is far.", False),
    ],
)
def test_an_address_has_a_street_and_a_place_with_its_code(text: str, expected: bool) -> None:
    assert is_address(text) is expected


def test_an_address_is_one_fact_on_one_line() -> None:
    (fact,) = learned("Kim Park\n14 Elm Road,\nLeeds LS1 4AP")
    assert (fact.text, fact.quote) == ("Kim Park, 14 Elm Road, Leeds LS1 4AP", "Kim Park\n14 Elm Road,\nLeeds LS1 4AP")


def test_a_record_is_about_whom_its_name_field_names() -> None:
    assert record_of("name: Corinne Vidal\ncity: Toulouse") == "Corinne Vidal"
    assert record_of("city: Toulouse\nsize: 44") is None
    assert record_of("name: Corinne Vidal\nShe lives in Toulouse.") is None
    facts = learned("Name: Corinne Vidal\nShoe size: 38")
    assert [(fact.text, fact.about) for fact in facts][1] == ("Corinne Vidal: Shoe size: 38", "Corinne Vidal")


def test_what_an_agent_said_in_a_pasted_talk_is_not_learned() -> None:
    facts = learned(
        "User: I live in Graz.\nAssistant: You live in Graz, and Ana lives in Bonn.\n\n"
        "It is a fine town.\n\nUser: My sister Lea lives in Porto."
    )
    assert [(fact.quote, fact.about) for fact in facts] == [
        ("I live in Graz.", OWNER),
        ("My sister Lea lives in Porto.", "Lea"),
    ]


def test_a_field_that_is_called_assistant_is_no_talk() -> None:
    assert own_words("Assistant: Priya Nair\nManager: Joe", Talk()) == ([(0, 34)], Talk())
    assert [fact.quote for fact in learned("Assistant: Priya Nair\nManager: Joe Black")] == [
        "Assistant: Priya Nair",
        "Manager: Joe Black",
    ]


def test_what_a_program_put_before_the_words_is_left_out() -> None:
    text = "[shares photo: a cake] [laughs] We baked it for Elif."
    assert text[after_asides(text, 0, len(text)) :] == "We baked it for Elif."
    (fact,) = learned(text, speaker="Caroline")
    assert (fact.quote, fact.about) == ("We baked it for Elif.", "Caroline")
    assert learned("[shares photo: a red car]", speaker="Caroline") == []


def test_a_bracket_of_the_writers_own_stays() -> None:
    assert [fact.quote for fact in learned("[Lumen] The renewal is due in June.")] == [
        "[Lumen] The renewal is due in June."
    ]
