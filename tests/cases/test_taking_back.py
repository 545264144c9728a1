"""What is deleted, and what holds again when the thing that stood in its place goes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.cases.conftest import Traces

Learned = Callable[..., Any]
Held = Callable[[str], Any]


def texts(sdk: Any) -> set[str]:
    return {one.text for one in sdk.memories.iter()}


def told(sdk: Any, learned: Learned, way: str, text: str, name: str = "one", **more: Any) -> Any:
    """A text told to a memory as a note, as a turn of talk, in a session, or as a file; its source."""
    if way == "note":
        return learned(sdk, sdk.memories.add(text, external_id=f"crm/{name}", **more))
    if way == "file":
        return learned(sdk, sdk.files.put(f"/memories/{name}.md", text, **more).source)
    turns = [{"role": "user", "content": text}, {"role": "assistant", "content": "I see."}]
    if way == "turn":
        return learned(sdk, sdk.memories.add(messages=turns, external_id=f"crm/{name}", **more))
    return learned(sdk, sdk.memories.add(messages=turns, session=f"run/{name}", **more))


WAYS = ("note", "turn", "session", "file")
DELETES: dict[str, Callable[[Any, Any, str], Any]] = {
    "its id": lambda sdk, source, way: sdk.sources.delete(source.id),
    "its external id": lambda sdk, source, way: sdk.sources.delete(external_id=source.external_id),
    "its label": lambda sdk, source, way: sdk.sources.delete_labelled({"kind": "secret"}),
    "its path": lambda sdk, source, way: sdk.files.delete("/memories/one.md"),
    "a prefix of its path": lambda sdk, source, way: sdk.files.delete_prefix("/memories/"),
}


@pytest.mark.parametrize(
    ("way", "by"),
    [
        *(("note", by) for by in ("its id", "its external id", "its label")),
        ("turn", "its id"),
        ("session", "its external id"),
        *(("file", by) for by in DELETES if "label" not in by),
    ],
)
def test_no_trace_of_a_deleted_source_is_left(
    sdk: Any,
    learned: Learned,
    held: Held,
    vector_of: Callable[[int], bytes],
    traces: Traces,
    person_name: str,
    way: str,
    by: str,
) -> None:
    text = f"{person_name} is our lawyer. She likes {person_name}'s tea. Are you there, {person_name}?"
    source = told(sdk, learned, way, text, labels={"kind": "secret", "who": person_name})
    told(sdk, learned, "note", "Ana lives in Porto.", "other")
    vector = vector_of(held("lawyer").id)

    DELETES[by](sdk, sdk.sources.get(source.id), way)

    assert traces(person_name, vector) == []
    assert texts(sdk) == {"Ana lives in Porto."}
    assert person_name not in json.dumps(sdk.export())


@pytest.mark.parametrize(
    ("first", "second", "deleted"),
    [
        *((first, second, "first") for first in WAYS for second in WAYS),
        *((one, other, "second") for one, other in zip(WAYS, reversed(WAYS), strict=True)),
    ],
)
def test_what_two_sources_say_stays_and_cites_the_one_that_is_left(
    sdk: Any, learned: Learned, first: str, second: str, deleted: str
) -> None:
    text = "Kim Park is our lawyer.\n\nAna lives in Porto."
    sources = [told(sdk, learned, way, text, name) for way, name in ((first, "one"), (second, "two"))]
    before = {one.id: one.text for one in sdk.memories.iter()}
    goes, stays = sources if deleted == "first" else reversed(sources)

    sdk.sources.delete(goes.id)

    left = {one.id: (one.text, one.source.id) for one in sdk.memories.iter()}
    assert left == {memory_id: (text, stays.id) for memory_id, text in before.items()}
    assert len(left) == 2
    assert sdk.search("Who is our lawyer?")[0].source.id == stays.id
    assert sdk.sources.get(stays.id).facts == 2
    sdk.sources.delete(stays.id)
    assert texts(sdk) == set()


WORDINGS = [
    ("Kim currently manages Atlas.", "Kim managed Atlas."),
    ("The office is closing at 6.", "The office closes at six."),
    ("Ana lives in Porto now.", "Ana lives in Porto."),
    ("Please remember that I love tea.", "I love tea."),
]


@pytest.mark.parametrize(
    ("way", "first", "second"), [*((way, *WORDINGS[0]) for way in WAYS), *(("note", *pair) for pair in WORDINGS[1:])]
)
def test_what_is_left_is_told_in_the_words_of_the_source_that_is_left(
    sdk: Any, learned: Learned, traces: Traces, space: str, way: str, first: str, second: str
) -> None:
    goes = told(sdk, learned, "note", f"{first}\n\nBen is our cook.", space)
    stays = told(sdk, learned, way, f"{second}\n\nMia plays the violin.")
    assert len(texts(sdk)) == 3

    sdk.sources.delete(goes.id)

    learned(sdk, stays)
    assert texts(sdk) == {second, "Mia plays the violin."}
    memory = next(one for one in sdk.memories.iter() if one.text == second)
    assert (sdk.memories.get(memory.id).memory.quote, memory.source.id) == (second, stays.id)
    assert sdk.search(second)[0].id == memory.id
    assert sdk.sources.get(stays.id).facts == 2


def test_a_value_told_again_after_it_was_replaced_holds_once_when_the_newer_one_goes(
    sdk: Any, learned: Learned
) -> None:
    old, newer = PROJECTS[:2]
    told(sdk, learned, "note", old, "p0", said_at=DAYS[0])
    goes = told(sdk, learned, "note", newer, "p1", said_at=DAYS[1])
    told(sdk, learned, "note", old, "p2", said_at="2025-04-01")

    sdk.sources.delete(goes.id)

    assert [one.text for one in sdk.memories.iter()] == [old]
    for name in ("p0", "p2"):
        sdk.sources.delete(external_id=f"crm/{name}")
    assert sdk.export()["memories"] == []


PROJECTS = ["Kiran is on project Atlas.", "Kiran moved to project Borealis.", "Kiran moved to project Cascade."]
DAYS = ["2025-03-04", "2025-06-01", "2025-08-01"]


@pytest.fixture
def projects(sdk: Any, learned: Learned) -> list[Any]:
    """Three sources, each of which replaces what the one before says."""
    sources = [
        told(sdk, learned, "note", text, f"p{index}", said_at=day)
        for index, (text, day) in enumerate(zip(PROJECTS, DAYS, strict=True))
    ]
    assert texts(sdk) == {PROJECTS[2]}
    return sources


def history(sdk: Any) -> list[str]:
    (current,) = list(sdk.memories.iter())
    return [one.text for one in sdk.memories.get(current.id).history]


def test_a_value_holds_again_when_the_source_of_the_newer_one_is_deleted(sdk: Any, projects: list[Any]) -> None:
    assert history(sdk) == PROJECTS[:2]

    sdk.sources.delete(projects[2].id)
    assert (texts(sdk), history(sdk)) == ({PROJECTS[1]}, PROJECTS[:1])
    assert "Borealis" in sdk.ask("Which project is Kiran on?").answer

    sdk.sources.delete(projects[1].id)
    assert (texts(sdk), history(sdk)) == ({PROJECTS[0]}, [])
    assert sdk.search("Which project is Kiran on?")[0].text == PROJECTS[0]


def test_a_value_stays_history_when_one_between_it_and_the_newest_is_deleted(sdk: Any, projects: list[Any]) -> None:
    sdk.sources.delete(projects[1].id)

    assert (texts(sdk), history(sdk)) == ({PROJECTS[2]}, [PROJECTS[0]])
    sdk.sources.delete(projects[2].id)
    assert (texts(sdk), history(sdk)) == ({PROJECTS[0]}, [])


def test_values_hold_again_when_a_note_no_longer_says_the_newer_one(
    sdk: Any, learned: Learned, projects: list[Any]
) -> None:
    told(sdk, learned, "note", "Mia plays the violin.", "p2")

    assert texts(sdk) == {PROJECTS[1], "Mia plays the violin."}


def test_the_newest_of_values_that_were_told_out_of_order_holds_again(sdk: Any, learned: Learned) -> None:
    last = told(sdk, learned, "note", PROJECTS[2], "p2", said_at=DAYS[2])
    for index in (0, 1):
        told(sdk, learned, "note", PROJECTS[index], f"p{index}", said_at=DAYS[index])
    assert texts(sdk) == {PROJECTS[2]}

    sdk.sources.delete(last.id)

    assert (texts(sdk), history(sdk)) == ({PROJECTS[1]}, [PROJECTS[0]])


def test_deleting_several_at_once_leaves_the_one_that_is_left_current(sdk: Any, learned: Learned) -> None:
    for index, (text, day) in enumerate(zip(PROJECTS, DAYS, strict=True)):
        told(sdk, learned, "note", text, f"p{index}", said_at=day, labels={"late": "yes"} if index else {})

    sdk.sources.delete_labelled({"late": "yes"})

    assert (texts(sdk), history(sdk)) == ({PROJECTS[0]}, [])


def test_what_was_marked_wrong_stays_wrong_when_its_correction_is_deleted(
    sdk: Any, learned: Learned, held: Held
) -> None:
    told(sdk, learned, "note", "Kim Park was born in Leeds.")
    right = sdk.memories.correct(held("Leeds").id, "Kim Park was born in York.")

    sdk.sources.delete(right["source"]["id"])

    assert texts(sdk) == set()
    assert [one["status"] for one in sdk.export()["memories"]] == ["wrong"]
    told(sdk, learned, "note", "Kim Park was born in Leeds.", "again")
    assert texts(sdk) == set()


LAUNCHES = ["The launch is on 3 May 2027.", "The launch is on 9 May 2027."]


def clashing(sdk: Any, learned: Learned) -> list[Any]:
    """Two sources that say at one moment what can't both be."""
    sources = [
        told(sdk, learned, "note", text, f"c{index}", said_at="2025-03-04T09:30:00+00:00")
        for index, text in enumerate(LAUNCHES)
    ]
    assert {one.status for one in sdk.memories.iter()} == {"clash"}
    return sources


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("way", ["deleting its source", "forgetting", "correcting", "changing its source"])
def test_a_clash_ends_when_one_side_goes(sdk: Any, learned: Learned, held: Held, way: str, side: int) -> None:
    sources = clashing(sdk, learned)
    goes, stays = LAUNCHES[side], LAUNCHES[1 - side]
    memory = held(goes)

    if way == "deleting its source":
        sdk.sources.delete(sources[side].id)
    elif way == "forgetting":
        sdk.memories.delete(memory.id)
    elif way == "correcting":
        sdk.memories.correct(memory.id, "Mia plays the violin.")
    else:
        told(sdk, learned, "note", "Mia plays the violin.", f"c{side}")

    assert {one.text: one.status for one in sdk.memories.iter() if "Mia" not in one.text} == {stays: "current"}
    assert not sdk.ask("When is the launch?").clash
    assert held(stays).id


