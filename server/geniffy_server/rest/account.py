"""`/v1/me`, `/v1/usage`, `/v1/memory-health`, `/v1/export`: whose memory it is, and all that it holds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from geniffy_server.domain.instants import wire as instant
from geniffy_server.rest import shapes, wire
from geniffy_server.rest.described import described
from geniffy_server.rest.guard import Checked
from geniffy_server.rest.reply import MEDIA_TYPE, encode, reply
from geniffy_server.services import accounts
from geniffy_server.services.accounts import Copy

router = APIRouter(tags=["account"])

_ROWS_AT_ONCE: Final = 200  # about a millisecond of work between two turns of the loop


@router.get("/v1/me", **described(gives=shapes.MeReply))
async def me(call: Checked) -> Response:
    """Whose key this is, and which space it works in."""
    return reply(wire.me(await accounts.who(call.ports, call.caller), call.caller.space))


@router.get("/v1/usage", **described(gives=shapes.UsageReply))
async def usage(call: Checked) -> Response:
    """What the whole account used this month, its spaces included."""
    return reply(wire.usage(await accounts.month_usage(call.ports, call.caller)))


@router.get("/v1/memory-health", **described(gives=shapes.HealthReply))
async def memory_health(call: Checked) -> Response:
    """How well the memory answers about itself; null before it was tested."""
    return reply({"health": None, "tested_at": None, "asked": 0, "score": None, "items": []})


@router.get("/v1/export", **described(gives=shapes.ExportReply))
async def export(call: Checked) -> Response:
    """Everything that this memory holds, as one JSON document: memories of every status, sources, files by path."""
    copy = await accounts.copy_of(call.ports, call.caller)
    return StreamingResponse(_document(copy, call.ports.stored_in), media_type=MEDIA_TYPE)


async def _document(copy: Copy, stored_in: str) -> AsyncIterator[str]:
    """The document in pieces, so that a large memory never holds up other calls."""
    yield encode({"exported_at": instant(copy.exported_at), "stored_in": stored_in})[:-1]
    lists: tuple[tuple[str, Sequence[Any], Callable[[Any], Mapping[str, Any]]], ...] = (
        ("memories", copy.memories, wire.memory),
        ("sources", copy.sources, wire.source),
        ("files", copy.files, wire.file_entry),
    )
    for name, rows, shape in lists:
        yield f',"{name}":['
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            piece = ",".join(encode(shape(row)) for row in rows[first : first + _ROWS_AT_ONCE])
            yield f",{piece}" if first else piece
            await asyncio.sleep(0)
        yield "]"
    yield ',"episodes":[],"lessons":[],"intentions":[],"now":[]}'
