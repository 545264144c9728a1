"""`/healthz`, `/readyz`, `/metrics`: for those who run the server. None of them tells what a memory holds."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
from typing import Final
from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from geniffy_server.errors import NotFound, NotSignedIn, Unavailable
from geniffy_server.rest.guard import ports_of
from geniffy_server.rest.metrics import CONTENT_TYPE, Metrics
from geniffy_server.rest.reply import reply

router = APIRouter(include_in_schema=False)

_READY_WITHIN_S: Final = 5.0
_FORWARDED: Final = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")


@router.api_route("/healthz", methods=["GET", "HEAD"])
async def healthz() -> Response:
    """Whether the process answers at all."""
    return reply({"status": "ok"})


@router.api_route("/readyz", methods=["GET", "HEAD"])
async def readyz(request: Request) -> Response:
    """Whether the store answers too; 503 while it doesn't."""
    await _jobs_waiting(request)
    return reply({"status": "ok"})


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Counts of this process as Prometheus reads them: for this machine itself, or with the metrics token."""
    _let_in(request)
    meter: Metrics = request.app.state.meter
    meter.jobs_waiting.set(await _jobs_waiting(request))
    return Response(meter.text(), headers={"Content-Type": CONTENT_TYPE})


async def _jobs_waiting(request: Request) -> int:
    """Raises Unavailable when the store does not answer within five seconds."""
    try:
        async with asyncio.timeout(_READY_WITHIN_S):
            return await ports_of(request).store.read(lambda tx: tx.jobs.waiting())
    except TimeoutError:
        raise Unavailable("The store did not answer in time.") from None


def _let_in(request: Request) -> None:
    token: str | None = request.app.state.metrics_token
    sent = request.headers.get("authorization", "")
    if token and hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
        return
    # A proxy on this machine has a loopback address too, so a call it forwarded is a stranger's.
    is_forwarded = any(name in request.headers for name in _FORWARDED)
    if (
        not is_forwarded
        and request.client is not None
        and _is_loopback(request.client.host)
        and _names_loopback(request)
    ):
        return
    if token:
        raise NotSignedIn("Send the metrics token as `Authorization: Bearer ...`.")
    raise NotFound("Metrics are for this machine alone; set GENIFFY_METRICS_TOKEN to read them from elsewhere.")


def _names_loopback(request: Request) -> bool:
    """Whether the call names this machine itself.

    A stranger's page may have the name of its own host point here, and would be given the answer to read (DNS
    rebinding).
    """
    hosts = request.headers.getlist("host")
    try:
        host = urlsplit(f"//{hosts[0]}").hostname if len(hosts) == 1 else None
    except ValueError:
        return False
    return host is not None and (host == "localhost" or _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
