"""Files kept exactly: the rules for a path (seed 001, "The rules for a path") and what a file is."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NewType

from geniffy_server.domain.source import FILE_PREFIX, SourceId
from geniffy_server.errors import BadInput

FilePath = NewType("FilePath", str)
PathPrefix = NewType("PathPrefix", str)

MAX_PATH_CHARS: Final = 255
DELETED_PER_CALL: Final = 100  # seed 001, "Delete"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file as a list shows it. `size` is in code points."""

    path: FilePath
    size: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class File:
    """A file with its text, exactly as written, and the source it is learned from."""

    path: FilePath
    text: str
    size: int
    updated_at: datetime
    source_id: SourceId


def file_path(raw: str) -> FilePath:
    """Return `raw` as a file's path; it doesn't end in a slash. Raises BadInput (`bad_path`)."""
    return FilePath(_checked(raw, is_prefix=False))


def path_prefix(raw: str) -> PathPrefix:
    """Return `raw` as a prefix of paths: plain characters, and it may end in a slash. Raises BadInput (`bad_path`)."""
    return PathPrefix(_checked(raw, is_prefix=True))


def external_id_of_path(path: FilePath) -> str:
    """The external id under which a file's source is kept."""
    return FILE_PREFIX + path


def moved(path: FilePath, origin: FilePath, destination: FilePath) -> FilePath:
    """Where `path` goes when `origin`, itself or a directory above it, moves to `destination`."""
    return file_path(destination + path[len(origin) :])


def after_prefix(prefix: str) -> str | None:
    """The smallest string above every string that starts with `prefix`, in code-point order; None if none is.

    SQL's LIKE folds ASCII case in SQLite, so a prefix is the range `prefix <= path < after_prefix(prefix)`.
    """
    while prefix:
        last = ord(prefix[-1])
        if last < 0x10FFFF:
            return prefix[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)
        prefix = prefix[:-1]
    return None


def etag(text: str) -> str:
    """The SHA-256 of a file's text in UTF-8, in hexadecimal (decisions 13)."""
    return hashlib.sha256(text.encode()).hexdigest()


def _checked(raw: str, *, is_prefix: bool) -> str:
    what = "prefix" if is_prefix else "path"
    if not raw.startswith("/"):
        raise _bad(f"A {what} starts with '/', such as /memories/notes.md; {raw!r:.90} does not.")
    if len(raw) > MAX_PATH_CHARS:
        raise _bad(f"A {what} has up to {MAX_PATH_CHARS} characters; this one has {len(raw):,}.")
    if "\\" in raw:
        raise _bad(f"A {what} holds no backslash; use '/' between its parts.")
    if any(unicodedata.category(ch) in ("Cc", "Cs") for ch in raw):
        raise _bad(f"A {what} holds no control character.")
    parts = raw[1:].split("/")
    if is_prefix and parts[-1] == "":
        parts.pop()
    elif parts[-1] == "":
        raise _bad("A file's path doesn't end with '/'.")
    if any(part in ("", ".", "..") for part in parts):
        raise _bad(f"No part of a {what} is empty, '.' or '..'.")
    return raw


def _bad(sentence: str) -> BadInput:
    return BadInput(sentence, "bad_path")
