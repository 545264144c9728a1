"""The routes of every page, for the app that serves them."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from geniffy_server.errors import NotFound
from geniffy_server.settings import Settings
from geniffy_server.web import (
    account,
    agents,
    approve,
    files,
    keys,
    memories,
    oidc,
    requests,
    setup,
    sign_in,
    sources,
    spaces,
)
from geniffy_server.web.pages import Pages
from geniffy_server.web.spaces import Export
from geniffy_server.web.visit import MAX_NOTE_BYTES, Visit, page


def web_routes(settings: Settings, pages: Pages, export: Export) -> Sequence[BaseRoute]:
    """Everything beneath `/app`. `export` writes a space to a file, for its download."""
    provider = oidc.provider_of(settings)
    pages.signs_in_elsewhere = provider.host if provider is not None else None
    return [
        page(pages, "/app", _home),
        page(pages, "/app/", _home),
        page(pages, "/app/setup", setup.show_setup, is_open=True),
        page(pages, "/app/setup", setup.take_setup, "POST", is_open=True),
        page(pages, "/app/sign-in", sign_in.show_sign_in, is_open=True),
        page(pages, "/app/sign-in", sign_in.take_sign_in, "POST", is_open=True),
        page(pages, "/app/sign-in/oidc", oidc.begin_at(provider), is_open=True),
        page(pages, oidc.CALLBACK, oidc.finish_at(provider), is_open=True),
        page(pages, "/app/sign-out", sign_in.take_sign_out, "POST"),
        page(pages, "/app/sign-out/everywhere", sign_in.take_sign_out_everywhere, "POST"),
        page(pages, "/app/approve", approve.show_approval),
        page(pages, "/app/approve", approve.take_approval, "POST"),
        page(pages, "/app/memories", memories.show_memories),
        page(pages, "/app/memories", memories.take_note, "POST", max_bytes=MAX_NOTE_BYTES),
        page(pages, "/app/memories/{memory_id}/correct", memories.take_correction, "POST"),
        page(pages, "/app/memories/{memory_id}/forget", memories.take_forgetting, "POST"),
        page(pages, "/app/memories/{memory_id}/settle", memories.take_settling, "POST"),
        page(pages, "/app/memories/{memory_id}/curate", memories.take_curation, "POST"),
        page(pages, "/app/sources", sources.show_sources),
        page(pages, "/app/sources/forget", sources.take_forgetting, "POST"),
        page(pages, "/app/sources/curate", sources.take_curation, "POST"),
        page(pages, "/app/files", files.show_files),
        page(pages, "/app/files/download", files.download_file),
        page(pages, "/app/files/delete", files.take_deleting, "POST"),
        page(pages, "/app/agents", agents.show_agents),
        page(pages, "/app/agents/disconnect", agents.take_disconnecting, "POST"),
        page(pages, "/app/keys", keys.show_keys),
        page(pages, "/app/keys", keys.take_key, "POST"),
        page(pages, "/app/keys/revoke", keys.take_revoking, "POST"),
        page(pages, "/app/requests", requests.show_requests),
        page(pages, "/app/spaces", spaces.show_spaces),
        page(pages, "/app/spaces/export", spaces.download_space(export)),
        page(pages, "/app/spaces/erase", spaces.take_erasing, "POST"),
        page(pages, "/app/account", account.show_account),
        page(pages, "/app/account", account.take_description, "POST"),
        page(pages, "/app/account/password", account.take_password, "POST"),
        _static(pages),
        *(page(pages, "/app/{path:path}", _nothing, method, is_open=True) for method in ("GET", "POST")),
    ]


async def _home(visit: Visit) -> Response:
    return visit.go(sign_in.HOME)


async def _nothing(visit: Visit) -> Response:
    raise NotFound("There is no page at this address.")


def _static(pages: Pages) -> Route:
    async def serve(request: Request) -> Response:
        request.scope.setdefault("state", {})["route"] = "/app/static/{name}"
        found = pages.static(request.path_params["name"])
        return found if found is not None else pages.error_page("There is no file of that name.", 404)

    return Route("/app/static/{name}", serve, include_in_schema=False)
