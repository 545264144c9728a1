"""What is forgotten is in no row, no file's bytes, no log and no answer, unless something else still says it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.cases.conftest import Pair, Traces

ANA = "Ana lives in Porto."

Add = dict[str, Any]


def messages(*turns: tuple[str, str], **more: Any) -> Add:
    return {"messages": [{"role": role, "content": content, **more} for role, content in turns]}


# What is added, NAME standing for a person's, and the words of the memory that is forgotten.
TOLD: dict[str, tuple[list[Add], str]] = {
    "a note": ([{"text": f"NAME is our lawyer at Acme Chambers. {ANA}"}], "lawyer"),
    "a note's last words": ([{"text": f"{ANA}\n\nThe spare key is with NAME"}], "spare key"),
    "a note under its own title": ([{"text": "NAME is our lawyer.", "title": "NAME is our lawyer."}], "lawyer"),
    "a note under a title that was cut off": (
        [{"text": f"NAME is our lawyer. {ANA}", "title": "We should know that NAME is our la..."}],
        "lawyer",
    ),
    "a list under a heading": ([{"text": f"# NAME\n\n- Chief designer at Acme\n\n# Others\n\n- {ANA}"}], "designer"),
    "a row of a table": (
        [{"text": "| Name | Role |\n|---|---|\n| NAME | Designer |\n| Ana | Developer |\n"}],
        "Designer",
    ),
    "a quotation": ([{"text": f"> NAME is our lawyer.\n\n{ANA}"}], "lawyer"),
    "a note in Chinese": ([{"text": f"NAME是我们的律师。\n\n{ANA}"}], "律师"),
    "a turn": ([messages(("user", "NAME is my dentist. I love sailing."), ("assistant", "Fine."))], "dentist"),
    "a turn that the agent repeats": (
        [messages(("user", "NAME is my dentist."), ("assistant", "Noted: NAME is my dentist!"))],
        "dentist",
    ),
    "a turn that the agent gives back in the second person": (
        [
            messages(
                ("user", "I keep my savings at NAME."), ("assistant", "Got it! You keep your savings at NAME. More?")
            )
        ],
        "savings",
    ),
    "a turn that an agent gives back in another talk": (
        [
            messages(("user", "I keep my savings at NAME.")),
            messages(("user", "What do you know?"), ("assistant", "That you keep your savings at NAME, and no more.")),
        ],
        "savings",
    ),
    "a participant's turn": (
        [{"messages": [{"role": "user", "name": "NAME", "content": "I moved to Leeds in May."}]}],
        "Leeds",
    ),
    "a participant who says more": (
        [
            {
                "messages": [
                    {"role": "user", "name": "NAME", "content": "Hello there!"},
                    {"role": "user", "name": "NAME", "content": "I moved to Leeds in May."},
                ]
            }
        ],
        "Leeds",
    ),
    "a turn that a tool was called with": (
        [
            {
                "messages": [
                    {"role": "user", "content": "NAME is my dentist."},
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {"id": "1", "function": {"name": "save", "arguments": '{"fact": "NAME is my dentist."}'}}
                        ],
                    },
                    {"role": "tool", "tool_call_id": "1", "content": 'Saved "NAME is my dentist".'},
                ]
            }
        ],
        "dentist",
    ),
    "a session under the question's title": (
        [{**messages(("user", "NAME is my dentist.")), "session": "run-1", "title": "NAME is my dentist."}],
        "dentist",
    ),
    "two sources": ([{"text": "NAME is our lawyer."}, {"text": f"NAME is our lawyer.\n\n{ANA}"}], "lawyer"),
    "two wordings": (
        [{"text": "NAME loves tea."}, {"text": "NAME is our CFO. She loves tea."}, {"text": "NAME LOVES TEA!"}],
        "loves tea",
    ),
    "the owner's own name": ([{"text": "My name is NAME. I love sailing."}], "My name is"),
}


def filled(adds: list[Add], name: str) -> list[Add]:
    told: list[Add] = json.loads(json.dumps(adds).replace("NAME", name))
    return told


@pytest.mark.parametrize("what", TOLD)
def test_no_trace_of_a_forgotten_memory_is_left(
    sdk: Any,
    learned: Callable[..., Any],
    held: Callable[[str], Any],
    vector_of: Callable[[int], bytes],
    traces: Traces,
    person_name: str,
    what: str,
) -> None:
    adds, words = TOLD[what]
    for add in filled(adds, person_name):
        learned(sdk, sdk.memories.add(**add))
    memory = held(words)
    vector = vector_of(memory.id)
    assert traces(person_name.encode(), vector)

    sdk.memories.delete(memory.id)
    for other in sdk.memories.iter():
        if person_name in other.text:  # what else tells of them is forgotten too
            sdk.memories.delete(other.id)

    assert traces(person_name, vector) == []
    assert person_name not in json.dumps(sdk.export())
    assert person_name not in json.dumps([one.raw for one in sdk.sources.list().sources])


@pytest.mark.parametrize("what", TOLD)
def test_what_was_forgotten_does_not_come_back_when_it_is_told_again(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any], person_name: str, what: str
) -> None:
    adds, words = TOLD[what]
    for add in filled(adds, person_name):
        learned(sdk, sdk.memories.add(**add))
    memory = held(words)
    sdk.memories.delete(memory.id)
    before = sorted(one.text for one in sdk.memories.iter())

    for add in filled(adds, person_name):
        learned(sdk, sdk.memories.add(**add))
    learned(sdk, sdk.memories.add(f"Ben plays the violin.\n\n{memory.text}\n\nAna lives in Porto."))

    told_since = {"Ben plays the violin.", ANA, *before}
    assert {one.text for one in sdk.memories.iter()} <= told_since
    assert not [memory for memory in sdk.export()["memories"] if memory["text"] not in told_since]


OTHER_WORDINGS = [
    "i keep my savings at fortis",
    "I KEEP MY SAVINGS AT FORTIS!!",
    "- I keep my savings at Fortis",
    "* **I keep my savings at Fortis.**",
    "3. I keep my savings at Fortis",
    "> I keep my savings at Fortis.",
    "# Money\n\n- I keep my savings at Fortis",
    "I  keep my savings at\nFortis.",
    '"I keep my savings at Fortis."',
    "Please remember that I keep my savings at Fortis.",
]


@pytest.mark.parametrize("way", ["forgotten", "corrected"])
def test_what_was_taken_back_does_not_come_back_in_other_case_marks_or_bullets(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any], way: str
) -> None:
    learned(sdk, sdk.memories.add("I keep my savings at Fortis."))
    if way == "forgotten":
        sdk.memories.delete(held("Fortis").id)
    else:
        sdk.memories.correct(held("Fortis").id, "I keep my savings at Argenta.")

    for text in OTHER_WORDINGS:
        learned(sdk, sdk.memories.add(text))
        learned(sdk, sdk.memories.add(**messages(("user", text))))

    assert [one.text for one in sdk.memories.iter() if "fortis" in one.text.casefold()] == []


def test_a_name_that_another_memory_tells_of_stays_where_it_is_told(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any], traces: Traces, person_name: str, space: str
) -> None:
    text = f"# {person_name}\n\n- Chief designer at {space}\n- Likes green tea\n"
    learned(sdk, sdk.memories.add(text, external_id="crm/1"))

    sdk.memories.delete(held("designer").id)

    assert [one.text for one in sdk.memories.iter()] == [f"{person_name}: Likes green tea"]
    assert traces(f"Chief designer at {space}") == []
    assert "source_texts.text" in traces(person_name)
    sdk.memories.delete(held("tea").id)
    assert traces(person_name) == []


def test_words_that_another_memory_rests_on_stay(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any], person_name: str
) -> None:
    learned(sdk, sdk.memories.add(f"{person_name} is our lawyer."))
    learned(sdk, sdk.memories.add(f"Ben told me that {person_name} is our lawyer now and for good."))
    kept = held("Ben told me")

    sdk.memories.delete(next(one.id for one in sdk.memories.iter() if one.id != kept.id))

    assert sdk.memories.get(kept.id).memory.quote == f"Ben told me that {person_name} is our lawyer now and for good."
    assert [one.text for one in sdk.memories.iter()] == [kept.text]


def test_a_line_that_context_printed_goes_with_the_memory_it_repeats(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any], traces: Traces, person_name: str
) -> None:
    learned(sdk, sdk.memories.add(f"{person_name} is our auditor."))
    context = str(sdk.context(f"What does {person_name} do?"))
    assert person_name in context
    learned(sdk, sdk.memories.add(context))
    learned(sdk, sdk.memories.add(messages=[{"role": "user", "content": "Hm."}, {"role": "tool", "content": context}]))

    sdk.memories.delete(held("auditor").id)

    assert traces(person_name) == []
    assert sdk.memories.list().total == 0


def test_a_memory_goes_with_the_values_it_had_before(
    sdk: Any, learned: Callable[..., Any], traces: Traces, person_name: str
) -> None:
    for project, day in (("Atlantiz", "2025-03-04"), ("Borealiz", "2025-06-01"), ("Cascadiz", "2025-08-01")):
        learned(sdk, sdk.memories.add(f"{person_name} moved to project {project}.", said_at=day))
    (current,) = list(sdk.memories.iter())
    assert len(sdk.memories.get(current.id).history) == 2

    sdk.memories.delete(current.id)

    assert traces(person_name, "Atlantiz", "Borealiz", "Cascadiz") == []
    assert sdk.export()["memories"] == []


def test_a_corrected_memory_goes_with_the_wrong_one(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any], traces: Traces, person_name: str
) -> None:
    learned(sdk, sdk.memories.add(f"{person_name} was born in Leedz."))
    sdk.memories.correct(held("Leedz").id, f"{person_name} was born in Yorkz.")
    (right,) = list(sdk.memories.iter())

    sdk.memories.delete(right.id)

    assert traces(person_name, "Leedz", "Yorkz") == []
    assert sdk.export()["memories"] == []


def test_a_value_of_the_past_is_forgotten_alone(
    sdk: Any, learned: Callable[..., Any], traces: Traces, person_name: str
) -> None:
    learned(sdk, sdk.memories.add(f"{person_name} is on project Atlantiz.", said_at="2025-03-04"))
    learned(sdk, sdk.memories.add(f"{person_name} moved to project Borealiz.", said_at="2025-06-01"))
    (current,) = list(sdk.memories.iter())
    (earlier,) = sdk.memories.get(current.id).history

    sdk.memories.delete(earlier.id)

    assert traces("Atlantiz") == []
    assert [one.text for one in sdk.memories.iter()] == [current.text]
    assert sdk.memories.get(current.id).history == []


def test_a_file_keeps_its_text_and_the_reply_names_it(
    sdk: Any,
    http: httpx.Client,
    learned: Callable[..., Any],
    held: Callable[[str], Any],
    vector_of: Callable[[int], bytes],
    traces: Traces,
    person_name: str,
) -> None:
    text = f"# Farm\n\n{person_name} owns the farm.\n\n{ANA}\n"
    for path in ("/memories/farm.md", "/memories/copy.md"):
        learned(sdk, sdk.files.put(path, text).source)
    sdk.files.put("/memories/other.md", f"Nothing about {person_name}, or: is {person_name} owns the farmhouse.")
    memory = held("owns the farm.")
    vector = vector_of(memory.id)

    reply = http.delete(f"/v1/memories/{memory.id}").json()

    assert reply == {"id": memory.id, "deleted": True, "files": ["/memories/copy.md", "/memories/farm.md"]}
    assert sdk.files.get("/memories/farm.md").text == text
    assert traces(vector) == []
    assert set(traces(f"{person_name} owns the farm.")) == {"source_texts.text", "main.db"}
    learned(sdk, sdk.files.put("/memories/farm.md", text + "\nOne more line.").source)
    assert not [one for one in sdk.memories.iter() if "owns the farm." in one.text]
    for path in ("/memories/farm.md", "/memories/copy.md"):
        sdk.files.delete(path)
    assert traces(f"{person_name} owns the farm.") == []


async def test_it_is_absent_from_every_answer_at_once(
    tools: Any, learn: Callable[..., Any], ahttp: httpx.AsyncClient, space: str, person_name: str
) -> None:
    await learn(tools, f"{person_name} works at Quixotic Labs.\n\n{ANA}", space=space)
    asked = f"Where does {person_name} work?"
    found = await tools.call("search", query=asked, space=space)
    memory = next(one["id"] for one in found["results"] if "Quixotic" in one["text"])
    assert "Quixotic" in (await ahttp.post("/v1/ask", json={"question": asked})).text

    await tools.call("forget", id=memory, space=space)

    number = memory.removeprefix("memory:")
    shown = [
        await tools.call("search", query=asked, space=space),
        await tools.call("ask", question=asked, space=space),
        await tools.call("profile", space=space),
        await tools.call("profile", subject=person_name, space=space),
        await tools.call("list_memories", space=space),
        await tools.refusal("fetch", id=memory, space=space),
        (await ahttp.post("/v1/search", json={"q": asked, "limit": 100})).json(),
        (await ahttp.post("/v1/context", json={"question": asked})).json(),
        (await ahttp.post("/v1/ask", json={"question": asked})).json(),
        (await ahttp.get("/v1/memories")).json(),
        (await ahttp.get(f"/v1/memories/{number}")).json(),
        (await ahttp.get("/v1/profile", params={"subject": person_name})).json(),
        (await ahttp.post("/v1/briefing", json={"cue": asked})).json(),
        (await ahttp.get("/v1/sources")).json(),
        (await ahttp.get("/v1/export")).json(),
    ]
    assert "Quixotic" not in json.dumps(shown)
    assert (await ahttp.get("/v1/memories")).json()["total"] == 1


def test_no_server_prints_or_logs_it_and_the_command_finds_nothing(pair: Pair, person_name: str) -> None:
    from geniffy import Geniffy, NotFoundError

    def scanned() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "geniffy_server", "scan", person_name, "--data", str(pair.data)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    with (
        Geniffy(pair.key, base_url=pair.one.base_url, max_retries=0) as one,
        Geniffy(pair.key, base_url=pair.two.base_url, max_retries=0) as two,
    ):
        here, there = one.space("logged"), two.space("logged")
        here.sources.wait(here.memories.add(f"{person_name} is our lawyer.").id)
        (memory,) = there.search(person_name)
        before = scanned()
        with pytest.raises(NotFoundError):
            there.files.get(f"/{person_name}.md")
        there.memories.delete(memory.id)
        assert here.search(person_name) == []

    assert before.returncode == 1
    assert "memories" in before.stdout
    after = scanned()
    assert (after.returncode, person_name in after.stdout) == (0, False)
    assert person_name not in pair.one.logged + pair.two.logged + pair.one.printed + pair.two.printed


WRONG, RIGHT = "Kim Park's birthday is on 3 May.", "Kim Park's birthday is on 5 May."
AGAIN: dict[str, Add] = {
    "the same source": {"text": f"{WRONG}\n\n{ANA}", "external_id": "crm/1"},
    "the same source, changed elsewhere": {"text": f"{WRONG}\n\nBen is our cook.", "external_id": "crm/1"},
    "the same source, of another day": {"text": f"{WRONG}\n\n{ANA}", "external_id": "crm/1", "said_at": "2025-01-01"},
    "another source": {"text": f"{WRONG}\n\n{ANA}"},
    "other letters": {"text": "KIM PARK’S  birthday is on **3 May**!"},
    "a turn": messages(("assistant", "When?"), ("user", f"Well. {WRONG}")),
    "a session": {**messages(("user", WRONG)), "session": "run/1"},
    "a title": {"text": f"{WRONG}\n\n{ANA}", "title": WRONG},
}


@pytest.mark.parametrize("again", AGAIN)
def test_a_wrong_memory_that_was_corrected_does_not_come_back(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any], again: str
) -> None:
    learned(sdk, sdk.memories.add(f"{WRONG}\n\n{ANA}", external_id="crm/1"))
    sdk.memories.correct(held("birthday").id, RIGHT)

    learned(sdk, sdk.memories.add(**AGAIN[again]))
    learned(sdk, sdk.files.put("/memories/kim.md", f"# Kim Park\n\n- {WRONG}\n").source)

    birthdays = [one.text for one in sdk.memories.iter() if "birthday" in one.text]
    assert birthdays == [RIGHT]
    assert "5 May" in sdk.ask("When is Kim Park's birthday?").answer
    assert {one.text for one in sdk.memories.get(held("5 May").id).history} <= {WRONG}
    assert not [one for one in sdk.search("Kim Park's birthday") if "3 May" in one.text]


def test_a_memory_that_is_corrected_into_its_own_words_can_be_told_again(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any]
) -> None:
    learned(sdk, sdk.memories.add(RIGHT))
    sdk.memories.correct(held("birthday").id, RIGHT)

    second = learned(sdk, sdk.memories.add(f"{RIGHT}\n\n{ANA}"))

    assert second.facts == 2
    assert sorted(one.text for one in sdk.memories.iter()) == [ANA, RIGHT]


def test_the_owner_is_called_by_no_name_that_was_taken_back(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any], traces: Traces, person_name: str
) -> None:
    def called() -> set[str | None]:
        return {one.about for one in sdk.memories.iter()}

    learned(sdk, sdk.memories.add("I love sailing."))
    source = learned(sdk, sdk.memories.add(f"My name is {person_name}."))
    assert called() == {person_name}

    sdk.memories.correct(held("My name is").id, "My name is Ada Right.")
    assert called() == {"Ada Right"}
    sdk.memories.delete(held("My name is").id)
    assert called() == {None}
    sdk.sources.delete(source.id)
    assert traces(person_name, "Ada Right") == []

    again = learned(sdk, sdk.memories.add(f"Call me {person_name}.", external_id="me"))
    assert called() == {person_name}
    learned(sdk, sdk.memories.add("I prefer rye bread.", external_id="me"))
    assert called() == {None}
    sdk.sources.delete(again.id)
    assert traces(person_name) == []


def test_a_title_is_not_told_again_by_what_is_sent_again(
    sdk: Any, learned: Callable[..., Any], held: Callable[[str], Any], traces: Traces, person_name: str
) -> None:
    note = {"text": f"{person_name} owns the boat.\n\n{ANA}", "external_id": "crm/1"}
    talk = {**messages(("user", f"{person_name} is my dentist."), ("user", ANA)), "external_id": "crm/2"}
    for add in (note, talk):
        learned(sdk, sdk.memories.add(**add))
    sdk.memories.delete(held("boat").id)
    sdk.memories.delete(held("dentist").id)

    for add in (note, talk, {**note, "title": f"{person_name} owns the boat"}):
        learned(sdk, sdk.memories.add(**add))

    assert [one.title for one in sdk.sources.list().sources] == [ANA, ANA]
    assert not [place for place in traces(person_name) if "." in place and not place.startswith("main.db")]
