"""`/app/sources`: what was added and how learning went, one source with what it says and taught, forgetting one.

Of a conversation also what it comes to, with its category and its lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

from geniffy_server.domain.conversation import CONVERSATION_CATEGORIES
from geniffy_server.domain.source import SourceId, SourceStatus
from geniffy_server.errors import BadInput, NotFound
from geniffy_server.services.conversations import conversation_summary
from geniffy_server.services.curating import curate_conversation
from geniffy_server.services.source_texts import STATUSES, SourceText, source_text, sources_by_status
from geniffy_server.services.sources import delete_source, get_source
from geniffy_server.web.visit import Visit

PER_PAGE: Final = 25
MAX_SHOWN_CHARS: Final = 50_000
MAX_SHOWN_TURNS: Final = 200
_LEARNS_WITHIN_S: Final = 3.0  # how long the page after a note waits for it to be learned
_DONE: Final[Mapping[str, str]] = {
    "added": "Added. What it says is learned in a moment.",
    "forgotten": "Forgotten, with every memory that only it taught.",
    "curated": "Saved.",
}


async def show_sources(visit: Visit) -> Response:
    """The list, newest first; with `focus` one source beneath it, with `forget` the question before it goes."""
    status = _status(visit.asked("status"))
    cursor = visit.number("cursor") or 0
    done = visit.asked("done")
    article, missing = await _focused(visit, visit.asked("focus"), wait_s=_LEARNS_WITHIN_S if done == "added" else 0)
    summed_up = await conversation_summary(visit.ports, visit.caller, article.source.id) if article else None
    forgetting, gone = await _focused(visit, visit.asked("forget"))
    shown = await sources_by_status(visit.ports, visit.caller, status, limit=PER_PAGE, cursor=cursor)
    return visit.html(
        "sources.html",
        404 if missing or gone else 200,
        page="sources",
        sources=shown.page.sources,
        counts=shown.counts,
        statuses=STATUSES,
        status=status,
        cursor=cursor,
        next_cursor=shown.page.next,
        previous=max(0, cursor - PER_PAGE) if cursor else None,
        total=shown.page.total,
        article=article,
        summed_up=summed_up,
        categories=CONVERSATION_CATEGORIES,
        forgetting=forgetting,
        missing=missing or gone,
        done=_DONE.get(done or ""),
        was_added=done == "added",
        most_chars=MAX_SHOWN_CHARS,
        most_turns=MAX_SHOWN_TURNS,
    )


async def take_forgetting(visit: Visit) -> Response:
    """Forget a source with every memory that only it taught."""
    await delete_source(visit.ports, visit.caller, SourceId(visit.sent("source")))
    return visit.go("/app/sources", done="forgotten")


async def take_curation(visit: Visit) -> Response:
    """Take the category that was chosen for a conversation, and whether it is locked."""
    source_id = SourceId(visit.sent("source"))
    category = next((one for one in CONVERSATION_CATEGORIES if one == visit.sent("category")), None)
    if category is None:
        raise BadInput("Choose one of the categories.")
    locked = bool(visit.sent("locked"))
    await curate_conversation(visit.ports, visit.caller, source_id, category=category, locked=locked)
    return visit.go("/app/sources", focus=source_id, done="curated")


async def _focused(visit: Visit, raw: str | None, *, wait_s: float = 0) -> tuple[SourceText | None, str | None]:
    if raw is None:
        return None, None
    try:
        if wait_s:
            await get_source(visit.ports, visit.caller, SourceId(raw), wait_s=wait_s)
        return await source_text(visit.ports, visit.caller, SourceId(raw)), None
    except NotFound as gone:
        return None, gone.sentence


def _status(raw: str | None) -> SourceStatus | None:
    return next((status for status in STATUSES if status == raw), None)
