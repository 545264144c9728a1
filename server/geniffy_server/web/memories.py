"""`/app/memories`: search and browse, one memory with the line it came from, correct, forget, settle a clash, add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from starlette.responses import Response

from geniffy_server.domain.conversation import MEMORY_CATEGORIES
from geniffy_server.domain.curation import scoring
from geniffy_server.domain.memory import Kind, Memory, MemoryId, kind_filter
from geniffy_server.domain.source import title_of
from geniffy_server.domain.text import MAX_TEXT_CHARS, bounded, is_blank
from geniffy_server.errors import BadInput, NotFound
from geniffy_server.services.answers import MAX_QUESTION_CHARS, search
from geniffy_server.services.curated_memories import get_curated
from geniffy_server.services.curating import curate_memory
from geniffy_server.services.memories import MemoryPage, correct, forget, get_memory, list_memories, settle
from geniffy_server.services.notes import NewNote, add_note
from geniffy_server.services.quotes import MemoryInPlace, memory_in_place
from geniffy_server.services.sources import list_sources
from geniffy_server.web.visit import Visit, number_of

PER_PAGE: Final = 25
MAX_CORRECTION_CHARS: Final = 2_000
_DONE: Final[Mapping[str, str]] = {
    "corrected": "Corrected. What it said before is marked wrong and never used again.",
    "forgotten": "Forgotten for good, with its quote and its history.",
    "settled": "Settled. The other one is now the history of this one.",
    "curated": "Saved.",
}


async def show_memories(visit: Visit) -> Response:
    """The list, newest first or what a search found best first; with `focus`, one memory beside it."""
    return await _memories(visit, done=_DONE.get(visit.asked("done") or ""))


async def take_correction(visit: Visit) -> Response:
    """Put what is right in the place of what is wrong."""
    memory_id = _memory_id(visit)
    text = visit.sent("text").strip()
    if is_blank(text):
        raise BadInput("Say what is right instead; to take it back altogether, forget it.")
    if len(text) > MAX_CORRECTION_CHARS:
        raise BadInput(f"A correction is one statement of up to {MAX_CORRECTION_CHARS:,} characters.")
    await correct(visit.ports, visit.caller, memory_id, text)
    corrected = await get_memory(visit.ports, visit.caller, memory_id)
    return visit.go("/app/memories", focus=corrected.memory.replaced_by, done="corrected")


async def take_forgetting(visit: Visit) -> Response:
    """Forget for good. Files are kept as they are, so a page names those that still say it."""
    files = await forget(visit.ports, visit.caller, _memory_id(visit))
    if files:
        return visit.html("forgotten.html", page="memories", files=files)
    return visit.go("/app/memories", done="forgotten")


async def take_settling(visit: Visit) -> Response:
    """Say which of two that contradict each other is right."""
    keep = number_of(visit.sent("keep"))
    if keep is None:
        raise BadInput("Choose which of the two is right.")
    kept = await settle(visit.ports, visit.caller, MemoryId(keep), _memory_id(visit))
    return visit.go("/app/memories", focus=kept.id, done="settled")


async def take_curation(visit: Visit) -> Response:
    """Take the category that was chosen, whether the memory was reviewed, and whether it is locked."""
    memory_id = _memory_id(visit)
    category = next((one for one in MEMORY_CATEGORIES if one == visit.sent("category")), None)
    if category is None:
        raise BadInput("Choose one of the categories.")
    reviewed, locked = bool(visit.sent("reviewed")), bool(visit.sent("locked"))
    await curate_memory(visit.ports, visit.caller, memory_id, category=category, reviewed=reviewed, locked=locked)
    return visit.go("/app/memories", focus=memory_id, done="curated")


async def take_note(visit: Visit) -> Response:
    """Remember a note that the person wrote themselves."""
    text = visit.sent("text")
    if is_blank(text):
        raise BadInput("A note needs words to remember.")
    note = NewNote(text=bounded(text, "note", MAX_TEXT_CHARS), title=title_of(visit.sent("title")))
    source = await add_note(visit.ports, visit.caller, note)
    return visit.go("/app/sources", focus=source.id, done="added")


async def _memories(visit: Visit, *, done: str | None) -> Response:
    question = (visit.asked("q") or "")[:MAX_QUESTION_CHARS]
    kind = kind_filter(visit.asked("kind"))
    cursor = visit.number("cursor") or 0
    page = await list_memories(visit.ports, visit.caller, kind, {}, limit=PER_PAGE, cursor=cursor)
    focus = visit.request.query_params.get("focus")
    if page.counts["all"] == 0 and not question and focus is None and not (await _has_sources(visit)):
        return visit.html("first_run.html", page="memories", done=done)
    shown = await _found(visit, question, kind) if question else page.memories
    article, missing = await _focused(visit, focus)
    listed = [memory.id for memory in shown] + ([article.memory.id] if article else [])
    kept = await get_curated(visit.ports, visit.caller, listed)
    return visit.html(
        "memories.html",
        404 if missing else 200,
        page="memories",
        question=question,
        kind=kind,
        counts=page.counts,
        memories=shown,
        pager=None if question else _pager(page, cursor),
        article=article,
        curation=kept.get(article.memory.id) if article else None,
        curations=kept,
        scoring=scoring,
        categories=MEMORY_CATEGORIES,
        missing=missing,
        done=done,
    )


async def _has_sources(visit: Visit) -> bool:
    return (await list_sources(visit.ports, visit.caller, {}, limit=1, cursor=0)).total > 0


async def _found(visit: Visit, question: str, kind: Kind | None) -> Sequence[Memory]:
    found = await search(visit.ports, visit.caller, question, limit=PER_PAGE, kind=kind)
    return [hit.memory for hit in found]


async def _focused(visit: Visit, focus: str | None) -> tuple[MemoryInPlace | None, str | None]:
    """The memory to open, or the sentence that there is none such."""
    if focus is None:
        return None, None
    number = number_of(focus)
    try:
        if number is None:
            raise NotFound("There is no memory of that name here.")
        return await memory_in_place(visit.ports, visit.caller, MemoryId(number)), None
    except NotFound as gone:
        return None, gone.sentence


def _pager(page: MemoryPage, cursor: int) -> dict[str, int | None]:
    return {
        "first": cursor + 1 if page.memories else 0,
        "last": cursor + len(page.memories),
        "total": page.total,
        "next": page.next,
        "previous": max(0, cursor - PER_PAGE) if cursor else None,
    }


def _memory_id(visit: Visit) -> MemoryId:
    number = number_of(str(visit.request.path_params["memory_id"]))
    if number is None:
        raise NotFound("There is no memory of that name here.")
    return MemoryId(number)
