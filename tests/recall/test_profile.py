from __future__ import annotations

from datetime import date, timedelta

import pytest

from geniffy_server.domain.memory import OWNER, Memory, MemoryId, Spoken
from geniffy_server.recall.profile import MOST_TRAITS, profile
from tests.recall.told import SAID, memory

TODAY = SAID.date()


def on(day: date) -> Spoken:
    return Spoken(day, day, "day")


def traits(memories: list[Memory], subject: str | None = "Kim") -> tuple[list[str], list[str]]:
    found = profile(memories, subject, TODAY)
    return [one.text for one in found.lasting], [one.text for one in found.current]


def test_nothing_known_is_an_empty_profile() -> None:
    found = profile([], "Kim", TODAY)

    assert (found.subject, found.lasting, found.current, found.considered) == ("Kim", [], [], 0)


def test_tastes_last_and_plans_are_current() -> None:
    tea = memory("Kim likes tea.", "Kim", kind="pref")
    job = memory("Kim works at Acme.", "Kim", kind="people")
    oslo = memory("Kim moves to Oslo in March.", "Kim", kind="plan", spoken=on(TODAY + timedelta(days=150)))
    call = memory("Kim wants to call the bank.", "Kim", kind="plan")

    assert traits([tea, job, oslo, call]) == (
        ["Kim likes tea.", "Kim works at Acme."],
        ["Kim wants to call the bank.", "Kim moves to Oslo in March."],
    )


@pytest.mark.parametrize(
    "over",
    [
        memory("Kim flies to Rome on Friday.", "Kim", kind="plan", spoken=on(TODAY - timedelta(days=3))),
        memory("Kim wants to learn Dutch.", "Kim", kind="plan", said_at=SAID - timedelta(days=90)),
        memory("Kim broke a leg.", "Kim", spoken=on(TODAY - timedelta(days=60))),
    ],
)
def test_what_is_over_is_in_neither_list(over: Memory) -> None:
    assert traits([over]) == ([], [])


@pytest.mark.parametrize("precision", ["since", "yearly", "year"])
def test_a_time_that_does_not_pass_leaves_a_trait_lasting(precision: str) -> None:
    told = memory("Kim has been at Acme since 2019.", "Kim", spoken=Spoken(date(2019, 1, 1), TODAY, precision))  # type: ignore[arg-type]

    assert traits([told]) == (["Kim has been at Acme since 2019."], [])


def test_wordings_of_one_trait_are_one_with_all_their_memories() -> None:
    first = memory("Kim prefers tea.", "Kim", kind="pref", id=MemoryId(1))
    second = memory("Kim always prefers tea!", "Kim", kind="pref", id=MemoryId(2), said_at=SAID + timedelta(days=1))
    other = memory("Kim doesn't like tea.", "Kim", kind="pref", id=MemoryId(3))

    found = profile([other, first, second], "Kim", TODAY)

    assert [[one.id for one in trait.memories] for trait in found.lasting] == [[2, 1], [3]]
    assert found.lasting[0].text == "Kim always prefers tea!"


def test_only_memories_of_the_subject_count() -> None:
    memories = [
        memory("Kim Park likes tea.", "Kim Park", kind="pref"),
        memory("Ana likes tea.", "Ana", kind="pref"),
        memory("I like tea.", OWNER, kind="pref"),
    ]

    assert traits(memories, "Kim") == (["Kim Park likes tea."], [])
    assert traits(memories, None) == (["I like tea."], [])
    assert profile(memories, "Kim", TODAY).considered == 1


def test_a_profile_is_bounded() -> None:
    many = [memory(f"Kim keeps key {at}.", "Kim", id=MemoryId(at)) for at in range(15)]

    assert len(profile(many, "Kim", TODAY).lasting) == MOST_TRAITS
