"""Apps that sign in for a person: what registers, what a person is asked, and what is connected then."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, NewType

from geniffy_server.domain.space import AccountId
from geniffy_server.domain.text import one_line

ClientId = NewType("ClientId", str)
ConnectionId = NewType("ConnectionId", int)

Grant = Literal["read", "write"]
"""What an app may do: read, or read and also save, correct and forget. Writing includes reading (seed 003)."""

AuthMethod = Literal["none", "client_secret_basic", "client_secret_post"]
"""How a client proves itself where it asks for tokens (RFC 7591 2)."""

AUTH_METHODS: Final[tuple[AuthMethod, ...]] = ("none", "client_secret_basic", "client_secret_post")

RESOURCES: Final[tuple[str, ...]] = ("/mcp", "/mcp/omi")
"""What tokens are good for, as paths beneath the public URL; the first is meant where an app names none."""

MAX_APP_CHARS: Final = 60

ACCESS_PREFIX: Final = "gnf_at_"
REFRESH_PREFIX: Final = "gnf_rt_"

ACCESS_LIFE: Final = timedelta(hours=1)  # seed 003, "Tokens", like the next
REFRESH_LIFE: Final = timedelta(days=90)
CODE_LIFE: Final = timedelta(seconds=60)  # RFC 6749 4.1.2 allows ten minutes; clients need a second
REQUEST_LIFE: Final = timedelta(minutes=10)
UNUSED_CLIENT_LIFE: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Client:
    """An app as it registered itself (RFC 7591). `secret_hash` is None for a public client.

    It is forgotten at `expires_at`, unless a connection or a waiting request is of it. One whose connection was ended
    stays for as long as that would have lasted: the app may ask again under the same id.
    """

    id: ClientId
    name: str | None
    redirect_uris: Sequence[str]
    auth_method: AuthMethod
    secret_hash: bytes | None
    registered_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class App:
    """An app as people are shown it.

    `host` is where it sends people back, None for an app on their own device. `is_known` when that host named it; else
    it chose its name itself.
    """

    name: str
    is_known: bool
    host: str | None


@dataclass(frozen=True, slots=True)
class AppRequest:
    """What an app asks a person for, checked: kept until they decide, and then in the code.

    `names_redirect` when the app sent `redirect_uri`, which it must then repeat for its tokens (RFC 6749 4.1.3).
    `offers` is the most that the person may allow. `challenge` is of the method S256 (RFC 7636). `resource` is one of
    RESOURCES.
    """

    client_id: ClientId
    app: App
    redirect_uri: str
    names_redirect: bool
    state: str | None
    challenge: str
    offers: Grant
    resource: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Code:
    """An authorization code as it is kept: never the code itself. `connection_id` is what it was traded for."""

    request: AppRequest
    account_id: AccountId
    grant: Grant
    expires_at: datetime
    connection_id: ConnectionId | None


@dataclass(frozen=True, slots=True)
class Connection:
    """An app that a person connected. It ends at `expires_at` unless its refresh token is used before."""

    id: ConnectionId
    account_id: AccountId
    client_id: ClientId
    app: App
    grant: Grant
    resource: str
    connected_at: datetime
    last_used_at: datetime | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Token:
    """An access or refresh token as it is kept: never the token itself. A refresh token works once.

    `used_at` is when a refresh token was first used, None before.
    """

    kind: Literal["access", "refresh"]
    connection: Connection
    grant: Grant
    expires_at: datetime
    used_at: datetime | None


def app_name(raw: str) -> str | None:
    """An app's own name on one line: up to 60 characters that can be seen; None when none is left."""
    return one_line("".join(ch for ch in raw[:400] if ch.isprintable()), MAX_APP_CHARS) or None


def new_secret(prefix: str = "") -> str:
    """A fresh token, code or id: the prefix and 43 characters, 32 random bytes in url-safe base64."""
    return prefix + secrets.token_urlsafe(32)


def includes(held: Grant, asked: Grant) -> bool:
    """Whether who holds `held` may have `asked`."""
    return held == "write" or asked == "read"
