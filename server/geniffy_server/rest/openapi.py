"""The OpenAPI 3.1 document of the API: what FastAPI knows of the routes, and what they share."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import models_json_schema

from geniffy_server.rest.bodies import (
    AddBody,
    AskBody,
    BatchBody,
    BatchItem,
    ContextBody,
    CorrectBody,
    KeyBody,
    MoveFilesBody,
    PutFileBody,
    SearchBody,
)
from geniffy_server.rest.shapes import ErrorReply
from geniffy_server.rest.uploads import UploadBody

_BODIES: Final[tuple[type[BaseModel], ...]] = (
    AddBody,
    AskBody,
    BatchBody,
    BatchItem,
    ContextBody,
    CorrectBody,
    KeyBody,
    MoveFilesBody,
    PutFileBody,
    SearchBody,
    UploadBody,
)
_REF: Final = "#/components/schemas/{model}"
_SPACE: Final = {
    "name": "X-Geniffy-Space",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,128}$"},
    "description": "Whose memory: one of your users' spaces. Left out, the key owner's own memory, "
    "or the one space that the key is limited to.",
}
_REFUSALS: Final = {
    "401": "No key, or one that is not known, was revoked or has expired: `bad_key`.",
    "403": "The key is good, but not for this: `wrong_space`, `not_allowed`.",
    "404": "Nothing of that name is here: `not_found`, `not_switched_on`.",
    "409": "What the call would make is there already: `conflict`.",
    "412": "The condition of a write does not hold: `changed`.",
    "413": "A text or a body is too long: `too_long`, `too_large`.",
    "422": "What was sent can't be used; the code says what is wrong.",
    "429": "Over the key's requests a minute: `busy`, with `Retry-After`.",
    "500": "A fault of the server: `internal`.",
    "503": "The store or a model did not answer: `memory_unavailable`.",
}
_EVERYWHERE: Final = ("401", "403", "422", "429", "500", "503")


def describe(app: FastAPI) -> dict[str, Any]:
    """The document, made anew."""
    document = get_openapi(
        title=app.title, version=app.version, openapi_version="3.1.0", description=app.description, routes=app.routes
    )
    components: dict[str, Any] = document.setdefault("components", {})
    schemas: dict[str, Any] = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    _, bodies = models_json_schema([(body, "validation") for body in _BODIES], ref_template=_REF)
    schemas.update(bodies["$defs"])
    error = TypeAdapter(ErrorReply).json_schema(ref_template=_REF)
    schemas.update(error.pop("$defs"))
    schemas["ErrorReply"] = error
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "An API key."}}
    components["parameters"] = {"Space": _SPACE}
    components["responses"] = {_name(status): _refusal(text) for status, text in _REFUSALS.items()}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            _share(path, method, operation)
    return document


def _share(path: str, method: str, operation: dict[str, Any]) -> None:
    operation["security"] = [{"key": []}]
    if not path.startswith("/v1/spaces"):
        operation.setdefault("parameters", []).append({"$ref": "#/components/parameters/Space"})
    statuses = list(_EVERYWHERE)
    if "{" in path or path.startswith(("/v1/files", "/v1/sources")):
        statuses.append("404")
    if method in ("post", "put", "patch"):
        statuses.append("413")
    if path == "/v1/files/move":
        statuses.append("409")
    if (path, method) == ("/v1/files", "put"):
        statuses.append("412")
    for status in sorted(statuses):
        operation["responses"][status] = {"$ref": f"#/components/responses/{_name(status)}"}


def _name(status: str) -> str:
    return f"Refused{status}"


def _refusal(text: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/ErrorReply"}
    return {"description": text, "content": {"application/json": {"schema": schema}}}
