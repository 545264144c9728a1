"""Proof Key for Code Exchange, by the one method that is accepted: S256 (RFC 7636; seed 003)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import Final

METHOD: Final = "S256"
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")  # a SHA-256 in base64 for URLs, RFC 7636 4.2
_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")  # RFC 7636 4.1


def is_challenge(raw: str) -> bool:
    """Whether `raw` can be the challenge of some verifier."""
    return _CHALLENGE.fullmatch(raw) is not None


def proves(verifier: str, challenge: str) -> bool:
    """Whether the challenge was made from this verifier (RFC 7636 4.6)."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return hmac.compare_digest(base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii"), challenge)
