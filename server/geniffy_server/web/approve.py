"""`/app/approve`: where a person decides whether an app may use their memory."""

from __future__ import annotations

from typing import Final, Literal

from starlette.responses import RedirectResponse, Response

from geniffy_server.errors import BadInput
from geniffy_server.services.connections import decide, pending
from geniffy_server.web.visit import Visit

_GRANTS: Final[dict[str, Literal["read", "write"]]] = {"read": "read", "write": "write"}


async def show_approval(visit: Visit) -> Response:
    """Who asks, for what, and where they send the person back to. Nothing is granted by looking."""
    request_id = visit.asked("request") or ""
    asked = await pending(visit.ports, request_id)
    before, host, after = _parts(asked.return_to, asked.return_host)
    return visit.html(
        "approve.html",
        may_leave=True,
        asked=asked,
        request_id=request_id,
        before=before,
        host=host,
        after=after,
        here=f"/app/approve?request={request_id}",
    )


async def take_approval(visit: Visit) -> Response:
    """Allow or deny, once, and send the person back to the app."""
    decision = visit.sent("decision")
    grant = _GRANTS.get(visit.sent("grant"))
    if decision not in ("allow", "deny") or (decision == "allow" and grant is None):
        raise BadInput("Choose what the app may do, and then Allow or Deny.")
    address = await decide(visit.ports, visit.person.id, visit.sent("request"), grant if decision == "allow" else None)
    # The header as it is: the framework would quote parts of an address that must come back letter for letter.
    response = RedirectResponse("", 303, headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})
    response.headers["Location"] = address
    return response


def _parts(address: str, host: str | None) -> tuple[str, str | None, str]:
    """An address around its host, which is what a person has to recognise."""
    if host is None:
        return address, None, ""
    before, found, after = address.partition(f"//{host}")
    return (before + "//", host, after) if found else (address, None, "")
