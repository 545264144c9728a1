"""What happened once, or is to happen on a day, is never the value of an attribute."""

from __future__ import annotations

import pytest

from geniffy_server.learn.change.happenings import is_dated, is_happening, is_of_one_day, names_another


@pytest.mark.parametrize(
    "text",
    [
        "I painted 2 rooms.", "The generator in the yard burned 9 litres.", "There were 40 guests.",
        "Ich habe 4 Stunden gewartet.", "J'ai bu 3 cafés.", "Vendí 3 libros.", "Ho letto 3 libri.",
        "Вчера мы прошли 9 км.", "我喝了3杯茶。", "本を3冊読みました。", "मैंने 3 किताबें पढ़ीं।", "מכרתי 3 ספרים.",
        "شربت 3 أكواب.",
    ],
)  # fmt: skip
def test_what_was_done_or_took_place_is_a_happening(text: str) -> None:
    assert is_happening(text)


@pytest.mark.parametrize(
    "text",
    [
        "The rent is 900 euros.", "The ticket cost 10 euros.", "I need 3 chairs.", "The estimated price is 40 euros.",
        "Die Miete beträgt 900 Euro.", "J'ai 12 ans.", "Estoy en la sala 3.", "房租涨到950元了。",
        "会議は木曜日です。", "किराया 900 रुपये है।",
    ],
)  # fmt: skip
def test_a_price_a_need_and_what_is_so_are_no_happenings(text: str) -> None:
    assert not is_happening(text)


def test_today_is_of_one_day_and_from_today_is_not() -> None:
    assert is_of_one_day("I have 3 meetings today")
    assert not is_of_one_day("From today the rent is 950 euros")


def test_a_thing_with_a_date_is_dated_and_an_occasion_is_not() -> None:
    assert is_dated("The launch is on 3 May")
    assert not is_dated("Dinner with Paul on 3 May")


def test_appointments_with_two_people_are_two() -> None:
    assert names_another("My appointment with the dentist is on 3 May", "My appointment with the physio moved to 5 May")
    assert not names_another("My appointment with the dentist is on 3 May", "My appointment moved to 5 May")
