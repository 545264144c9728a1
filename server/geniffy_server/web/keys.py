"""`/app/keys`: API keys, made and shown once, listed, revoked."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from geniffy_server.domain.account import MAX_RPM, ApiKey, KeyId
from geniffy_server.domain.instants import end_of
from geniffy_server.domain.space import space_name
from geniffy_server.errors import BadInput, NotFound
from geniffy_server.services.keys import MAX_NAME_CHARS, MadeKey, list_keys, make_key, revoke_key
from geniffy_server.services.spaces import list_spaces
from geniffy_server.web.visit import Visit, number_of

_EVERYTHING: Final = "*"  # no space can be called so


async def show_keys(visit: Visit) -> Response:
    """Working keys, and the form for another."""
    return await _keys(visit)


async def take_key(visit: Visit) -> Response:
    """Make a key, and show it in this answer alone."""
    space, rpm, expires = visit.sent("space"), visit.sent("rpm"), visit.sent("expires")
    try:
        per_minute = number_of(rpm) if rpm else MAX_RPM
        if per_minute is None:
            raise BadInput(f"Calls a minute are a whole number from 1 to {MAX_RPM}.")
        made = await make_key(
            visit.ports,
            visit.person.id,
            name=visit.sent("name"),
            space=None if space in ("", _EVERYTHING) else space_name(space),
            rpm=per_minute,
            expires_at=end_of(expires, "The end") if expires else None,
        )
    except BadInput as refusal:
        visit.request.scope["state"]["outcome"] = refusal.code
        return await _keys(visit, refusal=refusal)
    return await _keys(visit, made=made)


async def take_revoking(visit: Visit) -> Response:
    """Stop a key, at once."""
    number = number_of(visit.sent("key"))
    if number is None:
        raise NotFound("There is no working key of that name.")
    return await _keys(visit, revoked=await revoke_key(visit.ports, visit.person.id, KeyId(number)))


async def _keys(
    visit: Visit,
    *,
    made: MadeKey | None = None,
    revoked: ApiKey | None = None,
    refusal: BadInput | None = None,
) -> Response:
    return visit.html(
        "keys.html",
        refusal.status if refusal is not None else 200,
        page="keys",
        keys=list(reversed(await list_keys(visit.ports, visit.person.id))),
        spaces=[space.name for space in await list_spaces(visit.ports, visit.caller)],
        everything=_EVERYTHING,
        made=made,
        revoked=revoked,
        refusal=refusal,
        form=visit.form,
        most_rpm=MAX_RPM,
        most_name=MAX_NAME_CHARS,
    )