def test_a_clash_is_settled_by_a_source_that_says_one_side_again_later(sdk: Any, learned: Learned, held: Held) -> None:
    clashing(sdk, learned)

    told(sdk, learned, "note", LAUNCHES[0], "c2", said_at="2025-05-01")

    assert {one.text: one.status for one in sdk.memories.iter()} == {LAUNCHES[0]: "current"}
    assert [one.text for one in sdk.memories.get(held("3 May").id).history] == [LAUNCHES[1]]
    assert not sdk.ask("When is the launch?").clash


def test_a_clash_is_settled_by_a_source_that_says_what_came_after_both(sdk: Any, learned: Learned) -> None:
    sources = clashing(sdk, learned)

    later = told(sdk, learned, "note", "The launch was moved to 20 May 2027.", "c2", said_at="2025-05-01")

    assert [one.text for one in sdk.memories.iter()] == ["The launch was moved to 20 May 2027."]
    assert sorted(history(sdk)) == LAUNCHES
    sdk.sources.delete(later.id)
    assert {one.text: one.status for one in sdk.memories.iter()} == dict.fromkeys(LAUNCHES, "clash")
    sdk.sources.delete(sources[0].id)
    assert {one.text: one.status for one in sdk.memories.iter()} == {LAUNCHES[1]: "current"}


