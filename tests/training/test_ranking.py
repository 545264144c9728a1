"""The memories that ranking is tried on."""

from __future__ import annotations

import json

from training.ranking.spaces import blocks, spaces


def test_the_same_memories_are_made_each_time() -> None:
    assert spaces(2, 1) == spaces(2, 1)


def test_every_question_is_answered_by_lines_that_its_memory_is_told() -> None:
    for told in spaces(3, 2):
        said = json.dumps(told.sources)

        assert len(told.sources) > 3
        for asked in told.questions:
            assert asked.gold
            assert all(json.dumps(line)[1:-1] in said for line in asked.gold)


def test_names_take_the_place_of_letters_in_questions_and_notes() -> None:
    for told in spaces(2, 2):
        texts = [asked.text for asked in told.questions]

        assert not any(letter in text.replace("'s", "").split() for text in texts for letter in ("A", "B", "P", "Q"))


def test_there_is_enough_to_ask_in_both_forms() -> None:
    asked = {form: sum(len(block.asked) for block in blocks(form)) for form in ("talk", "notes")}

    assert asked["talk"] >= 150
    assert asked["notes"] >= 90
