from __future__ import annotations

import pytest

from geniffy_server.learn.subjects.objects import thing_in, with_object


@pytest.mark.parametrize(
    ("before", "subject", "said", "told"),
    [
        ("The lease starts in May.", "lease", "Uma signs it.", "Uma signs the lease."),
        ("I bought a guitar.", None, "Kim plays it every day.", "Kim plays the guitar every day."),
        ("The car is in the garage.", "car", "Leo has already paid for it.", "Leo has already paid for the car."),
        ("Atlas is late.", "Atlas", "My sister Ana leads it.", "My sister Ana leads Atlas."),
    ],
)
def test_it_behind_a_verb_is_the_thing_named_before(before: str, subject: str | None, said: str, told: str) -> None:
    thing = thing_in(before, subject, before=None)

    assert thing is not None
    assert with_object(said, thing) == told


@pytest.mark.parametrize(
    "said", ["Kim thinks it is great.", "Omar made it.", "She said it rained.", "It rains.", "Uma finds it hard."]
)
def test_it_that_stands_for_nothing_is_left(said: str) -> None:
    assert with_object(said, "the lease") == said


def test_two_things_a_person_or_a_time_leave_nothing_for_it() -> None:
    assert thing_in("I bought a guitar and a drum.", None, before=None) is None
    assert thing_in("I met the doctor.", None, before=None) is None
    assert thing_in("We met in the morning.", None, before=None) is None
    assert thing_in("Kim plays it.", None, before="the guitar") == "the guitar"
