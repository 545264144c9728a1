"""The app of `/v1`, health and metrics."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.types import Lifespan

from geniffy_server.rest import account, files, health, keys, later, memories, recall, sources, spaces, uploads
from geniffy_server.rest.cors import AnyOrigin
from geniffy_server.rest.errors import add_error_handlers
from geniffy_server.rest.metrics import Metrics
from geniffy_server.rest.openapi import describe
from geniffy_server.rest.prefix import UnderPrefix
from geniffy_server.services.keys import CallerOf, caller_of_key
from geniffy_server.settings import Settings

_DESCRIPTION: Final = "A memory for agents: what was said, kept with the line it came from, and recalled when it bears."

# Those that are called most come first; spaces are matched on the path as it was sent and come last.
_ROUTERS: Final = (recall, memories, uploads, sources, files, account, keys, later, health, spaces)


def rest_app(settings: Settings, lifespan: Lifespan[FastAPI], *, caller_of: CallerOf = caller_of_key) -> FastAPI:
    """The API as an ASGI app. The ports that `lifespan` opens stand in `app.state.ports`.

    With a path in `public_url`, every route is served beneath that path, and without it for a proxy that cuts it off.
    `caller_of` says who calls with a bearer.
    """
    app = FastAPI(
        title="Geniffy Agents",
        description=_DESCRIPTION,
        version=_version(),
        lifespan=lifespan,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        # A span or a log line of the framework's own would carry paths and queries, and with them what was asked.
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},
    )
    for module in _ROUTERS:
        app.router.routes.extend(module.router.routes)
    app.state.caller_of = caller_of
    app.state.meter = Metrics()
    app.state.metrics_token = settings.metrics_token
    add_error_handlers(app)
    app.add_middleware(AnyOrigin)
    if prefix := urlsplit(settings.base_url).path:
        app.add_middleware(UnderPrefix, prefix=prefix)

    @cache
    def document() -> dict[str, Any]:
        return describe(app)

    app.openapi = document  # type: ignore[method-assign]  # FastAPI's documented way to extend the document
    return app


def _version() -> str:
    try:
        return version("geniffy-agents")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0"
