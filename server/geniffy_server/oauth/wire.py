"""Requests and answers of the authorization server: parameters read strictly, failures as OAuth names them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from geniffy_server.errors import BadInput, Busy, NotSignedIn, ServerError, TooLarge, Unavailable
from geniffy_server.ports import Ports
from geniffy_server.request_log import RETRY_AFTER_S

MAX_BODY_BYTES: Final = 64 << 10  # twenty redirect addresses of the longest kind take 40 kB
MAX_PARAMETERS: Final = 50

NO_STORE: Final = {"Cache-Control": "no-store", "Pragma": "no-cache"}  # RFC 6749 5.1
_FORM: Final = "application/x-www-form-urlencoded"
_MAY_REPEAT: Final = frozenset({"resource"})  # RFC 8707 2
_BROKEN_ESCAPE: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_UNSAYABLE: Final = re.compile(r"[^\x20-\x21\x23-\x5b\x5d-\x7e]")  # in error_description, RFC 6749 5.2

Answer = Callable[[Request, Ports], Awaitable[Response]]


class Parameters:
    """The parameters of a request by name. One without a value is as good as left out (RFC 6749 3.1)."""

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        self._values = values

    def get(self, name: str) -> str | None:
        """The value; None when it was left out."""
        values = self._values.get(name)
        return values[0] if values else None

    def every(self, name: str) -> Sequence[str]:
        """The values of a parameter that may be repeated."""
        return self._values.get(name, ())


def parameters(raw: bytes) -> Parameters:
    """Read a query or a form. Raises BadInput (`invalid_request`), also for one that is sent twice (RFC 6749 3.1)."""
    read, faults = parameters_and_faults(raw)
    for fault in faults.values():
        raise fault
    return read


def parameters_and_faults(raw: bytes) -> tuple[Parameters, Mapping[str, BadInput]]:
    """What can be read of a query or a form, and what is wrong with it by the parameter's name.

    The name is empty for what is wrong with a name, or with all of it.
    """
    values: dict[str, list[str]] = {}
    faults: dict[str, BadInput] = {}
    fields = [field for field in raw.split(b"&") if field]
    if len(fields) > MAX_PARAMETERS:
        faults[""] = BadInput(f"There are more than {MAX_PARAMETERS} parameters.")
    for field in fields[:MAX_PARAMETERS]:
        raw_name, _, raw_value = field.partition(b"=")
        name = ""
        try:
            name = _plain(raw_name)
            value = _plain(raw_value)
        except BadInput as fault:
            faults.setdefault(name, fault)
            continue
        if value and name in values and name not in _MAY_REPEAT:
            faults.setdefault(name, BadInput(f"The parameter {name!r:.60} was sent more than once."))
        elif value:
            values.setdefault(name, []).append(value)
    return Parameters(values), faults


async def form(request: Request) -> Parameters:
    """The parameters in a body. Raises BadInput, also when there are some in the address (RFC 6749 2.3.1)."""
    if request.scope.get("query_string"):
        raise BadInput("Send every parameter in the body, never in the address.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _FORM:
        raise BadInput(f"Send the body as {_FORM}.")
    return parameters(await body(request))


async def body(request: Request) -> bytes:
    """The whole body. Raises TooLarge over 64 KiB."""
    read = bytearray()
    async for chunk in request.stream():
        read += chunk
        if len(read) > MAX_BODY_BYTES:
            raise TooLarge(f"The body has more than {MAX_BODY_BYTES:,} bytes.", "invalid_request")
    return bytes(read)


def ports_of(request: Request) -> Ports:
    """What the app's lifespan opened. Raises Unavailable while it is not there."""
    ports: Ports | None = getattr(request.app.state, "ports", None)
    if ports is None:
        raise Unavailable("The server is starting or stopping; try again in a moment.")
    return ports


def json_endpoint(route: str, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that answers JSON, never to be stored; `route` is what the request log calls it."""

    async def endpoint(request: Request) -> Response:
        state = request.scope.setdefault("state", {})
        state["route"] = route
        try:
            response = await answer(request, ports_of(request))
        except ServerError as error:
            state["outcome"] = error_code(error)
            response = _refused(request, error)
        response.headers.update(NO_STORE)
        return response

    return endpoint


def error_code(error: ServerError) -> str:
    """What OAuth calls a failure (RFC 6749 4.1.2.1 and 5.2)."""
    if isinstance(error, Busy | Unavailable):
        return "temporarily_unavailable"
    return "server_error" if error.status >= 500 else error.code


def described(error: ServerError) -> str:
    """A failure's sentence in the characters that `error_description` may have."""
    return _UNSAYABLE.sub("'", error.sentence)


def retry_after(error: ServerError) -> dict[str, str]:
    """When to come back, for a failure that passes."""
    if isinstance(error, Busy):
        return {"Retry-After": str(error.retry_after_s)}
    return {"Retry-After": str(RETRY_AFTER_S)} if error.status >= 500 else {}


def _refused(request: Request, error: ServerError) -> Response:
    told: dict[str, Any] = {"error": error_code(error), "error_description": described(error)}
    status = 400 if error.status == BadInput.status else error.status
    headers = retry_after(error)
    if isinstance(error, NotSignedIn) and "authorization" in request.headers:
        headers["WWW-Authenticate"] = 'Basic realm="oauth"'  # RFC 6749 5.2
    return JSONResponse(told, status, headers=headers)


def _plain(part: bytes) -> str:
    try:
        part.decode("ascii")
        if _BROKEN_ESCAPE.search(part):
            raise BadInput("The parameters are not percent-encoded UTF-8.")
        plain = unquote_to_bytes(part.replace(b"+", b" ")).decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("The parameters are not percent-encoded UTF-8.") from None
    if _CONTROL.search(plain):
        raise BadInput("A parameter holds a control character; leave it out.")
    return plain
