"""What someone likes or can't stand."""

from __future__ import annotations

import pytest

from geniffy_server.learn.change.tastes import taste
from training.change.pairs import decided


@pytest.mark.parametrize(
    ("text", "about", "likes", "of"),
    [
        ("I really love olives.", "I", True, "olives"),
        ("Rita has gone off jazz lately.", "Rita", False, "jazz"),
        ("Ich mag inzwischen keinen Kaffee mehr.", "ich", False, "Kaffee"),
        ("Je n'aime plus le jazz.", "je", False, "le jazz"),
        ("Adesso il sushi mi piace.", None, True, "il sushi"),
        ("納豆が好きになりました。", None, True, "納豆"),
        ("أنا لا أحب الشاي.", None, False, "الشاي"),
    ],
)
def test_a_taste_is_read_whole(text: str, about: str | None, likes: bool, of: str) -> None:
    found = taste(text, about)

    assert found is not None
    assert (found.likes, found.of) == (likes, of)


@pytest.mark.parametrize("text", ["I met a man who loves olives.", "The olives are on the table."])
def test_a_sentence_that_says_something_else_has_no_taste(text: str) -> None:
    assert taste(text, "I") is None


@pytest.mark.parametrize(
    ("held", "new", "outcome"),
    [
        ("Marge enjoys opera", "Marge can't stand opera glasses", "both"),
        ("I love dogs", "I hate dog hair on the sofa", "both"),
        ("I love Rome", "I hate Rome in August", "both"),
        ("I can't stand mushrooms", "I've come to love mushrooms", "replaces"),
        ("No me gusta el sushi", "Ahora me gusta el sushi", "replaces"),
        ("I like olives", "I'm fond of olives", "same"),
        ("I like olives", "I love olives", "both"),
    ],
)
def test_a_taste_ends_or_repeats_one_for_the_same_thing(held: str, new: str, outcome: str) -> None:
    assert decided(held, new) == outcome
