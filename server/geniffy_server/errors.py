"""What the server refuses or fails at, each with a machine's code and a person's sentence.

    ServerError
    ├── BadInput           422   invalid_request bad_path bad_external_id bad_space bad_labels bad_date unreadable
    │   ├── TooLong        413   too_long
    │   └── TooLarge       413   too_large
    ├── NotSignedIn        401   bad_key
    ├── NotAllowed         403   wrong_space not_allowed
    ├── NotFound           404   not_found not_switched_on
    ├── Conflict           409   conflict
    ├── Changed            412   changed
    ├── Locked             423   paid_plan_required
    ├── Busy               429   busy
    └── Unavailable        503   memory_unavailable

Codes and statuses: the wire contract, section 1.7. Standard library only, so every layer may raise them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class ServerError(Exception):
    """A refusal or failure that its caller is told about.

    `code` is for programs and `sentence` for people and models: one plain sentence, what happened and what to do.
    `extra` is merged into the `error` object on the wire (such as the failed `source`).
    """

    status: ClassVar[int] = 500
    default_code: ClassVar[str] = "internal"

    def __init__(self, sentence: str, code: str | None = None, *, extra: Mapping[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code or self.default_code
        self.extra: dict[str, Any] = dict(extra or {})

    def envelope(self) -> dict[str, Any]:
        """The error as every HTTP answer shows it (contract 1.7)."""
        return {"error": {**self.extra, "code": self.code, "message": self.sentence}}


class BadInput(ServerError):
    """What was sent can't be used; nothing was stored."""

    status = 422
    default_code = "invalid_request"


class TooLong(BadInput):
    """A text holds more characters than its limit."""

    status = 413
    default_code = "too_long"


class TooLarge(BadInput):
    """A body holds more bytes than its limit."""

    status = 413
    default_code = "too_large"


class NotSignedIn(ServerError):
    """No key, or one that is unknown, revoked or expired."""

    status = 401
    default_code = "bad_key"


class NotAllowed(ServerError):
    """The key is good, but not for this."""

    status = 403
    default_code = "not_allowed"


class NotFound(ServerError):
    """Nothing of that name is in this memory."""

    status = 404
    default_code = "not_found"


class Conflict(ServerError):
    """What the call would make is there already."""

    status = 409
    default_code = "conflict"


class Changed(ServerError):
    """A conditional write found another version than it named."""

    status = 412
    default_code = "changed"


class Locked(ServerError):
    """The operator or the person locked this for the Omi tools; other doors don't ask."""

    status = 423
    default_code = "paid_plan_required"


class Busy(ServerError):
    """Over the key's rate, or too much at once; `retry_after_s` says when to come back."""

    status = 429
    default_code = "busy"

    def __init__(self, sentence: str, *, retry_after_s: int) -> None:
        super().__init__(sentence)
        self.retry_after_s = retry_after_s


class Unavailable(ServerError):
    """The store or a model did not answer."""

    status = 503
    default_code = "memory_unavailable"
