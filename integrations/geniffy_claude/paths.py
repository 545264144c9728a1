"""Paths as Claude writes them and as files are kept under. What could lead out of /memories is refused, however it is
encoded, before anything is asked of the memory."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_to_bytes

from anthropic.tools import ToolError

ROOT: Final = "/memories"
MAX_PATH_CHARS: Final = 255  # seed 001, "The rules for a path"

# What a lenient decoder reads as an ASCII character: more bytes than UTF-8 allows for it (RFC 3629, sections 3 and 10).
_OVERLONG: Final = re.compile(rb"[\xc0\xc1][\x80-\xbf]|\xe0[\x80\x81][\x80-\xbf]|\xf0\x80[\x80\x81][\x80-\xbf]")
_U_ESCAPE: Final = re.compile(r"%u([0-9a-fA-F]{4})")  # no standard has it, but some decoders do


@dataclass(frozen=True, slots=True)
class MemoryPath:
    """A path under /memories: as it was `typed`, which replies repeat, and as it is `kept`, with single slashes."""

    typed: str
    kept: str

    @property
    def is_root(self) -> bool:
        """Whether it is /memories itself: a directory, always there."""
        return self.kept == ROOT

    @property
    def beneath(self) -> str:
        """The prefix of what it holds when it is a directory."""
        return f"{self.kept}/"

    @property
    def may_hold(self) -> bool:
        """Whether a path beneath it is short enough to be kept."""
        return len(self.kept) + len("/x") <= MAX_PATH_CHARS

    @property
    def folders(self) -> Sequence[str]:
        """The directories between /memories and the path itself, as they are kept, outermost first."""
        parts = self.kept.split("/")[2:-1]
        return [f"{ROOT}/{'/'.join(parts[: depth + 1])}" for depth in range(len(parts))]


def memory_path(raw: object) -> MemoryPath:
    """Read a path of a command. Raises ToolError for one that is not under /memories or could lead out of it."""
    if not isinstance(raw, str):
        raise ToolError("A path is text, such as /memories/notes.md.")
    if not raw.startswith(ROOT):
        raise _outside(raw)
    kept = "/" + "/".join(part for part in raw.split("/") if part)
    if len(kept) > MAX_PATH_CHARS:
        raise ToolError(f"A path has up to {MAX_PATH_CHARS} characters, and this one has {len(kept):,}.")
    forms = list(_forms(kept))
    if any("\\" in form or not {".", ".."}.isdisjoint(form.split("/")) for form in forms):
        raise ToolError(f"Path {raw} would escape {ROOT} directory")
    if any(unicodedata.category(character) in ("Cc", "Cs") for form in forms for character in form):
        raise ToolError(f"A path holds no control characters: use a plain one, such as {ROOT}/notes.md.")
    if kept != ROOT and not kept.startswith(f"{ROOT}/"):
        raise _outside(raw)
    return MemoryPath(raw, kept)


def _forms(path: str) -> Iterator[str]:
    """The path, and what others may read it as: percent-decoded again and again, with look-alikes made plain."""
    seen = ""
    while path != seen:
        seen = path
        yield path
        path = unicodedata.normalize("NFKC", path)
        yield path
        path = _decoded(path)


def _decoded(path: str) -> str:
    path = _U_ESCAPE.sub(lambda found: chr(int(found[1], 16)), path)
    raw = unquote_to_bytes(path.encode("utf-8", "surrogatepass"))
    return _OVERLONG.sub(lambda found: bytes([_ascii(found[0])]), raw).decode("utf-8", "replace")


def _ascii(overlong: bytes) -> int:
    """The character that overlong UTF-8 stands for: the bits of its last two bytes."""
    return ((overlong[-2] & 0b1) << 6) | (overlong[-1] & 0b111111)


def _outside(raw: str) -> ToolError:
    return ToolError(f"Path must start with {ROOT}, got: {raw}")
