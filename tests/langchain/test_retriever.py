"""`GeniffyRetriever` over the real server, and LangChain's own suite for retrievers."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import ConfigurableField
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pydantic import ValidationError

from geniffy_agents import APIConnectionError, Geniffy
from geniffy_langchain import GeniffyRetriever

NOTES = """Ana lives in Porto.

Ana prefers green tea to coffee.

The boiler was serviced in May.

Noor signs the Lumen renewal on 3 June.
"""


class TestTheSuiteForRetrievers(RetrieversIntegrationTests):
    _client: Geniffy
    _space: str

    @pytest.fixture(autouse=True)
    def _told(self, ours: Geniffy, space: str, mem: Geniffy, learned: Any) -> None:
        learned(mem, mem.memories.add(NOTES))
        self._client, self._space = ours, space

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return GeniffyRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"space": self._space, "client": self._client}

    @property
    def retriever_query_example(self) -> str:
        return "Where does Ana live?"


@pytest.fixture
def told(mem: Geniffy, learned: Any) -> Any:
    """A space that holds the notes, under a title."""
    return learned(mem, mem.memories.add(NOTES, title="Notes", labels={"team": "sales"}, said_at="2026-05-04"))


async def test_documents_come_best_first_with_whence_and_when(way: Any, space: str, told: Any) -> None:
    first, second = await way.invoke(GeniffyRetriever(space=space, k=2, **way.clients), "Where does Ana live?")

    assert first.page_content == "Ana lives in Porto."
    assert first.id == str(first.metadata["id"])
    assert {name: first.metadata[name] for name in ("kind", "about", "status", "quote", "source", "source_id")} == {
        "kind": "people",
        "about": "Ana",
        "status": "current",
        "quote": "Ana lives in Porto.",
        "source": "Notes",
        "source_id": told.id,
    }
    assert first.metadata["said_at"].startswith("2026-05-04")
    assert first.metadata["learned_at"] > first.metadata["said_at"]
    assert first.metadata["score"] > second.metadata["score"]


async def test_a_kind_and_labels_filter(way: Any, space: str, told: Any) -> None:
    async def found(**filters: Any) -> list[Document]:
        return list(await way.invoke(GeniffyRetriever(space=space, **filters, **way.clients), "Ana"))

    assert {one.metadata["kind"] for one in await found(kind="pref")} == {"pref"}
    assert len(await found(labels={"team": ["sales", "support"]})) == 4
    assert await found(labels={"team": "support"}) == []


async def test_a_function_names_the_space_by_the_metadata_of_the_call(way: Any, space: str, told: Any) -> None:
    retriever = GeniffyRetriever(space=lambda metadata: metadata.get("user_id"), **way.clients)

    found = await way.invoke(retriever, "Ana", {"metadata": {"user_id": space}})
    other = await way.invoke(retriever, "Ana", {"metadata": {"user_id": f"{space}-other"}})
    with pytest.raises(TypeError, match="user"):
        await way.invoke(retriever, "Ana")

    assert len(found) == 4
    assert other == []


async def test_the_space_can_be_configured_as_any_field_of_a_runnable(way: Any, space: str, told: Any) -> None:
    retriever = GeniffyRetriever(space="nobody-yet", k=1, **way.clients).configurable_fields(
        space=ConfigurableField(id="user")
    )

    assert await way.invoke(retriever, "Ana") == []
    assert len(await way.invoke(retriever, "Ana", {"configurable": {"user": space}})) == 1
    with pytest.raises(ValidationError, match="blank"):
        await way.invoke(retriever, "Ana", {"configurable": {"user": " "}})


async def test_of_a_query_that_is_too_long_the_beginning_is_asked(way: Any, space: str, told: Any) -> None:
    pasted = "Where does Ana live? " + "word " * 10_000

    (first,) = await way.invoke(GeniffyRetriever(space=space, k=1, **way.clients), pasted)

    assert first.page_content == "Ana lives in Porto."


@pytest.mark.parametrize("k", [0, 101])
def test_a_k_of_the_call_that_can_not_be_is_refused(ours: Geniffy, space: str, k: int) -> None:
    with pytest.raises(ValueError, match=f"k is 1 to 100, not {k}"):
        GeniffyRetriever(space=space, client=ours).invoke("Ana", k=k)


async def test_the_server_away_finds_nothing_and_calls_on_error(way: Any, space: str, away: str) -> None:
    retriever = GeniffyRetriever(space=space, on_error=way.faults.append, **way.of(away, max_retries=0))

    assert await way.invoke(retriever, "Ana") == []
    assert [type(fault) for fault in way.faults] == [APIConnectionError]


def test_an_error_is_logged_when_nobody_asked_for_it(space: str, away: str, caplog: pytest.LogCaptureFixture) -> None:
    with Geniffy("gnf_x", base_url=away, max_retries=0) as client:
        assert GeniffyRetriever(space=space, client=client).invoke("Ana") == []

    assert "Nothing answers at" in caplog.text


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, TypeError),
        ({"space": True}, TypeError),
        ({"space": ""}, ValidationError),
        ({"space": " "}, ValidationError),
        ({"space": "a", "k": 0}, ValidationError),
        ({"space": "a", "kind": "thing"}, ValidationError),
        ({"space": "a", "client": object()}, ValidationError),
    ],
)
def test_what_can_not_be_is_refused_when_it_is_made(options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        GeniffyRetriever(**options)


def test_none_is_the_owners_own_memory_and_a_retriever_shows_no_client(ours: Geniffy, learned: Any) -> None:
    learned(ours, ours.memories.add("The gate code is in the drawer."))
    retriever = GeniffyRetriever(space=None, client=ours)

    assert [one.page_content for one in retriever.invoke("gate")] == ["The gate code is in the drawer."]
    assert "client" not in repr(retriever)
    assert "client" not in retriever.model_dump()
