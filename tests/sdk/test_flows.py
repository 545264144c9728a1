"""Work of several calls, written once and run by either client."""

from __future__ import annotations

from typing import Any, TypeVar

import httpx
import pytest

from geniffy_agents import AsyncGeniffy, ChangedError, Geniffy, NotFoundError
from geniffy_agents.flows import FilesCalls, Flow, gathered, run, run_async
from tests.sdk.capture import Wire, script

T = TypeVar("T")


async def ran(client: Geniffy | AsyncGeniffy, flow: Flow[T]) -> T:
    return run(client, flow) if isinstance(client, Geniffy) else await run_async(client, flow)


@pytest.fixture(params=["blocking", "asyncio"])
def wire_and_client(request: pytest.FixtureRequest) -> tuple[Wire, Any]:
    wire = Wire()
    return wire, wire.client() if request.param == "blocking" else wire.async_client()


def copied(files: FilesCalls, path: str, to: str) -> Flow[str]:
    file = yield from FilesCalls.get.flow(files, path)
    yield from FilesCalls.put.flow(files, to, file.text)
    return file.text


async def test_calls_of_a_flow_are_made_in_turn_and_its_result_comes_back(wire_and_client: tuple[Wire, Any]) -> None:
    wire, client = wire_and_client

    assert await ran(client, copied(client.files, "/a.md", "/b.md")) == "x"
    assert wire.lines == ["GET /pre/v1/files?path=%2Fa.md", 'PUT /pre/v1/files {"path": "/b.md", "text": "x"}']


async def test_a_flow_catches_an_error_where_the_call_stands_and_goes_on(wire_and_client: tuple[Wire, Any]) -> None:
    wire, client = wire_and_client
    missing = {"error": {"code": "not_found", "message": "No."}}
    wire.answer = script(httpx.Response(404, json=missing), httpx.Response(200, json={"moved": 1}))

    def moved_if_missing(files: FilesCalls) -> Flow[int]:
        try:
            yield from FilesCalls.get.flow(files, "/a")
        except NotFoundError:
            return (yield from FilesCalls.move.flow(files, "/b", "/a"))
        return 0

    assert await ran(client, moved_if_missing(client.files)) == 1


async def test_an_error_that_a_flow_does_not_catch_is_raised(wire_and_client: tuple[Wire, Any]) -> None:
    wire, client = wire_and_client
    wire.answer = script(httpx.Response(412, json={"error": {"code": "changed", "message": "Another text."}}))

    with pytest.raises(ChangedError, match="Another text"):
        await ran(client, copied(client.files, "/a.md", "/b.md"))


async def test_what_comes_in_pages_is_gathered_into_one_list(wire_and_client: tuple[Wire, Any]) -> None:
    wire, client = wire_and_client
    pages = [
        {"files": [{"path": "/1"}, {"path": "/2"}], "total": 3, "next": 2},
        {"files": [{"path": "/3"}], "total": 3, "next": None},
    ]
    wire.answer = script(*(httpx.Response(200, json=page) for page in pages))

    found = await ran(client, gathered(FilesCalls.iterate.flow(client.files, "/")))

    assert [file.path for file in found] == ["/1", "/2", "/3"]
