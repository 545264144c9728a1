"""What a route says of itself in the OpenAPI document."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


def described(
    *,
    gives: Any,
    takes: type[BaseModel] | None = None,
    status: int = 200,
    as_form: bool = False,
    headers: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Options of a route: the shape it answers with `status`, the body it takes, and request headers it heeds."""
    extra: dict[str, Any] = {}
    if takes is not None:
        media = "multipart/form-data" if as_form else "application/json"
        schema = {"$ref": f"#/components/schemas/{takes.__name__}"}
        extra["requestBody"] = {"required": True, "content": {media: {"schema": schema}}}
    if headers:
        extra["parameters"] = [
            {"name": name, "in": "header", "required": False, "schema": {"type": "string"}, "description": text}
            for name, text in headers.items()
        ]
    return {
        "status_code": status,
        "responses": {status: {"model": gives, "description": "Done."}},
        "openapi_extra": extra or None,
    }
