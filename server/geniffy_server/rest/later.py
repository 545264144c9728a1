"""Calls of the wire contract that this server does not offer yet: each says so in the words that clients expect."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from geniffy_server.errors import NotFound
from geniffy_server.rest.guard import Checked

# They are no part of what the OpenAPI document offers.
router = APIRouter(include_in_schema=False)

_BRIEFINGS: Final = (
    ("POST", "/v1/briefing"),
    ("GET", "/v1/now"),
    ("GET", "/v1/episodes"),
    ("GET", "/v1/lessons"),
    ("GET", "/v1/intentions"),
    ("POST", "/v1/intentions/{intention_id}"),
)
_OTHERS: Final = (
    ("GET", "/v1/brief"),
    ("GET", "/v1/graph"),
    ("GET", "/v1/profile/sections"),
    ("POST", "/v1/profile/sections"),
    ("DELETE", "/v1/profile/sections/{section_id}"),
)


async def not_switched_on(call: Checked) -> Response:
    """What integrations take as a reason to read `/v1/context` instead (contract 2.8)."""
    raise NotFound("Briefings are not switched on for this memory; use /v1/context instead.", "not_switched_on")


async def not_offered(call: Checked) -> Response:
    """A part of the contract that is not here yet."""
    raise NotFound("This server does not offer this call yet.")


for _method, _path in _BRIEFINGS:
    router.add_api_route(_path, not_switched_on, methods=[_method])
for _method, _path in _OTHERS:
    router.add_api_route(_path, not_offered, methods=[_method])
