"""Memories as lines for a prompt."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from geniffy_server.domain.answer import NOTHING_STORED
from geniffy_server.domain.instants import said_on
from geniffy_server.domain.memory import Memory


def render(memories: Sequence[Memory], *, with_sources: bool = True) -> str:
    """One memory a line, `- <text>  [<where>, <YYYY-MM-DD>]`; without its bracket when sources are not wanted.

    `<where>` is the source's given title, a file's path, or the word for its kind; the date is the one it was said on,
    in the zone it was said in. What was said can't begin a line of its own. The fixed sentence when there are none.
    """
    if not memories:
        return NOTHING_STORED
    return "\n".join(_line(memory, with_sources=with_sources) for memory in memories)


def _line(memory: Memory, *, with_sources: bool) -> str:
    text = f"- {_on_one_line(memory.text)}"
    if not with_sources:
        return text
    return f"{text}  [{_where(memory)}, {said_on(memory.said_at).isoformat()}]"


def _where(memory: Memory) -> str:
    source = memory.source
    if source is None:
        return "note"
    return _on_one_line(source.title) if source.title_given or source.kind == "file" else source.kind


def _on_one_line(text: str) -> str:
    """Every run of blanks, line ends and control characters becomes one blank."""
    return " ".join("".join(" " if unicodedata.category(ch) in ("Cc", "Zl", "Zp") else ch for ch in text).split())
