"""`/v1/memories`: adding, listing, reading, correcting, forgetting."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from geniffy_server.caller import Caller
from geniffy_server.domain.labels import filter_of_query
from geniffy_server.domain.memory import MemoryId, kind_filter
from geniffy_server.domain.source import Source
from geniffy_server.errors import BadInput, ServerError
from geniffy_server.ports import Ports
from geniffy_server.rest import shapes, wire
from geniffy_server.rest.bodies import (
    MAX_ITEMS,
    AddBody,
    BatchBody,
    BatchItem,
    CorrectBody,
    clamped,
    correction_of,
    new_thing,
)
from geniffy_server.rest.described import described
from geniffy_server.rest.guard import Checked
from geniffy_server.rest.parameters import CursorQuery, KindQuery, cursor_of, number_of
from geniffy_server.rest.reading import body_of, parsed
from geniffy_server.rest.reply import reply
from geniffy_server.services import memories
from geniffy_server.services.access import in_space
from geniffy_server.services.memories import no_memory
from geniffy_server.services.notes import NewNote, add_note
from geniffy_server.services.talks import NewTalk, add_talk
from geniffy_server.services.unread import add_page

router = APIRouter(tags=["memories"])


@router.post("/v1/memories", **described(gives=shapes.SourceReply, takes=AddBody, status=201))
async def add_memory(request: Request, call: Checked) -> Response:
    """Add a note, a page or a conversation. It is learned soon after: wait for its source."""
    body = await body_of(request, AddBody)
    return reply({"source": wire.source(await _added(call.ports, call.caller, body))}, 201)


@router.post("/v1/memories/batch", **described(gives=shapes.BatchReply, takes=BatchBody, status=202))
async def add_memories(request: Request, call: Checked) -> Response:
    """Add up to 100 things in their order. Each is added whole or not at all; one that can't be never stops others."""
    body = await body_of(request, BatchBody)
    if not 1 <= len(body.items) <= MAX_ITEMS:
        raise BadInput(f"A batch holds 1 to {MAX_ITEMS} items; this one has {len(body.items):,}.")
    results = [await _item(call.ports, call.caller, index, raw) for index, raw in enumerate(body.items)]
    added = sum(result["error"] is None for result in results)
    return reply({"results": results, "added": added, "failed": len(results) - added}, 202)


@router.get("/v1/memories", **described(gives=shapes.MemoryList))
async def list_memories(
    call: Checked,
    limit: Annotated[int | None, Query(description="1 to 200, 50 when left out; clamped.")] = None,
    cursor: CursorQuery = None,
    kind: KindQuery = None,
    label: Annotated[
        list[str] | None, Query(description="`name:value`; of one name any, of several names all.")
    ] = None,
) -> Response:
    """What is known and in use, newest first."""
    page = await memories.list_memories(
        call.ports,
        call.caller,
        kind_filter(kind),
        filter_of_query(label or []),
        limit=clamped(limit, 50, 200),
        cursor=cursor_of(cursor),
    )
    return reply(wire.memory_page(page))


@router.get("/v1/memories/{memory_id}", **described(gives=shapes.MemoryReply))
async def get_memory(call: Checked, memory_id: str) -> Response:
    """A memory with its quote, and what it replaced or corrected, oldest first."""
    return reply(wire.remembered(await memories.get_memory(call.ports, call.caller, _memory_id(memory_id))))


@router.patch("/v1/memories/{memory_id}", **described(gives=shapes.CorrectedReply, takes=CorrectBody))
async def correct_memory(request: Request, call: Checked, memory_id: str) -> Response:
    """Say what is right instead: the memory is never used again, and the right text becomes a source of its own."""
    it = _memory_id(memory_id)
    right = correction_of(await body_of(request, CorrectBody))
    return reply(wire.corrected(it, await memories.correct(call.ports, call.caller, it, right)))


@router.delete("/v1/memories/{memory_id}", **described(gives=shapes.ForgottenReply))
async def forget_memory(call: Checked, memory_id: str) -> Response:
    """Forget a memory for good. A file kept exactly keeps its text: `files` names those that still say it."""
    it = _memory_id(memory_id)
    return reply(wire.forgotten(it, await memories.forget(call.ports, call.caller, it)))


async def _added(ports: Ports, caller: Caller, body: AddBody) -> Source:
    try:
        thing = await asyncio.to_thread(new_thing, body)
    except RecursionError:
        raise BadInput("The messages are nested too deeply.") from None
    match thing:
        case NewNote():
            return await add_note(ports, caller, thing)
        case NewTalk():
            return await add_talk(ports, caller, thing)
    failed = await add_page(ports, caller, thing)
    raise BadInput(failed.error or "The page can't be read.", "unreadable", extra={"source": wire.source(failed)})


async def _item(ports: Ports, caller: Caller, index: int, raw: Any) -> dict[str, Any]:
    try:
        item = parsed(BatchItem, {"text": raw} if isinstance(raw, str) else raw)
        source = await _added(ports, in_space(caller, item.space), item)
    except ServerError as refused:
        return {"index": index, "source": None, **refused.envelope()}
    return {"index": index, "source": wire.source(source), "error": None}


def _memory_id(raw: str) -> MemoryId:
    """Raises NotFound for what can't be an id (contract 2.1 (5))."""
    number = number_of(raw)
    if number is None:
        raise no_memory(f"{raw!r:.60}")
    return MemoryId(number)
