"""`/v1/keys`: keys limited to one space, made by the app that owns it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from geniffy_server.domain.account import KeyId
from geniffy_server.domain.instants import end_of
from geniffy_server.errors import NotFound
from geniffy_server.rest import shapes, wire
from geniffy_server.rest.bodies import KeyBody
from geniffy_server.rest.described import described
from geniffy_server.rest.guard import Checked
from geniffy_server.rest.parameters import number_of
from geniffy_server.rest.reading import body_of
from geniffy_server.rest.reply import reply
from geniffy_server.services import keys

router = APIRouter(tags=["keys"])


@router.post("/v1/keys", **described(gives=shapes.NewKeyReply, takes=KeyBody, status=201))
async def make_key(request: Request, call: Checked) -> Response:
    """Make a key that reaches the space of this call and nothing else. It is shown once."""
    body = await body_of(request, KeyBody)
    made = await keys.make_space_key(
        call.ports, call.caller, name=body.name, rpm=body.rpm, expires_at=end_of(body.expires_at)
    )
    return reply(wire.made_key(made), 201)


@router.get("/v1/keys", **described(gives=shapes.KeyList))
async def list_keys(call: Checked) -> Response:
    """The working keys of the space of this call."""
    return reply(wire.keys(await keys.list_space_keys(call.ports, call.caller)))


@router.delete("/v1/keys/{key_id}", **described(gives=shapes.RevokedReply))
async def revoke_key(call: Checked, key_id: str) -> Response:
    """Stop a key of the space of this call, at once."""
    number = number_of(key_id)
    if number is None:
        raise NotFound(f"There is no key {key_id!r:.60} here.")
    revoked = await keys.revoke_space_key(call.ports, call.caller, KeyId(number))
    return reply({"id": revoked.id, "space": revoked.space, "revoked": True})
