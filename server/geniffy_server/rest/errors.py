"""Every failure in one envelope (contract 1.7): never a framework's body, never a redirect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match

from geniffy_server.errors import BadInput, Busy, ServerError
from geniffy_server.request_log import RETRY_AFTER_S
from geniffy_server.rest.reply import reply

_CODES: Final[Mapping[int, str]] = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}
_NEEDED: Final[Mapping[str, str]] = {
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a smaller number",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


def add_error_handlers(app: FastAPI) -> None:
    """Render what routes raise. What is not caught here reaches `RequestLog`, which answers 500."""
    app.add_exception_handler(ServerError, _server_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_exception)
    app.add_exception_handler(ClientDisconnect, _gone)


def refused(request: Request, error: ServerError) -> Response:
    """The answer for an error, with what the request log should know."""
    return _refused(request, error.status, error.code, error.envelope(), _headers(error))


def sentence_of(problem: Mapping[str, Any], place: Sequence[str | int]) -> str:
    """A plain sentence for one of pydantic's problems: which field, what it must be, what was sent.

    `place` names the field from the outside in; it is empty for the whole body.
    """
    name = f"{'.'.join(map(str, place))!r:.90}" if place else "The body"
    kind = str(problem["type"])
    if kind == "missing":
        return f"{name} is missing."
    needed = _NEEDED.get(kind)
    if needed is None:
        return f"{name} can't be used: {problem['msg']}."
    return f"{name} {needed}, not {_shown(problem.get('input'))}."


async def _server_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServerError)
    return refused(request, error)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problem = error.errors()[0]
    return refused(request, BadInput(sentence_of(problem, problem["loc"][1:])))  # first is "query", "path" and such


async def _http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    where = f"{request.method} {request.url.path}"
    if error.status_code == 404:
        sentence = f"There is nothing at {where:.300}."
    elif error.status_code == 405:
        allowed = _allowed(request)
        sentence = f"{where:.300} is not offered; use {' or '.join(allowed)}."
        envelope = ServerError(sentence, _CODES[405]).envelope()
        return _refused(request, 405, _CODES[405], envelope, {"Allow": ", ".join(allowed)})
    elif error.status_code == 413:
        sentence = "The body is too large."
    else:
        # The framework's parsers raise 400 for a body that they can't read.
        return refused(request, BadInput(f"The request can't be read: {error.detail}"))
    code = _CODES[error.status_code]
    return _refused(request, error.status_code, code, ServerError(sentence, code).envelope(), {})


async def _gone(request: Request, error: Exception) -> Response:
    return refused(request, BadInput("The connection was closed before the whole body was there."))


def _refused(
    request: Request, status: int, code: str, envelope: Mapping[str, Any], headers: Mapping[str, str]
) -> Response:
    request.scope.setdefault("state", {})["outcome"] = code
    return reply(envelope, status, headers)


def _headers(error: ServerError) -> dict[str, str]:
    if isinstance(error, Busy):
        return {"Retry-After": str(min(max(error.retry_after_s, 0), 60))}
    if error.status >= 500:
        return {"Retry-After": str(RETRY_AFTER_S)}
    return {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}


def _allowed(request: Request) -> list[str]:
    """The methods of every route at this path (RFC 9110 15.5.6): the framework names those of the first one alone."""
    methods: set[str] = set()
    for route in request.app.router.routes:
        match, _ = route.matches(request.scope)
        if match is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    return sorted(methods)


def _shown(raw: Any) -> str:
    if raw is None or isinstance(raw, bool):
        return {None: "null", True: "true", False: "false"}[raw]
    if isinstance(raw, dict | list):
        return "an object" if isinstance(raw, dict) else "a list"
    if isinstance(raw, int):
        return str(raw) if abs(raw) < 10**20 else "a number this large"
    return f"{raw!r:.60}"
