"""A configured model makes learning and answers better, and nothing depends on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from geniffy import Geniffy

from tests.conftest import account_of, learned, running
from tests.language_model.conftest import Endpoint, Reply, data_of, task_of, told

NO_FACTS = told({"facts": []})
BAKERY = "Met Joana Reis at the fair.\n\nRuns the bakery on Rua Direita."
DRAFT = {
    "passage": 1,
    "quote": "Runs the bakery on Rua Direita.",
    "statement": "Joana Reis runs the bakery on Rua Direita.",
    "about": "Joana Reis",
    "kind": "people",
}


@pytest.fixture
def memory(endpoint: Endpoint, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A space on a server whose language model is the scripted endpoint: `memory(llm_tokens_a_day=…)`."""
    with ExitStack() as stack:

        def opened(**settings: Any) -> Any:
            server = stack.enter_context(running(tmp_path / "store", **endpoint.settings, **settings))
            client = stack.enter_context(Geniffy(account_of(server).key, base_url=server.base_url, max_retries=0))
            return client.space("tried")

        yield opened


def _texts(space: Any) -> list[str]:
    return [one.text for one in space.memories.iter()]


def test_a_draft_names_the_subject_that_rules_did_not_find(endpoint: Endpoint, memory: Callable[..., Any]) -> None:
    endpoint.script = lambda body: told({"facts": [DRAFT]})
    space = memory()
    learned(space, space.memories.add(BAKERY))

    (found,) = [one for one in space.memories.iter() if one.quote == DRAFT["quote"]]
    assert (found.text, found.about, found.kind) == (DRAFT["statement"], "Joana Reis", "people")


def test_a_hostile_model_adds_nothing_that_was_not_said(endpoint: Endpoint, memory: Callable[..., Any]) -> None:
    invented = {"passage": 0, "quote": "Kim owes Omar money.", "statement": "Kim owes Omar money.", "about": "Kim"}
    endpoint.script = lambda body: told({"facts": [{**invented, "kind": "detail"}, {**DRAFT, "about": "Omar"}]})
    space = memory()
    learned(space, space.memories.add(BAKERY))

    assert sorted(one.quote for one in space.memories.iter()) == sorted(BAKERY.split("\n\n"))
    assert "Omar" not in [one.about for one in space.memories.iter()]


@pytest.mark.parametrize(
    "reply", [(500, {"error": "down"}), (401, {"error": "key"}), told("no JSON"), told({"facts": 7}), (200, "")]
)
def test_what_a_model_can_not_draft_is_learned_and_answered_the_built_in_way(
    endpoint: Endpoint, memory: Callable[..., Any], reply: Reply
) -> None:
    endpoint.script = lambda body: reply
    space = memory()
    learned(space, space.memories.add("Kim lives in Porto."))

    assert _texts(space) == ["Kim lives in Porto."]
    assert space.ask("Where does Kim live?").answer == "Kim lives in Porto."
    assert endpoint.asked


def test_a_drafted_answer_is_given_with_the_memories_it_cites(endpoint: Endpoint, memory: Callable[..., Any]) -> None:
    def script(body: Mapping[str, Any]) -> Reply:
        if task_of(body) == "facts":
            return NO_FACTS
        return told({"answer": "Porto", "memories": [one["id"] for one in data_of(body)["memories"]][:1]})

    endpoint.script = script
    space = memory()
    learned(space, space.memories.add("Kim lives in Porto."))
    answered = space.ask("Where does Kim live?")

    assert answered.answer == "Porto"
    assert [one.quote for one in answered.memories] == ["Kim lives in Porto."]


@pytest.mark.parametrize(
    "answer",
    [
        {"answer": "Kim lives in Lisbon.", "memories": [1]},
        {"answer": "Kim lives in Porto.", "memories": [999]},
        {"answer": "Kim lives in Porto.", "memories": []},
    ],
)
def test_an_answer_beyond_the_evidence_gives_way_to_the_built_in_one(
    endpoint: Endpoint, memory: Callable[..., Any], answer: Mapping[str, Any]
) -> None:
    endpoint.script = lambda body: NO_FACTS if task_of(body) == "facts" else told(answer)
    space = memory()
    learned(space, space.memories.add("Kim lives in Porto."))

    assert space.ask("Where does Kim live?").answer == "Kim lives in Porto."


