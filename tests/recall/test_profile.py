from __future__ import annotations

from datetime import date, timedelta

import pytest

from geniffy_server.domain.memory import OWNER, Memory, MemoryId, Spoken
from geniffy_server.recall.profile import MOST_TRAITS, profile, subjects_meant
from tests.recall.told import SAID, memory

TODAY = SAID.date()


def on(day: date) -> Spoken:
    return Spoken(day, day, "day")


def traits(memories: list[Memory], subject: str | None = "Kim") -> tuple[list[str], list[str]]:
    found = profile(memories, subject, TODAY, meant={subject or OWNER})
    return [one.text for one in found.lasting], [one.text for one in found.current]


def test_nothing_known_is_an_empty_profile() -> None:
    found = profile([], "Kim", TODAY, meant={"Kim"})

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

    found = profile([other, first, second], "Kim", TODAY, meant={"Kim"})

    assert [[one.id for one in trait.memories] for trait in found.lasting] == [[2, 1], [3]]
    assert found.lasting[0].text == "Kim always prefers tea!"


def test_only_memories_of_the_subject_count() -> None:
    memories = [
        memory("Kim likes tea.", "Kim", kind="pref"),
        memory("Ana likes tea.", "Ana", kind="pref"),
        memory("I like tea.", OWNER, kind="pref"),
        memory("Window seats only.", None, kind="pref"),
        memory("Jo: My cat likes tea.", None, kind="pref"),  # another said it, of nobody in particular
        memory("Kim's son Tim likes tea.", "Kim", kind="pref"),
    ]

    assert traits(memories, "Kim") == (["Kim likes tea."], [])
    assert traits(memories, None) == (["I like tea.", "Window seats only."], [])


def test_whose_relative_somebody_is_is_a_trait_of_theirs() -> None:
    told = [memory("Kim's son is Tim.", "Kim"), memory("Kim's birthday is in May.", "Kim")]

    assert traits(told) == (["Kim's son is Tim.", "Kim's birthday is in May."], [])


@pytest.mark.parametrize(
    ("text", "spoken", "lasts"),
    [
        ("Kim moved to Lisbon.", on(TODAY - timedelta(days=60)), True),
        ("Kim was born on 3 May 1990.", on(date(1990, 5, 3)), True),
        ("Kim used to smoke.", None, False),
    ],
)
def test_what_began_to_hold_lasts_and_what_held_once_does_not(text: str, spoken: Spoken | None, lasts: bool) -> None:
    assert traits([memory(text, "Kim", spoken=spoken)]) == ([text] * lasts, [])


def test_what_somebody_is_stands_before_what_once_happened_to_them_and_a_bare_reply_is_no_trait() -> None:
    later = SAID + timedelta(days=1)
    told = [
        memory("Kim lives in Porto.", "Kim", kind="people", id=MemoryId(1)),
        memory("Kim is allergic to nuts.", "Kim", kind="pref", id=MemoryId(2)),
        memory("Kim keeps bees.", "Kim", kind="people", id=MemoryId(3)),
        memory("Kim and Ana found a flat.", "Kim", said_at=later, id=MemoryId(4)),
        memory("Kim finally got a loan.", "Kim", said_at=later, id=MemoryId(5)),
        memory("Kim: No, and I don't miss it.", "Kim", said_at=later, id=MemoryId(6)),
    ]

    lasting, _ = traits(told)

    assert lasting == [
        "Kim is allergic to nuts.",
        "Kim lives in Porto.",
        "Kim keeps bees.",
        "Kim finally got a loan.",
        "Kim and Ana found a flat.",
    ]


def test_what_began_days_ago_is_current() -> None:
    hurts = memory("Kim's knee hurts since Monday.", "Kim", spoken=Spoken(TODAY - timedelta(days=3), TODAY, "since"))

    assert traits([hurts]) == ([], ["Kim's knee hurts since Monday."])


@pytest.mark.parametrize(
    ("asked", "known", "meant"),
    [
        ("Kim", {"Kim Park", "Ana"}, {"Kim Park"}),
        ("kim park", {"Kim Park", "Kim"}, {"Kim Park", "Kim"}),
        ("Kim", {"Kim", "Kim Park", "Kim Lee"}, {"Kim"}),  # which of the two can't be told
        ("Kim Park", {"Kim", "Kim Park", "Kim Lee"}, {"Kim Park"}),
        ("Zoe", {"Zoë Ferreira", "Zoë"}, {"Zoë Ferreira", "Zoë"}),
        ("Anabel", {"Ana"}, set()),
    ],
)
def test_a_part_of_a_name_means_the_whole_where_only_one_has_it(asked: str, known: set[str], meant: set[str]) -> None:
    assert subjects_meant(asked, known) == meant


def test_a_profile_is_bounded() -> None:
    many = [memory(f"Kim keeps key {at}.", "Kim", id=MemoryId(at)) for at in range(15)]

    assert len(profile(many, "Kim", TODAY, meant={"Kim"}).lasting) == MOST_TRAITS
