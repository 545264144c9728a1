"""`/v1/sources`: what was added, how learning it went, and taking it back."""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.responses import Response

from geniffy_server.domain.labels import filter_of_query
from geniffy_server.domain.source import SourceId
from geniffy_server.domain.text import is_blank, keepable
from geniffy_server.errors import BadInput
from geniffy_server.rest import shapes, wire
from geniffy_server.rest.bodies import clamped
from geniffy_server.rest.described import described
from geniffy_server.rest.guard import Checked
from geniffy_server.rest.parameters import CursorQuery, LabelQuery, cursor_of, seconds_of
from geniffy_server.rest.reply import reply
from geniffy_server.services import sources
from geniffy_server.services.sources import MAX_WAIT_S, no_source

router = APIRouter(tags=["sources"])

_ID: Final = re.compile(r"[0-9a-f]{32}")

ExternalIdQuery = Annotated[str | None, Query(description="Your own id of a source.")]


@router.get("/v1/sources", **described(gives=shapes.SourceList))
async def list_sources(
    call: Checked,
    limit: Annotated[int | None, Query(description="1 to 200, 100 when left out; clamped.")] = None,
    cursor: CursorQuery = None,
    label: LabelQuery = None,
    external_id: ExternalIdQuery = None,
) -> Response:
    """What was added, newest first; with `external_id` that one source, or none."""
    if external_id is not None:
        keepable(external_id, "external_id")
        return reply(wire.one_source(await sources.source_of_external_id(call.ports, call.caller, external_id)))
    page = await sources.list_sources(
        call.ports,
        call.caller,
        filter_of_query(label or []),
        limit=clamped(limit, 100, 200),
        cursor=cursor_of(cursor),
    )
    return reply(wire.source_page(page))


@router.get("/v1/sources/{source_id}", **described(gives=shapes.SourceReply))
async def get_source(
    call: Checked,
    source_id: str,
    wait: Annotated[str | None, Query(description="Seconds to wait while it is being read: 0 to 30.")] = None,
) -> Response:
    """A source; with `wait`, answered when it has been learned or the time is up."""
    wait_s = seconds_of(wait, MAX_WAIT_S)
    found = await sources.get_source(call.ports, call.caller, _source_id(source_id), wait_s=wait_s)
    return reply({"source": wire.source(found)})


@router.delete("/v1/sources/{source_id}", **described(gives=shapes.DeletedSource))
async def delete_source(call: Checked, source_id: str) -> Response:
    """Delete a source and every memory only it taught; a file's source takes the file with it."""
    it = _source_id(source_id)
    await sources.delete_source(call.ports, call.caller, it)
    return reply({"id": it, "deleted": True})


@router.delete("/v1/sources", **described(gives=shapes.DeletedSources))
async def delete_sources(call: Checked, label: LabelQuery = None, external_id: ExternalIdQuery = None) -> Response:
    """Delete the source of your own id, or up to 100 that carry labels: call again while `more` is true."""
    if (external_id is None) == (label is None):
        raise BadInput("Name the sources to delete by external_id or by label, one of the two.")
    if external_id is not None:
        if is_blank(external_id):
            raise BadInput("The external_id is blank.")
        it = await sources.delete_by_external_id(call.ports, call.caller, keepable(external_id, "external_id"))
        return reply(wire.deleted_source(it, external_id))
    if any(is_blank(pair) for pair in label or []):
        raise BadInput("The label is blank; write it as name:value.")
    labels = filter_of_query(label or [])
    return reply(wire.deleted_sources(*await sources.delete_labelled(call.ports, call.caller, labels), labels))


def _source_id(raw: str) -> SourceId:
    """Raises NotFound for what can't be an id."""
    if not _ID.fullmatch(raw):
        raise no_source(f"{raw!r:.60}")
    return SourceId(raw)
