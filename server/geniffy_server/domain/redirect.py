"""Redirect addresses: which an app may register, which it may ask for, and what an answer adds to one."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, quote, urlsplit

from geniffy_server.domain import loopback
from geniffy_server.errors import BadInput

MAX_CHARS: Final = 2_000

# What RFC 3986 lets stand in an address, without `#`: a redirect address has no fragment (RFC 6749 3.1.2).
_LETTERS: Final = re.compile(r"[A-Za-z0-9:/?\[\]@!$&'()*+,;=._~%-]+")
_OWN_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:[^:]", re.IGNORECASE)
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]+\]", re.IGNORECASE)

# Schemes that a browser, or the system, gives a meaning of its own: no app answers to them.
# fmt: off
_NOT_APPS: Final = frozenset((
    "about", "blob", "chrome", "chrome-extension", "cid", "content", "data", "feed", "file", "filesystem",
    "ftp", "ftps", "gopher", "intent", "jar", "javascript", "ldap", "ldaps", "livescript", "mailto", "mhtml",
    "mid", "mocha", "moz-extension", "news", "nntp", "resource", "rtsp", "sftp", "sip", "sips", "sms", "smsto",
    "ssh", "tel", "telnet", "urn", "vbscript", "view-source", "ws", "wss", "xmpp",
))
# fmt: on
_OF_THE_SYSTEM: Final = ("ms-", "search-ms", "search", "shell", "x-apple")  # they start tools of the system


def redirect_uri(raw: object) -> str:
    """An address that an app may register, as it was sent (seed 003; cases 47 and 48).

    https on any host; http on this device's own (`localhost`, `127.0.0.1`, `[::1]`); or a scheme of the app's own.
    Raises BadInput (`invalid_redirect_uri`).
    """
    if not isinstance(raw, str):
        raise _refused("A redirect address must be a string.")
    shown = f"{raw!r:.120}"
    if not 0 < len(raw) <= MAX_CHARS or not _LETTERS.fullmatch(raw):
        raise _refused(
            f"The redirect address {shown} must be a URL of up to {MAX_CHARS:,} characters, without spaces, control "
            "characters or a fragment."
        )
    parts = _split(raw)
    if parts is None or "@" in parts.netloc:
        raise _refused(f"The redirect address {shown} must be a URL without a user's name in it.")
    scheme = parts.scheme
    if scheme in ("http", "https"):
        if parts.netloc and (scheme == "https" or parts.hostname in loopback.NAMES):
            return raw
    elif scheme not in _NOT_APPS and not scheme.startswith(_OF_THE_SYSTEM) and _OWN_SCHEME.match(raw):
        return raw
    raise _refused(
        f"The redirect address {shown} must be https, or http on localhost, 127.0.0.1 or [::1], or a scheme of the "
        "app's own, such as cursor://."
    )


def matches(registered: str, asked: str) -> bool:
    """Whether an app that registered one address may be answered at another.

    They must be the same, letter for letter (RFC 9700 2.1); on this device the port is free (RFC 8252 7.3), and the
    host is any of this device's names for itself (case 47).
    """
    if registered == asked:
        return True
    try:
        ours, theirs = _split(redirect_uri(registered)), _split(redirect_uri(asked))
    except BadInput:
        return False
    return (
        ours is not None
        and theirs is not None
        and ours.scheme == theirs.scheme == "http"
        and (ours.path or "/") == (theirs.path or "/")
        and ours.query == theirs.query
    )


def host_of(address: str) -> str | None:
    """The host, with its port if it is not https's own, that an address leads to; None on the person's own device."""
    parts = _split(address)
    if parts is None or parts.scheme != "https":
        return None
    host = parts.hostname or ""
    return host if parts.port in (None, 443) else f"{host}:{parts.port}"


def with_parameters(address: str, **parameters: str | None) -> str:
    """The address with parameters behind those of its own, which stay as they are (RFC 6749 3.1.2); None adds none."""
    added = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items() if value is not None)
    if "?" not in address:
        return f"{address}?{added}"
    return address + added if address.endswith(("?", "&")) else f"{address}&{added}"


def _split(address: str) -> SplitResult | None:
    """The parts of an address whose host and port can be read; None for another."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    host = parts.netloc.rpartition("@")[2]
    host = host if host.endswith("]") else re.sub(r":[0-9]*\Z", "", host)
    if parts.scheme in ("http", "https") and not _HOST.fullmatch(host):
        return None
    return parts


def _refused(sentence: str) -> BadInput:
    return BadInput(sentence, "invalid_redirect_uri")
