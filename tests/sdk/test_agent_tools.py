"""recall and remember, as every integration hands them to an agent."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from geniffy_agents import APIConnectionError, BadRequestError
from geniffy_agents.agent_tools import RECALL, REMEMBER
from geniffy_agents.clients import Clients
from tests.sdk.capture import Wire


@pytest.fixture(params=["blocking", "asyncio"])
def wire_and_clients(request: pytest.FixtureRequest) -> tuple[Wire, Clients]:
    wire = Wire()
    made: Any = wire.client() if request.param == "blocking" else wire.async_client()
    return wire, Clients.of("geniffy-test/1.0", made)


async def test_recall_asks_for_context_and_remember_adds_a_note(wire_and_clients: tuple[Wire, Clients]) -> None:
    wire, clients = wire_and_clients

    recalled = await clients.arun("a", lambda client: RECALL.write(client, "Who signs?"))
    saved = await clients.arun("a", lambda client: REMEMBER.write(client, "Priya signs."))

    assert (recalled, saved) == ("- Priya Nair signs the renewal.", "Saved.")
    assert [request.url.path for request in wire.sent] == ["/pre/v1/context", "/pre/v1/memories"]
    assert wire.lines[1].endswith('{"text": "Priya signs."}')


def test_clients_of_a_blocking_one_block() -> None:
    wire = Wire()
    clients = Clients.of("geniffy-test/1.0", wire.client())

    assert clients.run("a", lambda client: REMEMBER.write(client, "Priya signs.")) == "Saved."
    assert wire.sent[0].headers["x-geniffy-space"] == "a"
    with pytest.raises(TypeError, match="client="):
        Clients.of("geniffy-test/1.0", httpx.Client())  # type: ignore[arg-type]


def test_a_model_is_told_the_servers_sentence_only_where_it_can_do_better() -> None:
    mendable = BadRequestError("The text is empty: send what to remember.", status=422, code="invalid_request")

    assert REMEMBER.told(mendable) == "The text is empty: send what to remember."
    assert REMEMBER.told(APIConnectionError("Nothing answers at http://10.0.0.7:8787.")) == REMEMBER.away
    assert RECALL.away.startswith("The memory can't be reached just now, so nothing was looked up.")
