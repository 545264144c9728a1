"""`/v1/files`: files kept exactly."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from geniffy_server.domain.file import etag, file_path, path_prefix
from geniffy_server.domain.labels import labels_of
from geniffy_server.errors import BadInput
from geniffy_server.rest import shapes, wire
from geniffy_server.rest.bodies import MoveFilesBody, PutFileBody, clamped, file_text
from geniffy_server.rest.conditions import condition_of
from geniffy_server.rest.described import described
from geniffy_server.rest.guard import Checked
from geniffy_server.rest.parameters import CursorQuery, cursor_of
from geniffy_server.rest.reading import body_of
from geniffy_server.rest.reply import reply
from geniffy_server.services import files

router = APIRouter(tags=["files"])

PathQuery = Annotated[str | None, Query(description="One file's path.")]
PrefixQuery = Annotated[str | None, Query(description="The beginning of paths, such as /memories/.")]

_CONDITIONS: Final = {
    "If-Match": "Write only while the file has one of these ETags, or with * only when there is one; else 412.",
    "If-None-Match": "With * write only when there is no file, with ETags only while it has none of them; else 412.",
}


@router.put("/v1/files", **described(gives=shapes.PutReply, takes=PutFileBody, headers=_CONDITIONS))
async def put_file(request: Request, call: Checked) -> Response:
    """Create or replace a file, kept character for character. Text equal to what is stored changes nothing."""
    body = await body_of(request, PutFileBody)
    path, text = file_text(body)
    condition = condition_of(request.headers.getlist("if-match"), request.headers.getlist("if-none-match"))
    done = await files.put_file(call.ports, call.caller, path, text, labels_of(body.labels), condition)
    return reply(wire.put(done), headers=_tagged(text))


@router.get("/v1/files", **described(gives=shapes.FileReply | shapes.FileList))
async def get_files(
    call: Checked,
    path: PathQuery = None,
    prefix: PrefixQuery = None,
    limit: Annotated[int | None, Query(description="1 to 200, 100 when left out; clamped. With prefix.")] = None,
    cursor: CursorQuery = None,
) -> Response:
    """One file with its text by `path`, or a list of files by `prefix` without their texts, in path order."""
    if (path is None) == (prefix is None):
        raise _one_of()
    if path is not None:
        # A conditional read is always answered whole: clients take any status below 400 for the file itself.
        file = await files.get_file(call.ports, call.caller, file_path(path))
        return reply(wire.file(file), headers=_tagged(file.text))
    page = await files.list_files(
        call.ports,
        call.caller,
        path_prefix(prefix or ""),
        limit=clamped(limit, 100, 200),
        cursor=cursor_of(cursor),
    )
    return reply(wire.file_page(page))


@router.delete("/v1/files", **described(gives=shapes.DeletedFiles))
async def delete_files(call: Checked, path: PathQuery = None, prefix: PrefixQuery = None) -> Response:
    """Delete one file, or up to 100 under a prefix: call again while `more` is true."""
    if (path is None) == (prefix is None):
        raise _one_of()
    if path is not None:
        await files.delete_file(call.ports, call.caller, file_path(path))
        return reply({"deleted": 1, "path": path})
    deleted, more = await files.delete_under(call.ports, call.caller, path_prefix(prefix or ""))
    return reply({"deleted": deleted, "more": more})


@router.post("/v1/files/move", **described(gives=shapes.MovedReply, takes=MoveFilesBody))
async def move_files(request: Request, call: Checked) -> Response:
    """Move a file, or every file beneath a directory. Nothing moves when a file is in the way of one of them."""
    body = await body_of(request, MoveFilesBody)
    moved = await files.move_files(call.ports, call.caller, file_path(body.origin), file_path(body.to))
    return reply({"moved": moved})


def _tagged(text: str) -> dict[str, str]:
    return {"ETag": f'"{etag(text)}"'}


def _one_of() -> BadInput:
    return BadInput("Name a path or a prefix, one of the two.")
