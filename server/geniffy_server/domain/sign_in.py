"""Signing in on the pages: the rules for passwords and emails, how long a session lasts, how wrong passwords slow."""

from __future__ import annotations

import hashlib
import hmac
import re
import zoneinfo
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from geniffy_server.domain.space import AccountId
from geniffy_server.domain.text import is_blank, keepable
from geniffy_server.errors import BadInput

LEAST_PASSWORD_CHARS: Final = 10
MAX_PASSWORD_CHARS: Final = 1_000
MAX_EMAIL_CHARS: Final = 254  # RFC 5321 4.5.3.1.3, less the brackets
MAX_NAME_CHARS: Final = 100

SESSION_LIFE: Final = timedelta(days=30)  # since it was last used
SESSION_USED_EVERY: Final = timedelta(hours=1)  # how exact that is: a write for each page would cost a sync
SETUP_LIFE: Final = timedelta(hours=24)
TRIES_KEPT: Final = timedelta(days=1)

SESSION_PREFIX: Final = "gnf_web_"
SETUP_PREFIX: Final = "gnf_setup_"

# A part, @, and a host with a dot in it, or a machine's own name: no more can be known without writing to it.
_EMAIL: Final = re.compile(r"[^@\s]{1,64}@[^@\s]+")


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that is signed in, as it is kept: never its token. It ends at `expires_at` unless it is used before."""

    account_id: AccountId
    signed_in_at: datetime
    used_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Tries:
    """Wrong passwords in a row, for one email or from one address."""

    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Slowing:
    """How wrong passwords are slowed: the first `free` cost nothing, each one more doubles the wait up to `most`."""

    free: int
    most: timedelta

    def wait_s(self, tries: Tries | None, now: datetime) -> int:
        """Seconds until the next try may be made; 0 when it may be made now."""
        if tries is None or tries.count < self.free:
            return 0
        wait = min(timedelta(seconds=2 ** min(tries.count - self.free + 1, 30)), self.most)
        left = (tries.last_at + wait - now).total_seconds()
        return max(0, -int(-left // 1))


# An email's wait stays short, or anybody could keep its owner out: 1,440 tries a day open no password of ten
# characters.
OF_EMAIL: Final = Slowing(free=5, most=timedelta(minutes=1))
OF_PEER: Final = Slowing(free=20, most=timedelta(minutes=15))


def tries_key(kind: str, who: str) -> bytes:
    """What tries are counted under: a digest, for in place of an email people also type a password."""
    return hashlib.sha256(f"{kind}\x1f{who}".encode("utf-8", "surrogatepass")).digest()


def form_token(secret: str) -> str:
    """What every form of a browser carries, made of the secret in its cookie: pages of other sites can't know it."""
    return hmac.new(secret.encode(), b"form", hashlib.sha256).hexdigest()


def password_of(raw: str) -> str:
    """A password that may be chosen: 10 to 1,000 characters, of any kind (NIST SP 800-63B 3.1.1.2).

    Raises BadInput (`bad_password`).
    """
    if len(raw) < LEAST_PASSWORD_CHARS:
        raise BadInput(
            f"A password has at least {LEAST_PASSWORD_CHARS} characters; that one has {len(raw)}.", "bad_password"
        )
    if len(raw) > MAX_PASSWORD_CHARS:
        raise BadInput(f"A password has at most {MAX_PASSWORD_CHARS:,} characters.", "bad_password")
    try:
        return keepable(raw, "password")
    except BadInput as unkeepable:
        raise BadInput(unkeepable.sentence, "bad_password") from None


def email_of(raw: str) -> str:
    """An email to sign in with, without blanks around it. Raises BadInput (`bad_email`)."""
    email = raw.strip()
    if len(email) > MAX_EMAIL_CHARS or not _EMAIL.fullmatch(email) or not email.isprintable():
        raise BadInput(f"{email!r:.80} can't be an email; it looks like name@example.com.", "bad_email")
    return email


def person_name_of(raw: str) -> str:
    """A person's own name, on one line. Raises BadInput (`bad_name`)."""
    name = " ".join(keepable(raw, "name").split())
    if is_blank(name) or len(name) > MAX_NAME_CHARS:
        raise BadInput(f"A name has 1 to {MAX_NAME_CHARS} characters.", "bad_name")
    return name


def time_zone_of(raw: str) -> str:
    """A time zone of the IANA database, by its name. Raises BadInput (`bad_time_zone`)."""
    try:
        return zoneinfo.ZoneInfo(raw).key
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise BadInput(f"{raw!r:.60} is no time zone; one looks like Europe/Lisbon.", "bad_time_zone") from None
