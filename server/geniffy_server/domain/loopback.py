"""This device's names for itself, which all mean the same."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})  # seed 003, and `[::1]` by decisions 17


def as_called(base_url: str, host: str | None) -> str:
    """The server's address by the name for this device that a caller used in `Host`; else as it is.

    A client asks whether a resource is named as the address that it was given (RFC 9728 3.3), so one that was told
    `localhost` would refuse `127.0.0.1`.
    """
    ours = urlsplit(base_url)
    try:
        theirs = urlsplit(f"//{host or ''}")
        is_here = theirs.hostname in NAMES and (theirs.port or 80) == (ours.port or 80)
    except ValueError:
        return base_url
    if ours.scheme != "http" or ours.hostname not in NAMES or not is_here:
        return base_url
    name = f"[{theirs.hostname}]" if ":" in (theirs.hostname or "") else theirs.hostname
    return f"http://{name}:{ours.port}{ours.path}" if ours.port else f"http://{name}{ours.path}"