def test_a_clash_of_three_goes_on_between_the_two_that_are_left(sdk: Any, learned: Learned, held: Held) -> None:
    clashing(sdk, learned)
    third = "The launch is on 12 May 2027."
    told(sdk, learned, "note", third, "c2", said_at="2025-03-04T09:30:00+00:00")
    assert {one.status for one in sdk.memories.iter()} == {"clash"}

    sdk.memories.delete(held(LAUNCHES[0]).id)

    assert {one.text: one.status for one in sdk.memories.iter()} == {LAUNCHES[1]: "clash", third: "clash"}
    sdk.memories.delete(held(third).id)
    assert {one.text: one.status for one in sdk.memories.iter()} == {LAUNCHES[1]: "current"}


def test_no_trace_of_an_erased_space_is_left_not_even_its_name(
    client: Any,
    http: Any,
    learned: Learned,
    vector_of: Callable[[int], bytes],
    traces: Traces,
    person_name: str,
) -> None:
    name = person_name.replace(" ", "-")
    space = client.space(name)
    for way in WAYS:
        told(space, learned, way, f"{person_name} is our lawyer.\n\nAna {name} lives in Porto.", way)
    vectors = [vector_of(one.id) for one in space.memories.iter()]
    space.search(person_name)
    space.keys.create(name=person_name)
    http.get("/v1/me", headers={"X-Geniffy-Space": name})
    assert "requests.space" in traces(name)

    client.forget_space(name)

    assert traces(name, person_name, *vectors) == []


def test_the_name_of_a_space_that_was_only_read_goes_from_the_log_too(
    client: Any, traces: Traces, person_name: str
) -> None:
    name = person_name.replace(" ", "-")
    client.space(name).search("anything")
    assert traces(name)

    client.forget_space(name)

    assert traces(name) == []