def test_what_nothing_is_stored_about_is_not_asked_of_a_model(endpoint: Endpoint, memory: Callable[..., Any]) -> None:
    endpoint.script = lambda body: NO_FACTS if task_of(body) == "facts" else told({"answer": "Rome", "memories": [1]})
    space = memory()
    learned(space, space.memories.add("Kim lives in Porto."))
    answered = space.ask("What is the capital of Italy?")

    assert answered.answer is None
    assert [task_of(body) for body in endpoint.asked] == ["facts"]


def test_secrets_are_masked_before_a_model_reads_them(endpoint: Endpoint, memory: Callable[..., Any]) -> None:
    endpoint.script = lambda body: NO_FACTS
    space = memory()
    key = "sk-proj-" + "a1B2c3D4" * 6
    learned(space, space.memories.add(f"Kim lives in Porto. My key is {key}."))
    info = space.files.put("/notes.md", f"The api key is {key}.\n\nKim likes tea.")
    learned(space, info.source)

    assert len(endpoint.asked) >= 2
    assert key not in str(endpoint.asked)


def test_the_days_budget_is_kept_to(endpoint: Endpoint, memory: Callable[..., Any]) -> None:
    endpoint.script = lambda body: told({"facts": []}, tokens=5_000)
    space = memory(llm_tokens_a_day=6_000)
    for n in range(4):
        learned(space, space.memories.add(f"Kim has {n + 2} sisters in town {n}."))

    assert len(endpoint.asked) == 1
    assert len(_texts(space)) == 4


def test_what_was_drafted_and_forgotten_does_not_come_back_without_the_model(
    endpoint: Endpoint, memory: Callable[..., Any]
) -> None:
    endpoint.script = lambda body: told({"facts": [DRAFT]})
    space = memory()
    learned(space, space.memories.add(BAKERY))
    (drafted,) = [one for one in space.memories.iter() if one.about == "Joana Reis" and "bakery" in one.text]
    space.memories.delete(drafted.id)
    endpoint.script = lambda body: (500, {})
    learned(space, space.memories.add("Runs the bakery on Rua Direita."))
    learned(space, space.memories.add(BAKERY))

    assert not [text for text in _texts(space) if "bakery" in text]


def test_a_model_is_handed_one_space_alone(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.script = lambda body: NO_FACTS if task_of(body) == "facts" else told({"answer": None, "memories": []})
    with running(tmp_path / "store", **endpoint.settings) as server:
        client = Geniffy(account_of(server).key, base_url=server.base_url, max_retries=0)
        one, other = client.space("one"), client.space("other")
        learned(one, one.memories.add("Kim lives in Porto."))
        learned(other, other.memories.add("Kim lives in Madrid with Priya."))
        endpoint.asked.clear()
        one.ask("Where does Kim live?")

    assert [task_of(body) for body in endpoint.asked] == ["answer"]
    assert "Madrid" not in str(endpoint.asked)


def test_a_server_that_is_stopped_waits_for_no_model(endpoint: Endpoint, tmp_path: Path) -> None:
    came, enough, ended = threading.Event(), threading.Event(), threading.Event()

    def hang(body: Mapping[str, Any]) -> Reply:
        came.set()
        enough.wait(30)
        ended.set()
        return NO_FACTS

    endpoint.script = hang
    with running(tmp_path / "store", **endpoint.settings, llm_timeout_s=40) as server:
        client = Geniffy(account_of(server).key, base_url=server.base_url, max_retries=0)
        client.space("tried").memories.add("Kim lives in Porto.")
        assert came.wait(30)
    is_waiting = not ended.is_set()
    enough.set()

    assert is_waiting
