"""`/v1/memories/file`: uploads."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from fastapi import APIRouter
from pydantic import BaseModel, Field, WithJsonSchema
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from geniffy_server.domain.labels import labels_of
from geniffy_server.domain.source import external_id_of, title_of
from geniffy_server.domain.text import is_blank, keepable
from geniffy_server.errors import BadInput
from geniffy_server.rest import shapes, wire
from geniffy_server.rest.described import described
from geniffy_server.rest.guard import Checked
from geniffy_server.rest.reading import MAX_UPLOAD_BYTES, limited
from geniffy_server.services.unread import Upload, add_upload

router = APIRouter(tags=["memories"])

MAX_NAME_CHARS: Final = 255
_PART_BYTES: Final = 1 << 20
_MULTIPART: Final = "multipart/form-data"


class UploadBody(BaseModel):
    """The parts of an upload, in any order."""

    file: Annotated[Any, WithJsonSchema({"type": "string", "format": "binary"})] = Field(description="Up to 25 MiB.")
    title: str = Field("", description="What the source is called; the file's name when left out.")
    external_id: str = Field("", description="Your own id: sent again, the source is updated.")
    labels: str = Field("", description="An object of names and values, as JSON text.")


@router.post("/v1/memories/file", **described(gives=shapes.SourceReply, takes=UploadBody, status=201, as_form=True))
async def upload_file(request: Request, call: Checked) -> Response:
    """Add an uploaded file. One that can't be read stays listed as a failed source, which the error shows."""
    if not request.headers.get("content-type", "").lower().startswith(_MULTIPART):
        raise BadInput(f"An upload is sent as {_MULTIPART}, with the file in the part named file.")
    async with limited(request, MAX_UPLOAD_BYTES).form(max_files=1, max_fields=20, max_part_size=_PART_BYTES) as form:
        upload = _upload(form)
    failed = await add_upload(call.ports, call.caller, upload)
    raise BadInput(failed.error or "The file can't be read.", "unreadable", extra={"source": wire.source(failed)})


def _upload(form: FormData) -> Upload:
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise BadInput("The part named file is missing, or is not a file.")
    name = keepable(file.filename or "", "file's name")
    if is_blank(name) or len(name) > MAX_NAME_CHARS:
        raise BadInput(f"A file's name has 1 to {MAX_NAME_CHARS} characters.")
    return Upload(
        name=name,
        kind=keepable((file.content_type or "")[:MAX_NAME_CHARS], "content type") or None,
        size_bytes=file.size or 0,
        title=title_of(_text(form, "title")),
        external_id=external_id_of(_text(form, "external_id")),
        labels=labels_of(_labels(_text(form, "labels"))),
    )


def _text(form: FormData, name: str) -> str | None:
    value = form.get(name)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"The part named {name} is text, not a file.")
    return value


def _labels(raw: str | None) -> Any:
    if raw is None:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise BadInput("The labels are not JSON.", "bad_labels") from None
