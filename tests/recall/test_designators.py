from __future__ import annotations

import pytest

from geniffy_server.recall.designators import is_of_another


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How much does plan A cost?", "Plan B costs 25 euros.", True),
        ("How much does plan A cost?", "Plan A costs 10 euros.", False),
        ("How much does plan D cost?", "Plans A, B and C cost the same.", True),
        ("How much does plan C cost?", "Plans A, B and C cost the same.", False),
        ("Which is cheaper, plan A or plan B?", "Plan B costs 25 euros.", False),
        ("Does vitamin D help me?", "I take vitamin C.", True),
        ("What should I do?", "I take vitamin C.", False),
    ],
)
def test_a_letter_behind_a_noun_is_part_of_its_name(question: str, text: str, expected: bool) -> None:
    assert is_of_another(question, text) is expected
