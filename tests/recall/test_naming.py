"""Whether a statement names something."""

from __future__ import annotations

import numpy as np
import pytest

from geniffy_server.domain.memory import parted_tokens
from geniffy_server.models.minilm import MiniLM
from geniffy_server.recall.naming import NAMING, names_something
from geniffy_server.recall.recall import ShardRecall
from tests.recall.space_in_memory import SAID, FrozenClock


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("Ana: We met Bruno at the pier.", True),
        ("The pump costs 40 euros.", True),
        ("Mía: Viajo a París en tren.", True),
        ("Ana: That was lovely. Thanks again!", False),
        ("It was a long day, and I'm tired.", False),
        ("", False),
    ],
)
def test_a_name_or_a_number_inside_is_seen_and_the_capital_that_begins_a_sentence_is_none(
    text: str, is_named: bool
) -> None:
    assert names_something(text) is is_named


def test_what_names_something_is_marked_in_a_talk_alone() -> None:
    recall = ShardRecall(MiniLM(), budget_bytes=1, clock=FrozenClock())

    def marks(text: str, said_by: str | None) -> bool:
        own, _ = parted_tokens(recall.tokens(text, None, SAID, said_by=said_by))
        return NAMING in np.frombuffer(own, "<u4")

    assert marks("Ana: We met Bruno at the pier.", "Ana")
    assert not marks("Ana: That was lovely.", "Ana")
    assert not marks("Ana met Bruno at the pier.", None)
