"""What someone had or was part of, and gave up."""

from __future__ import annotations

import pytest

from geniffy_server.learn.change.given_up import given_up, is_given_up, is_gone
from training.change.pairs import decided


@pytest.mark.parametrize(
    ("held", "new"),
    [
        ("Sven drives a Golf.", "Sven sold the Golf and bought a Tesla."),
        ("I drive an old Fiat Panda.", "I traded the Panda in for a Skoda."),
        ("My phone is a Nokia.", "I replaced the Nokia with a Fairphone."),
        ("I have two hens.", "We gave the hens away."),
        ("My wife works at the county hospital.", "My wife left the county hospital in May."),
        ("Ich arbeite bei Siemens.", "Ich habe bei Siemens gekündigt."),
        ("Guido una Panda.", "Ho venduto la Panda e ora guido una Yaris."),
        ("我有一辆自行车。", "我把自行车卖了。"),
        ("We have a dog called Biscuit.", "Biscuit died last night."),
        ("Ola has a hamster.", "Ola's hamster died."),
    ],
)
def test_what_was_had_is_over_when_it_was_given_up(held: str, new: str) -> None:
    assert decided(held, new) == "replaces"


@pytest.mark.parametrize(
    ("held", "new"),
    [
        ("I have a house.", "I left the house."),
        ("I work at the library.", "I stopped at the library."),
        ("I work at Tesco.", "I left Tesco with two bags of food."),
        ("I work at Nokia.", "I left Nokia at five today."),
        ("I play the piano.", "I sold the piano."),
        ("I own a boat.", "I sold a boat."),
        ("I have two cars.", "I sold the car."),
        ("I have a dog and a cat.", "We gave the dog away."),
        ("I have a laptop.", "I replaced the laptop battery."),
        ("I drive a van.", "I didn't sell the van."),
        ("I have a dog.", "Jim's dog died."),
        ("We have a dog called Biscuit.", "Rex died last night."),
    ],
)
def test_what_is_still_had_stays(held: str, new: str) -> None:
    assert decided(held, new) == "both"


def test_a_noun_that_ends_otherwise_where_it_is_sold_is_the_same() -> None:
    assert is_given_up("У меня есть Лада.", None, "Я продал Ладу.", None)
    assert not is_given_up("У меня есть Лада.", None, "Я продал лодку.", None)


def test_what_goes_is_read_without_what_came_instead() -> None:
    (read,) = given_up("Sven sold the Golf and bought a Tesla.", "Sven")

    assert (read.sort, read.words) == ("thing", ("golf",))


def test_one_of_several_is_not_all_of_them() -> None:
    assert not is_given_up("I have two cats.", "I", "I gave the cat away.", "I")
    assert is_given_up("I have two cats.", "I", "I gave the cats away.", "I")


def test_what_died_is_told_by_its_name_or_by_whose_it_was() -> None:
    assert is_gone("Mia has a parrot.", "Mia", "Mia's parrot died.")
    assert not is_gone("Mia has a parrot.", "Mia", "Jon's parrot died.")
