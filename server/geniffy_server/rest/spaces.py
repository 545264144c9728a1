"""`/v1/spaces`: an app's users, listed and erased."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import Match

from geniffy_server.domain.space import space_name
from geniffy_server.rest import shapes, wire
from geniffy_server.rest.described import described
from geniffy_server.rest.guard import Checked
from geniffy_server.rest.reply import reply
from geniffy_server.services import spaces


class AsSentRoute(APIRoute):
    """A route that is matched on the path as it was sent: an encoded slash stays a part of its segment."""

    def matches(self, scope: MutableMapping[str, Any]) -> tuple[Match, MutableMapping[str, Any]]:
        """As its parent, on the undecoded path; its parameters stay percent-encoded."""
        raw: bytes | None = scope.get("raw_path")
        as_sent = raw.partition(b"?")[0].decode("latin-1") if raw is not None else quote(scope["path"])
        return super().matches({**scope, "path": as_sent})


router = APIRouter(tags=["spaces"], route_class=AsSentRoute)


@router.get("/v1/spaces", **described(gives=shapes.SpaceList))
async def list_spaces(call: Checked) -> Response:
    """Spaces that hold something, most recently added to first."""
    return reply(wire.spaces(await spaces.list_spaces(call.ports, call.caller)))


@router.delete("/v1/spaces/{space}", **described(gives=shapes.ErasedReply))
async def erase_space(call: Checked, space: str) -> Response:
    """Erase a space for good and stop the keys limited to it. One that holds nothing is erased all the same."""
    # Decoded once and no more: what is not a name after that is refused, never cleaned up (contract 32).
    name = space_name(unquote_to_bytes(space).decode("utf-8", "replace"))
    removed = await spaces.erase_space(call.ports, call.caller, name)
    return reply({"space": name, "erased": True, "sources_removed": removed})
