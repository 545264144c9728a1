from __future__ import annotations

from datetime import date

import pytest

from geniffy_server.domain.memory import Kind, Spoken
from geniffy_server.recall.wording import says_the_same
from tests.recall.told import memory


@pytest.mark.parametrize(
    ("one", "other", "kind", "cosine"),
    [
        ("I prefer tea.", "i do prefer tea", "pref", 0.97),
        ("I prefer dark mode in every editor.", "I like my editors in dark mode.", "pref", 0.88),
        ("Kim lives in Oslo.", "In Oslo lives Kim.", "people", 0.9),
    ],
)
def test_wordings_of_one_statement_say_the_same(one: str, other: str, kind: Kind, cosine: float) -> None:
    assert says_the_same(memory(one, "Kim", kind=kind), memory(other, "Kim", kind=kind), cosine)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer tea over coffee.", "I prefer coffee over tea."),
        ("I meet Ana on Monday.", "I meet Ana on Tuesday."),
        ("Ticket 14 is open.", "Ticket 15 is open."),
        ("Kim lives in Oslo.", "Kim lives in Bergen."),
        ("I eat meat.", "I don't eat meat."),
        ("I drink water at lunch.", "I drink juice at lunch."),
        ("I have a dog.", "I like dogs."),
        ("I'd like a dog.", "I like dogs."),
        ("I like tea.", "I like green tea."),
    ],
)
def test_statements_that_differ_in_what_counts_do_not_say_the_same(one: str, other: str) -> None:
    assert not says_the_same(memory(one, kind="pref"), memory(other, kind="pref"), 0.99)


def test_what_is_said_of_two_people_or_two_days_or_disagrees_is_not_the_same() -> None:
    kim = memory("Likes tea.", "Kim")

    assert not says_the_same(kim, memory("Likes tea.", "Ana"), 1.0)
    assert not says_the_same(kim, memory("Likes tea.", "Kim", status="clash"), 1.0)
    day = Spoken(date(2026, 10, 4), date(2026, 10, 4), "day")
    assert not says_the_same(kim, memory("Likes tea.", "Kim", spoken=day), 1.0)


def test_without_vectors_the_words_in_common_decide() -> None:
    tea = memory("Kim drinks green tea at work each morning.")

    assert says_the_same(tea, memory("Kim drinks green tea in the morning."))
    assert not says_the_same(tea, memory("Kim repairs old bikes in the evening."))
