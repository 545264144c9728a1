"""What a call can fail with.

    GeniffyError                     anything below; also a status that has no class of its own
    ├── APIConnectionError           no answer came back
    ├── AuthenticationError          401, 403   the key, or what it may reach
    ├── NotFoundError                404        nothing of that name; or a part of the server that is not switched on
    ├── BadRequestError              400, 409, 413, 422
    │   ├── ChangedError             412        a conditional write found another text
    │   └── UnreadableError          422        saved, but it could not be read
    ├── RateLimitError               429
    ├── UsageLimitError              402
    └── InternalServerError          5xx

The class is chosen by the machine's code, and by the status where the code is not known here (contract 1.7).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final


class GeniffyError(Exception):
    """A call that failed.

    `message` is a sentence for people and `code` a word for programs. `status` is the HTTP status, None when there
    was no answer. `body` is the answer's JSON. `request_id` finds the call in the server's request log; it is also
    at the end of the text of the error. `is_repeated`: the call was sent before and its answer was lost, so what it
    asks for may have been done already.
    """

    is_repeated: bool = False

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        body: Mapping[str, Any] | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.body: dict[str, Any] = dict(body or {})
        self.request_id = request_id

    def __str__(self) -> str:
        return f"{self.message} (request {self.request_id})" if self.request_id else self.message

    @property
    def source(self) -> dict[str, Any] | None:
        """The source that the failed call left behind, with the reason in its `error`; None when it left none."""
        error = self.body.get("error")
        source = error.get("source") if isinstance(error, dict) else None
        return source if isinstance(source, dict) else None


class APIConnectionError(GeniffyError):
    """No answer came back: the server could not be reached, or it took too long. Retried first where that is safe."""


class AuthenticationError(GeniffyError):
    """The key is missing, unknown, revoked or expired (401), or it may not do this (403)."""


class NotFoundError(GeniffyError):
    """Nothing of that name is in this memory (404)."""


class BadRequestError(GeniffyError):
    """What was sent can't be used (400, 413, 422), or what it would make is there already (409)."""


class ChangedError(BadRequestError):
    """A conditional write was refused and nothing was written: the file's text is not the one it named (412)."""


class UnreadableError(BadRequestError):
    """A file or a page was saved but could not be read; `source` is the row it left."""


class RateLimitError(GeniffyError):
    """Too many calls (429). Retried first, after the time the server asked for."""


class UsageLimitError(GeniffyError):
    """The month's allowance is used up (402): saving waits, recall goes on. Not retried."""


class InternalServerError(GeniffyError):
    """The server, or what is behind it, failed (5xx). Retried first where that is safe."""


_BY_CODE: Final[Mapping[str, type[GeniffyError]]] = {
    "bad_key": AuthenticationError,
    "wrong_space": AuthenticationError,
    "not_allowed": AuthenticationError,
    "not_found": NotFoundError,
    "not_switched_on": NotFoundError,
    "changed": ChangedError,
    "unreadable": UnreadableError,
    "busy": RateLimitError,
    "allowance_used": UsageLimitError,
}
_BY_STATUS: Final[Mapping[int, type[GeniffyError]]] = {
    400: BadRequestError,
    401: AuthenticationError,
    402: UsageLimitError,
    403: AuthenticationError,
    404: NotFoundError,
    409: BadRequestError,
    412: ChangedError,
    413: BadRequestError,
    422: BadRequestError,
    429: RateLimitError,
}


def error_of(status: int, body: Mapping[str, Any], request_id: str | None) -> GeniffyError:
    """The error that an answer of `status` with the JSON `body` stands for."""
    error = body.get("error")
    error = error if isinstance(error, dict) else {}
    code = error.get("code")
    code = code if isinstance(code, str) else None
    message = error.get("message") or body.get("detail") or f"The server answered {status}."
    chosen = _BY_CODE.get(code or "") or _BY_STATUS.get(status)
    if chosen is None:
        chosen = InternalServerError if status >= 500 else GeniffyError
    return chosen(str(message), status=status, code=code, body=body, request_id=request_id)


def bad_answer(what: str, *, status: int | None = None, request_id: str | None = None) -> GeniffyError:
    """The error for an answer that is not one of this API's; `what` says what is odd about it."""
    message = f"{what} Check that base_url is the address of a Geniffy server."
    return GeniffyError(message, status=status, code="bad_response", request_id=request_id)
