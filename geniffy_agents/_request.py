"""What a call asks for, and what comes of it: plain values that no network is needed for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from geniffy_agents.errors import bad_answer

Method: TypeAlias = Literal["GET", "PUT", "POST", "PATCH", "DELETE"]
Params: TypeAlias = Sequence[tuple[str, str | int | float]]

_SHOWN_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to send as multipart, whole, so that it can be sent again; `fields` go before it."""

    name: str
    content: bytes
    media_type: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request. `path` is already percent-encoded; `params` are not."""

    method: Method
    path: str
    params: Params = ()
    json: Mapping[str, Any] | None = None
    upload: Upload | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def may_repeat(self) -> bool:
        """Whether sending it twice does what sending it once does (RFC 9110 9.2.2)."""
        return self.method in ("GET", "PUT", "DELETE")


@dataclass(frozen=True, slots=True)
class Sleep:
    """A pause between two requests."""

    seconds: float


@dataclass(frozen=True)
class Reply:
    """An HTTP answer. `headers` are read in any case of letters."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def request_id(self) -> str | None:
        return self.headers.get("x-request-id")

    @cached_property
    def body(self) -> dict[str, Any]:
        """The JSON object of an answer; `{}` for an empty one. Raises GeniffyError (`bad_response`) for anything else.

        Of an answer that failed, the beginning of what is not JSON becomes the message.
        """
        if not self.content:
            return {}
        try:
            body = json.loads(self.content)
        except ValueError:  # also what is not UTF-8
            body = None
        if isinstance(body, dict):
            return body
        if self.status >= 400:
            text = " ".join(self.content.decode("utf-8", "replace").split())[:_SHOWN_CHARS]
            return {"error": {"code": "bad_response", "message": f"The server answered {self.status}: {text}"}}
        raise bad_answer(
            f"The server answered {self.status} with something that is not a JSON object.",
            status=self.status,
            request_id=self.request_id,
        )


@dataclass(frozen=True, slots=True)
class Unreached:
    """No answer. `opened` is False when no connection was ever made, so that nothing can have arrived."""

    reason: str
    opened: bool


Outcome: TypeAlias = Reply | Unreached
Step: TypeAlias = Request | Sleep
