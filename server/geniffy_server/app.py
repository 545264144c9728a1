"""The composition root: settings become ports, and ports one ASGI app with a lifespan."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from fastapi import FastAPI

from geniffy_server.domain.space import AccountId
from geniffy_server.errors import BadInput
from geniffy_server.learn.conversation.categories import Categorizer
from geniffy_server.mcp.server import McpDoor, mcp_door, omi_door
from geniffy_server.models.minilm import MiniLM
from geniffy_server.oauth.routes import oauth_routes
from geniffy_server.ports import Embedder, LanguageModel, Ports
from geniffy_server.recall.recall import ShardRecall
from geniffy_server.request_log import RequestLog
from geniffy_server.rest.app import rest_app
from geniffy_server.services.accounts import ensure_owner
from geniffy_server.services.keys import owner_in_process
from geniffy_server.services.tokens import caller_on
from geniffy_server.services.warming import warm
from geniffy_server.settings import NO_POSTGRES, Settings
from geniffy_server.storage.archive import write_spaces
from geniffy_server.storage.call_log import open_call_log
from geniffy_server.storage.store import open_store
from geniffy_server.web.pages import Pages
from geniffy_server.web.routes import web_routes
from geniffy_server.web.spaces import Export
from geniffy_server.worker import LocalBell, learning

_GIB: Final = 1 << 30


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The present, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Opened:
    """Ports that are open, and the bell their worker listens to."""

    ports: Ports
    bell: LocalBell


@contextlib.asynccontextmanager
async def opened(settings: Settings, *, create: bool = True) -> AsyncIterator[Opened]:
    """Open everything that a server needs, and close it at the end.

    Raises BadInput for a `database_url`, NotFound when there is no store and `create` is False, ServerError when the
    store is newer than this code or can't be opened.
    """
    if settings.database_url:
        raise BadInput(NO_POSTGRES)
    language_model = language_model_of(settings)  # first: nothing is open yet when its extra is missing
    embedder = embedder_from(settings)
    store = await asyncio.to_thread(open_store, settings.data, create=create)
    calls = await asyncio.to_thread(open_call_log, settings.data, settings.requests_days)
    bell = LocalBell()
    clock = SystemClock()
    ports = Ports(
        store=store,
        calls=calls,
        embedder=embedder,
        recall=ShardRecall(embedder, budget_bytes=settings.cache_bytes or cache_budget_bytes(), clock=clock),
        categories=Categorizer(embedder.embed),
        clock=clock,
        bell=bell,
        public_url=settings.base_url,
        stored_in=settings.stored_in or _place(settings.data),
        certainty=settings.certainty,
        refresh_grace_s=settings.refresh_grace_s,
        language_model=language_model,
        llm_tokens_a_day=settings.llm_tokens_a_day,
    )
    try:
        yield Opened(ports, bell)
    finally:
        if language_model is not None:
            await language_model.close()
        await calls.close()
        await store.close()


def embedder_from(settings: Settings) -> Embedder:
    """The configured embedder; the built-in one as a rule. Raises BadInput when the `llm` extra is missing."""
    if settings.embedder is None or settings.embedder_model is None:
        return MiniLM(Path(settings.embedder) if settings.embedder else None)
    from geniffy_server.models.embeddings_endpoint import EmbeddingsEndpoint

    return EmbeddingsEndpoint(settings.embedder, settings.embedder_model, settings.embedder_api_key)


def language_model_of(settings: Settings) -> LanguageModel | None:
    """The configured model; None as a rule. Raises BadInput when the `llm` extra is missing."""
    if settings.llm_base_url is None or settings.llm_model is None:
        return None
    from geniffy_server.models.openai_compatible import OpenAICompatible

    return OpenAICompatible(
        settings.llm_base_url, settings.llm_model, settings.llm_api_key, timeout_s=settings.llm_timeout_s
    )


def create_app(settings: Settings, *, is_warmed: bool = False) -> FastAPI:
    """The whole server as one ASGI app: `/v1`, `/mcp`, `/mcp/omi`, signing in, the pages, health, metrics.

    It opens its ports when its lifespan starts; they stand in `app.state.ports` while it runs. With `is_warmed` it then
    loads what a first question needs, while it answers already.
    """
    is_local = not settings.is_embedder_remote
    memory, omi = mcp_door(settings, caller_on("/mcp")), omi_door(settings, caller_on("/mcp/omi"))

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opened(settings) as it, learning(it.ports, it.bell), memory.running(it.ports), omi.running(it.ports):
            app.state.ports = it.ports
            warming = asyncio.create_task(warm(it.ports, loads_embedder=is_local)) if is_warmed else None
            yield
            if warming is not None:
                warming.cancel()

    app = rest_app(settings, lifespan)
    pages = Pages(settings)
    app.router.routes.extend(
        [
            *memory.routes,
            *omi.routes,
            *oauth_routes(settings, pages.error_page),
            *web_routes(settings, pages, _exporting(settings.data)),
        ]
    )
    app.add_middleware(RequestLog)
    return app


def create_local_app(settings: Settings) -> FastAPI:
    """The API alone, for the process that opened the directory: its caller is the owner, and no key is asked for."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opened(settings) as it, learning(it.ports, it.bell):
            await ensure_owner(it.ports)
            app.state.ports = it.ports
            yield

    app = rest_app(settings, lifespan, caller_of=owner_in_process)
    app.add_middleware(RequestLog)
    return app


def cache_budget_bytes() -> int:
    """What the search cache may hold: a quarter of the machine's memory, 1 GiB at most."""
    return min(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4, _GIB)


def _exporting(data: Path) -> Export:
    def export(account_id: AccountId, names: Sequence[str], file: Path) -> None:
        write_spaces(data, account_id, names, file, lambda done, total: None)

    return export


def _place(data: Path) -> str:
    return f"this server ({data.name})"


__all__ = ["McpDoor", "Opened", "SystemClock", "cache_budget_bytes", "create_app", "opened"]
