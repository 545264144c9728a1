"""The rules of what apps ask for, pure: scopes, resources, and what people are shown of an app.

Those of redirect addresses and of PKCE are in `domain.redirect` and `domain.pkce`: deciding needs them too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from geniffy_server.domain import loopback
from geniffy_server.domain.connection import RESOURCES, App, Grant
from geniffy_server.domain.redirect import host_of
from geniffy_server.errors import BadInput

READ: Final = "memory:read"
WRITE: Final = "memory:write"
SCOPES: Final = (READ, WRITE)

NO_NAME: Final = "An app with no name"

# Who sends people back to these hosts is who it says: nobody else answers there. The redirect of a browser editor,
# such as vscode.dev's, is not among them, for it hands what it gets to any app on the device.
_KNOWN: Final[Mapping[str, str]] = {
    "claude.ai": "Claude",
    "claude.com": "Claude",
    "chatgpt.com": "ChatGPT",
    "callback.mistral.ai": "Le Chat",
    "www.perplexity.ai": "Perplexity",
    "enterprise.perplexity.ai": "Perplexity",
}
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def offered(scope: str | None) -> Grant:
    """The most that a person is asked to allow (seed 003, "Scopes").

    An app that asks for neither scope, or only for scopes of its own, is offered both; writing includes reading.
    """
    return "read" if set((scope or "").split()) & set(SCOPES) == {READ} else "write"


def narrowed(scope: str | None) -> Grant | None:
    """What a refreshed access token is to allow; None when that is left as it was (RFC 6749 6)."""
    asked = set((scope or "").split()) & set(SCOPES)
    return None if not asked else "write" if WRITE in asked else "read"


def scope_of(grant: Grant) -> str:
    """What a token allows, in words of the wire."""
    return f"{READ} {WRITE}" if grant == "write" else READ


def resource_of(named: Sequence[str], base_url: str) -> str | None:
    """The one of RESOURCES that an app names by its address (RFC 8707 2); None when it names none.

    A slash at the end makes no difference, nor does the case of scheme and host, nor which name this device is called
    by; the address of the whole server means the first one. Raises BadInput (`invalid_target`) for any other address,
    and for two of them.
    """
    ours = {_canonical(base_url + path): path for path in RESOURCES} | {_canonical(base_url): RESOURCES[0]}
    found = {ours.get(_canonical(address)) for address in named}
    if None in found or len(found) > 1:
        known = ", ".join(base_url + path for path in RESOURCES)
        raise BadInput(f"resource must be one of this server's: {known}.", "invalid_target")
    return found.pop() if found else None


def app_of(name: str | None, redirect_uri: str) -> App:
    """The app as people are shown it: by where it sends them back, else by the name it gave (seed 003)."""
    host = host_of(redirect_uri)
    known = _KNOWN.get(host or "")
    return App(known or name or NO_NAME, known is not None, host)


def _canonical(address: str) -> tuple[str, str, int | None, str, str] | None:
    """An address as far as it matters; None when it can't name a resource."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if "#" in address or "@" in parts.netloc or not parts.hostname:
        return None
    scheme = parts.scheme
    host = "localhost" if scheme == "http" and parts.hostname in loopback.NAMES else parts.hostname
    return scheme, host, port or _DEFAULT_PORTS.get(scheme), parts.path.rstrip("/"), parts.query
