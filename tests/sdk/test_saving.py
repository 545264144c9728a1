"""Saving conversations: nothing is sent twice, and what could not be sent goes next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geniffy_agents import APIConnectionError
from geniffy_agents.clients import Client, Clients
from geniffy_agents.flows import Flow, MemoriesCalls
from geniffy_agents.saving import Savings
from tests.sdk.capture import SOURCE, Wire, body_of


class Server:
    """Takes messages while it is `up`; otherwise it can't be reached."""

    def __init__(self) -> None:
        self.up = True
        self.took: list[tuple[str, str, list[str]]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if not self.up:
            raise httpx.ConnectError("refused")
        body = body_of(request)
        texts = [message["content"] for message in body["messages"]]
        self.took.append((request.headers.get("x-geniffy-space", ""), body["session"], texts))
        return httpx.Response(201, json={"source": SOURCE})

    def said(self, space: str, session: str) -> list[str]:
        return [text for where, which, texts in self.took if (where, which) == (space, session) for text in texts]


@dataclass
class Said:
    """Some texts that a conversation owes, sent one by one."""

    session: str
    texts: list[str]

    def flow(self, client: Client) -> Flow[None]:
        while self.texts:
            message = {"role": "user", "content": self.texts[0]}
            yield from MemoriesCalls.add.flow(client.memories, messages=[message], session=self.session)
            self.texts.pop(0)

    def behind(self, earlier: Said) -> Said:
        return Said(self.session, [*earlier.texts, *self.texts])


def saving(session: str, *texts: str) -> Said:
    return Said(session, list(texts))


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture(params=["blocking", "asyncio"])
def saves(request: pytest.FixtureRequest, server: Server) -> Any:
    """Saves through either client: `await saves(space, saving)`."""
    wire = Wire(server)
    clients = Clients("geniffy-test/1.0", wire.client(max_retries=0), wire.async_client(max_retries=0))
    savings = Savings(clients)

    async def save(space: str | None, what: Said) -> None:
        if request.param == "blocking":
            savings.save(space, what)
        else:
            await savings.asave(space, what)

    return save


async def test_what_failed_goes_with_the_next_save_of_any_conversation_in_its_own_space(
    saves: Any, server: Server
) -> None:
    server.up = False
    for space, session, text in (("a", "s", "one"), ("b", "s", "other"), ("a", "s", "two")):
        with pytest.raises(APIConnectionError):
            await saves(space, saving(session, text))
    server.up = True

    await saves(None, saving("r", "mine"))

    assert server.said("a", "s") == ["one", "two"]
    assert server.said("b", "s") == ["other"]
    assert server.said("", "r") == ["mine"]
    server.took.clear()
    await saves(None, saving("r", "again"))
    assert server.took == [("", "r", ["again"])]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("st"), st.booleans()), max_size=12))
def test_whenever_the_server_is_away_each_conversation_arrives_whole_once_and_in_order(
    course: list[tuple[str, str, bool]],
) -> None:
    server = Server()
    savings = Savings(Clients("geniffy-test/1.0", Wire(server).client(max_retries=0)))
    told: dict[tuple[str, str], list[str]] = {}

    for number, (space, session, is_up) in enumerate([*course, ("a", "s", True)]):
        server.up = is_up
        told.setdefault((space, session), []).append(str(number))
        try:
            savings.save(space, saving(session, str(number)))
        except APIConnectionError:
            assert not is_up

    for (space, session), texts in told.items():
        assert server.said(space, session) == texts


def test_a_conversation_that_is_refused_keeps_no_other_waiting() -> None:
    def refuses_bad(request: httpx.Request) -> httpx.Response:
        body = body_of(request)
        if body["session"] == "bad":
            return httpx.Response(422, json={"error": {"code": "bad_external_id", "message": "Refused."}})
        took.append(body["messages"][0]["content"])
        return httpx.Response(201, json={"source": SOURCE})

    took: list[str] = []
    savings = Savings(Clients("geniffy-test/1.0", Wire(refuses_bad).client(max_retries=0)))

    for session, text in (("bad", "x"), ("good", "one"), ("good", "two")):
        with pytest.raises(Exception, match="Refused"):
            savings.save("a", saving(session, text))

    assert took == ["one", "two"]
