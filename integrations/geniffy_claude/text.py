"""What a command shows of a text or a directory, and what an edit makes of a text: pure, word for word as Claude was
taught by Anthropic's own local tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from anthropic.tools import ToolError

from geniffy_agents.types import FileInfo
from geniffy_claude.paths import MemoryPath

MAX_LINES: Final = 999_999
SHOWN_AROUND: Final = 2  # lines on either side of a change
LEVELS: Final = 2


def file_view(path: MemoryPath, text: str, view_range: object) -> str:
    """A file with its lines numbered, or those of `view_range`: the first and the last, -1 for the end."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {path.typed} exceeds maximum line limit of {MAX_LINES:,} lines.")
    first, last = _line_numbers(view_range) or (1, -1)
    start = max(1, first) - 1
    shown = lines[start : None if last == -1 else last]
    return f"Here's the content of {path.typed} with line numbers:\n" + _numbered(shown, start + 1)


def directory_view(path: MemoryPath, files: Iterable[FileInfo]) -> str:
    """What a directory holds two levels deep, without hidden items; a directory's size is all that it holds."""
    sizes: Counter[tuple[tuple[str, ...], bool]] = Counter()
    total = 0
    for file in files:
        total += file.size
        parts = tuple(file.path.removeprefix(path.beneath).split("/"))
        for level in range(1, min(LEVELS, len(parts)) + 1):
            sizes[parts[:level], level < len(parts)] += file.size
    lines = [f"{_size(total)}\t{path.typed}"]
    for (parts, is_directory), size in sorted(sizes.items()):
        if not any(part.startswith(".") for part in parts):
            lines.append(f"{_size(size)}\t{path.typed}/{'/'.join(parts)}{'/' if is_directory else ''}")
    heading = f"Here're the files and directories up to {LEVELS} levels deep in {path.typed}, excluding hidden items:"
    return "\n".join([heading, *lines])


def replaced(path: MemoryPath, text: str, old: str, new: str) -> tuple[str, str]:
    """The text with its one `old` made `new`, and the lines around the change. Raises ToolError unless there is one."""
    count = text.count(old)
    if count == 0:
        raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path.typed}.")
    if count > 1:
        numbers = ", ".join(map(str, _lines_with(text, old)))
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {numbers}. "
            "Please ensure it is unique"
        )
    changed = text.replace(old, new)
    at = text.count("\n", 0, text.index(old))
    start = max(0, at - SHOWN_AROUND)
    return changed, _numbered(changed.split("\n")[start : at + SHOWN_AROUND + 1], start + 1)


def inserted(text: str, line: int, addition: str) -> str:
    """The text with `addition` after its line number `line`, 0 for its beginning; it ends with a newline then."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        raise ToolError(f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}].")
    lines.insert(line, addition.rstrip("\n"))
    changed = "\n".join(lines)
    return changed if changed.endswith("\n") else f"{changed}\n"


def is_replaced(before: str, now: str, old: str, new: str) -> bool:
    """Whether `now`, which others wrote, is as if the one `old` of `before` had been made `new`."""
    if old not in now:
        return not new or now.count(new) > before.count(new)
    return new in now and now.count(old) == new.count(old)


def is_inserted(before: str, now: str, addition: str) -> bool:
    """Whether `now`, which others wrote, has the lines of `addition` once more than `before`."""
    return _times(now, addition) > _times(before, addition)


def _times(text: str, addition: str) -> int:
    lines, added = text.split("\n"), addition.rstrip("\n").split("\n")
    return sum(lines[at : at + len(added)] == added for at in range(len(lines)))


def _line_numbers(view_range: object) -> tuple[int, int] | None:
    """The two numbers of a range; None for the whole file, as without a range or with one that has not two."""
    if not view_range:
        return None
    if not isinstance(view_range, list | tuple) or not all(isinstance(number, int) for number in view_range):
        raise ToolError("view_range is the first and the last line to show, such as [1, 20], with -1 for the end.")
    return (view_range[0], view_range[1]) if len(view_range) == 2 else None


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))


def _lines_with(text: str, old: str) -> Iterator[int]:
    """The number of the line that each occurrence begins in; occurrences may overlap."""
    line, behind, at = 1, 0, text.find(old)
    while at != -1:
        line += text.count("\n", behind, at)
        yield line
        behind, at = at, text.find(old, at + 1)


def _size(characters: int) -> str:
    """A size in powers of 1024: 0B, 512B, 1.5K, 2M."""
    power = min(max(0, characters.bit_length() - 1) // 10, 3)
    number = characters / 1024**power
    return f"{number:.0f}{'BKMG'[power]}" if number.is_integer() else f"{number:.1f}{'BKMG'[power]}"
