"""How the command line shows results to a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from geniffy_agents.types import Answer, FilePage, Memory, Source

# What is remembered comes from anywhere; none of it may move a terminal's cursor or change its colours.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """`text` with control characters, but for tabs and line ends, made visible."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text.replace("\r\n", "\n"))


def shown_memories(memories: Sequence[Memory]) -> str:
    """One memory a line with its id, and beneath it what is known about it."""
    if not memories:
        return "Nothing found."
    width = max(len(str(memory.id)) for memory in memories)
    lines: list[str] = []
    for memory in memories:
        lines.append(f"{memory.id:>{width}}  {' '.join(memory.text.split())}")
        lines.append(f"{'':{width}}  {_about(memory)}")
    return plain("\n".join(lines))


def shown_answer(answer: Answer) -> str:
    """The answer with the lines it rests on, or the sentence that says there is none."""
    if answer.answer is None:
        return plain(str(answer) or "Nothing stored answers that.")
    lines = [answer.answer]
    if answer.clash:
        lines.append("These disagree:")
    lines += [f"  [{memory.id}] {memory.quote or memory.text}" for memory in answer.memories]
    return plain("\n".join(lines))


def shown_source(source: Source) -> str:
    """What became of something that was added."""
    if source.status == "learned":
        count = source.facts or 0
        return plain(f"Learned {count} {'memory' if count == 1 else 'memories'} from {source.id} ({source.title}).")
    if source.status == "failed":
        return plain(f"Nothing could be learned from {source.id} ({source.title}): {source.error}")
    return plain(f"Added {source.id} ({source.title}); it is {source.status}.")


def shown_files(page: FilePage) -> str:
    """One file a line: characters, when it was written, path."""
    if not page.files:
        return "No files."
    width = max(len(f"{file.size:,}") for file in page.files)
    return plain("\n".join(f"{file.size:>{width},}  {_day(file.updated_at)}  {file.path}" for file in page.files))


def _about(memory: Memory) -> str:
    parts = [memory.kind]
    if memory.about:
        parts.append(f"about {memory.about}")
    parts.append(f"said {_day(memory.said_at or memory.learned_at)}")
    if memory.source is not None and memory.source.title:
        parts.append(f"in {memory.source.title}")
    if memory.status != "current":
        parts.append(memory.status)
    return ", ".join(parts)


def _day(instant: str | None) -> str:
    return (instant or "").partition("T")[0] or "-"
