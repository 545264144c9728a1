"""Reading bodies: at most so many bytes, JSON that can be trusted to be UTF-8, and of the shape that is asked for."""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from geniffy_server.errors import BadInput, TooLarge
from geniffy_server.rest.errors import sentence_of

MAX_JSON_BYTES: Final = 32 << 20  # 2,000,000 characters, each written as two \u escapes, and room to spare
MAX_UPLOAD_BYTES: Final = 25 << 20  # contract Q24

Body = TypeVar("Body", bound=BaseModel)


async def body_of(request: Request, shape: type[Body]) -> Body:
    """The request's JSON object as `shape`, whatever content type it was sent as; unknown fields are ignored.

    Raises BadInput (`invalid_request`) for anything else, TooLarge beyond 32 MiB.
    """
    return parsed(shape, json_of(await bytes_of(request, MAX_JSON_BYTES)))


def parsed(shape: type[Body], raw: Any) -> Body:
    """A value of JSON as `shape`. Raises BadInput (`invalid_request`)."""
    try:
        return shape.model_validate(raw)
    except ValidationError as wrong:
        problem = wrong.errors(include_url=False)[0]
        raise BadInput(sentence_of(problem, problem["loc"])) from None


async def bytes_of(request: Request, limit: int) -> bytes:
    """The whole body. Raises TooLarge as soon as it is known to hold more than `limit` bytes."""
    _announced(request, limit)
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        chunks.append(chunk)
    return b"".join(chunks)


def limited(request: Request, limit: int) -> Request:
    """The request, whose body raises TooLarge while it is read beyond `limit` bytes."""
    _announced(request, limit)
    size = 0

    async def receive() -> Any:
        nonlocal size
        message = await request.receive()
        size += len(message.get("body", b""))
        if size > limit:
            raise _too_large(limit)
        return message

    return Request(request.scope, receive)


def json_of(body: bytes) -> Any:
    """The value that `body` holds as JSON (RFC 8259: UTF-8, no NaN). Raises BadInput (`invalid_request`)."""
    try:
        return json.loads(body.decode("utf-8-sig"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise BadInput("The body is not UTF-8.") from None
    except RecursionError:
        raise BadInput("The body is nested too deeply.") from None
    except ValueError as wrong:
        raise BadInput(f"The body is not JSON: {str(wrong).partition(';')[0]}.") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _announced(request: Request, limit: int) -> None:
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and (len(announced) > 18 or int(announced) > limit):
        raise _too_large(limit)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body is larger than {limit >> 20} MiB, which is the most a call may carry.")
