"""What text may be kept: any characters but NUL and half a surrogate pair."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from geniffy_server.errors import BadInput, TooLong

MAX_TEXT_CHARS: Final = 2_000_000  # a note or a file; seed 001, "The rules for a path"
MAX_TITLE_CHARS: Final = 500  # longer is cut, contract 1.13
MAX_EXTERNAL_ID_CHARS: Final = 512  # contract 1.13: at least `file:` and 255

# PostgreSQL refuses NUL, SQLite's length() stops at it, and no UTF-8 encoder takes half of a surrogate pair.
_UNKEEPABLE: Final = re.compile("[\x00\ud800-\udfff]")


def keepable(text: str, what: str) -> str:
    """Return `text` as it is, when every character of it can be kept exactly.

    Raises BadInput (`invalid_request`) when it holds NUL or half of a surrogate pair (seed 001).
    """
    found = _UNKEEPABLE.search(text)
    if found is None:
        return text
    name = "a NUL character" if found.group() == "\x00" else "half of a surrogate pair"
    raise BadInput(f"The {what} holds {name} at character {found.start()}, which can't be kept exactly; leave it out.")


def bounded(text: str, what: str, limit: int = MAX_TEXT_CHARS) -> str:
    """Return keepable `text` of at most `limit` code points; raises TooLong (`too_long`) beyond it."""
    if len(text) > limit:
        raise TooLong(f"The {what} has {len(text):,} characters; the limit is {limit:,}.")
    return keepable(text, what)


def is_blank(text: str) -> bool:
    """Whether nothing in `text` can be seen: only spaces, controls and format characters."""
    return not any(not ch.isspace() and unicodedata.category(ch) not in ("Cc", "Cf") for ch in text)


def one_line(text: str, limit: int = 80) -> str:
    """The beginning of `text` on one line, at most `limit` characters, cut at a word and closed by `...`."""
    line = " ".join(text[: limit * 8].split())
    if len(line) <= limit and len(text) <= limit * 8:
        return line
    head = line[: limit - 3]
    cut = head.rfind(" ")
    return (head[:cut] if cut > limit // 2 else head).rstrip() + "..."


_FOLD_MARKS: Final = re.compile(r"[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]")


def folded(text: str) -> str:
    """`text` as search sees it: NFKC, case folded, accents and Hebrew and Arabic points removed.

    Only for keys beside the text, never for the text itself: what was said is kept as it was typed.
    """
    return unicodedata.normalize("NFC", _FOLD_MARKS.sub("", unicodedata.normalize("NFKD", text))).casefold()
