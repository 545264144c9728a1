"""`/app/agents`: the apps that may use the memory, disconnecting one, and how to connect another."""

from __future__ import annotations

from starlette.responses import Response

from geniffy_server.domain.connection import RESOURCES, ConnectionId
from geniffy_server.errors import NotFound
from geniffy_server.services.connections import disconnect, list_connections
from geniffy_server.web.visit import Visit, number_of


async def show_agents(visit: Visit) -> Response:
    """Connected apps, last connected first."""
    return await _agents(visit, None)


async def take_disconnecting(visit: Visit) -> Response:
    """Stop an app, at once."""
    number = number_of(visit.sent("connection"))
    if number is None:
        raise NotFound("There is no connected app of that name.")
    ended = await disconnect(visit.ports, visit.person.id, ConnectionId(number))
    return await _agents(visit, ended.app.name)


async def _agents(visit: Visit, disconnected: str | None) -> Response:
    connections = await list_connections(visit.ports, visit.person.id)
    return visit.html(
        "agents.html", page="agents", connections=connections, disconnected=disconnected, usual=RESOURCES[0]
    )
