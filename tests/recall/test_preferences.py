"""One preference in other words is one; what differs in anything that counts is not."""

from __future__ import annotations

from itertools import combinations

import pytest

from geniffy_server.domain.memory import OWNER
from geniffy_server.recall.preferences import is_nearly_one_preference, is_one_preference
from tests.recall.told import memory

SAME = {
    "window": "I prefer window seats.|I always book a window seat.|When I fly, I like to sit by the window."
    "|Window seat for me whenever possible.|I'd rather have the window seat on planes.",
    "whatsapp": "I prefer WhatsApp.|Please contact me on WhatsApp.|WhatsApp is the best way to reach me."
    "|Message me via WhatsApp.|I'd like to be contacted through WhatsApp."
    "|The easiest way to get hold of me is WhatsApp.",
    "vegetarian": "I'm vegetarian.|I am a vegetarian.|I don't eat meat.|I never eat meat.|I follow a vegetarian diet.",
    "tea": "I prefer tea over coffee.|I like tea more than coffee.|Tea is better than coffee for me."
    "|Tea beats coffee for me.",
    "hotels": "I like quiet hotels.|I prefer a quiet hotel.|Quiet hotels are what I like best.",
    "spicy": "I love spicy food.|Spicy food is my favourite.|I enjoy eating spicy food.",
    "early": "I like getting up early.|I prefer to wake up early.",
    "email": "I prefer email to phone calls.|Please email me rather than call.|Email is better than calling me.",
    "mornings": "I like meetings in the morning.|Morning meetings work best for me."
    "|I prefer to have meetings before noon.",
    "jazz": "I love jazz.|Jazz is my favourite music.|I'm a big jazz fan.|I really enjoy listening to jazz.",
    "brief": "I like short answers.|I prefer brief replies.|Please give me concise responses.",
    "cilantro": "I hate cilantro.|I can't stand cilantro.|Cilantro is disgusting to me.",
    "dogs": "I like dogs more than cats.|I'm a dog person, not a cat person.|Dogs over cats, always.",
    "Spanish": "Prefiero el té al café.|Me gusta más el té que el café.",
    "German": "Ich sitze am liebsten am Fenster.|Am Fenster sitze ich am liebsten.",
}
DIFFERENT = [
    ("I prefer window seats.", "I prefer aisle seats."),
    ("I prefer window seats.", "I don't like window seats."),
    ("I prefer window seats.", "I booked a window seat."),
    ("I prefer window seats.", "I want a window seat on Friday."),
    ("I always book a window seat.", "I always book a window table."),
    ("I prefer window seats on short flights.", "I prefer window seats on long flights."),
    ("Please contact me on WhatsApp.", "Please contact me on Signal."),
    ("Please contact me on WhatsApp.", "Never contact me on WhatsApp."),
    ("WhatsApp is the best way to reach me.", "WhatsApp is the worst way to reach me."),
    ("Message me via WhatsApp.", "Message Kim via WhatsApp."),
    ("I'm vegetarian.", "I'm vegan."),
    ("I'm vegetarian.", "I'm not vegetarian."),
    ("I'm vegetarian.", "My wife is vegetarian."),
    ("I never eat meat.", "I never eat meat on Fridays."),
    ("I don't eat meat.", "I don't eat meat or fish."),
    ("I don't eat meat.", "I rarely eat meat."),
    ("I don't eat meat.", "I stopped eating meat."),
    ("I prefer tea over coffee.", "I prefer coffee over tea."),
    ("Prefiero el té al café.", "Prefiero el café al té."),
    ("I like tea.", "I like green tea."),
    ("I like tea with milk.", "I like tea with sugar."),
    ("I like tea before lunch.", "I like tea after lunch."),
    ("I like dogs.", "I have a dog."),
    ("I like dogs.", "I'd like a dog."),
    ("I like dogs.", "I used to like dogs."),
    ("I sometimes use dark mode.", "I always use dark mode."),
    ("My favourite food is sushi.", "My favourite drink is sushi."),
    ("I drink two coffees a day, please.", "I drink three coffees a day, please."),
    ("Please call me Bob.", "Please call me Rob."),
    ("I always take the 8:10 train.", "I always take the 9:10 train."),
    ("I love my sister.", "I love my brother."),
    ("I like meetings at noon.", "I like meetings in the morning."),
    ("I love jazz.", "I hate jazz."),
    ("I love jazz.", "I love jazz festivals."),
    ("I avoid sugar.", "I like sugar."),
    ("I prefer short flights.", "I prefer short answers."),
]


@pytest.mark.parametrize("what", SAME)
def test_a_preference_in_other_words_is_one(what: str) -> None:
    told = [memory(text, OWNER, kind="pref") for text in SAME[what].split("|")]

    for one, other in combinations(told, 2):
        assert is_one_preference(one, other), (one.text, other.text)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_differs_in_what_counts_is_no_one_preference(one: str, other: str) -> None:
    left, right = (memory(text, OWNER, kind="pref") for text in (one, other))

    assert not is_one_preference(left, right)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("I always use dark mode.", "I like dark themes best.", True),
        ("I always use dark mode.", "I hate dark themes.", False),
        ("I prefer tea over coffee.", "I prefer coffee over tea.", False),
        ("I like quiet hotels.", "I like quiet cafes by the sea.", False),
    ],
)
def test_a_preference_that_lies_near_another_is_shown_behind_the_rest(one: str, other: str, expected: bool) -> None:
    left, right = (memory(text, OWNER, kind="pref") for text in (one, other))

    assert is_nearly_one_preference(left, right, 0.8) is expected
    assert not is_nearly_one_preference(left, right, 0.5)


def test_two_people_have_preferences_of_their_own() -> None:
    assert not is_one_preference(memory("Kim prefers tea.", "Kim"), memory("Ana prefers tea.", "Ana"))
    assert not is_one_preference(memory("Kim: I prefer tea.", "Kim"), memory("I prefer tea.", OWNER))
    assert is_one_preference(memory("Kim prefers tea.", "Kim"), memory("Kim's favourite is tea.", "Kim"))


def test_what_clashes_is_shown_with_both_sides() -> None:
    tea = memory("I prefer tea.", OWNER, status="clash")

    assert not is_one_preference(tea, memory("Tea is my favourite.", OWNER, status="clash"))
