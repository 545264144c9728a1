"""The two clients of one integration: given, or made when they are needed."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import geniffy
import httpx
import pytest

from geniffy_agents import AsyncGeniffy, Geniffy, GeniffyError
from geniffy_agents.clients import Client, Clients
from geniffy_agents.flows import Flow, RecallCalls
from tests.sdk.capture import Wire


def asked(client: Client) -> Flow[str]:
    return (yield from RecallCalls.context.flow(client, "Who signs?"))


async def test_a_flow_runs_blocking_and_awaited_in_the_space_and_under_the_integrations_name() -> None:
    wire = Wire()
    clients = Clients("geniffy-test/1.0", wire.client(), wire.async_client())

    assert clients.run("a", asked) == await clients.arun("a", asked) == "- Priya Nair signs the renewal."

    assert [request.headers["x-geniffy-space"] for request in wire.sent] == ["a", "a"]
    assert all(request.headers["user-agent"].endswith(" geniffy-test/1.0") for request in wire.sent)


def test_none_is_the_owners_own_memory_but_never_through_a_client_of_one_user() -> None:
    wire = Wire()

    Clients("geniffy-test/1.0", wire.client()).run(None, asked)
    with pytest.raises(ValueError, match="space=None"):
        Clients("geniffy-test/1.0", wire.client(space="a")).run(None, asked)

    assert ["x-geniffy-space" in request.headers for request in wire.sent] == [False]


async def test_with_a_blocking_client_alone_an_awaited_call_runs_in_a_thread() -> None:
    threads: list[threading.Thread] = []

    def answer(request: httpx.Request) -> httpx.Response:
        threads.append(threading.current_thread())
        return httpx.Response(200, json={"context": "x", "empty": False})

    assert await Clients("geniffy-test/1.0", Wire(answer).client()).arun("a", asked) == "x"
    assert threads[0] is not threading.current_thread()


def test_with_an_asyncio_client_alone_a_blocking_call_says_what_to_pass() -> None:
    with pytest.raises(TypeError, match=r"pass client=Geniffy"):
        Clients("geniffy-test/1.0", async_client=Wire().async_client()).run("a", asked)


def test_without_a_client_one_is_made_from_the_environment_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENIFFY_API_KEY", "gnf_x")
    monkeypatch.setenv("GENIFFY_BASE_URL", "http://127.0.0.1:9")
    used: list[Any] = []

    def noted(client: Client) -> Flow[None]:
        used.append(client)
        yield from ()

    clients = Clients("geniffy-test/1.0")
    for _ in range(2):
        clients.run("a", noted)
    for _ in range(2):
        asyncio.run(clients.arun("a", noted))

    assert [type(client) for client in used] == [Geniffy, Geniffy, AsyncGeniffy, AsyncGeniffy]
    assert {client.base_url for client in used} == {"http://127.0.0.1:9"}
    assert used[0]._http is used[1]._http
    assert used[2]._http is not used[3]._http  # connections belong to the event loop that opened them


def test_without_a_key_there_is_no_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GENIFFY_API_KEY", raising=False)

    with pytest.raises(GeniffyError, match="There is no API key"):
        Clients("geniffy-test/1.0").run("a", asked)


@pytest.mark.parametrize("wrong", [geniffy.Geniffy("gnf_x", base_url="http://127.0.0.1:9"), "gnf_x", object()])
def test_what_is_no_client_of_this_kind_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"client= takes a geniffy_agents\.Geniffy"):
        Clients("geniffy-test/1.0", wrong)
    with pytest.raises(TypeError, match=r"async_client= takes a geniffy_agents\.AsyncGeniffy"):
        Clients("geniffy-test/1.0", async_client=wrong)
