"""The six commands of Claude's memory tool over files kept exactly, each written once, for either client.

Every edit is written only over the text that it was made from: when someone else wrote in between, it is made again
from what they wrote. Everything refused is a ToolError whose sentence Claude reads.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from typing import Final

from anthropic.tools import ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from geniffy_agents.errors import (
    APIConnectionError,
    BadRequestError,
    ChangedError,
    InternalServerError,
    NotFoundError,
)
from geniffy_agents.flows import FilesCalls, Flow, Sleep, gathered
from geniffy_agents.types import File
from geniffy_claude.paths import ROOT, MemoryPath, memory_path
from geniffy_claude.text import directory_view, file_view, inserted, is_inserted, is_replaced, replaced

LABELS: Final = {"channel": "claude-memory"}
"""On every file that Claude creates. An edit leaves a file's labels as they are."""
PAGE: Final = 200
ATTEMPTS: Final = 40
"""How often an edit is made when others keep writing to the same file: each time, one of them got through."""
FIRST_PAUSE_S: Final = 0.02
LONGEST_PAUSE_S: Final = 1.0


def view(files: FilesCalls, command: BetaMemoryTool20250818ViewCommand) -> Flow[str]:
    """A file's lines, or what a directory holds."""
    path = _path(command, "path")
    file = None if path.is_root else (yield from _read(files, path))
    if file is not None:
        return file_view(path, file.text, _given(command, "view_range"))
    held = (yield from gathered(FilesCalls.iterate.flow(files, path.beneath, page_size=PAGE))) if path.may_hold else []
    if not held and not path.is_root:
        raise _missing(path)
    return directory_view(path, held)


def create(files: FilesCalls, command: BetaMemoryTool20250818CreateCommand) -> Flow[str]:
    """Write a new file."""
    path = _path(command, "path")
    text = _text(command, "file_text")
    if (yield from _exists(files, path)):
        raise ToolError(f"File {path.typed} already exists")
    if hindrance := (yield from _file_above(files, path)):
        raise ToolError(hindrance)
    try:
        yield from FilesCalls.put.flow(files, path.kept, text, labels=LABELS, if_none_match="*")
    except ChangedError as taken:
        raise ToolError(f"File {path.typed} already exists") from taken
    return f"File created successfully at: {path.typed}"


def str_replace(files: FilesCalls, command: BetaMemoryTool20250818StrReplaceCommand) -> Flow[str]:
    """Replace a text that stands once in a file; without a new one it is deleted."""
    path = _path(command, "path")
    old = _text(command, "old_str")
    new = "" if _given(command, "new_str") is None else _text(command, "new_str")
    if not old:
        raise ToolError("old_str is empty: it has to be the text to replace, as it stands in the file.")
    snippet = ""

    def edit(text: str) -> str:
        nonlocal snippet
        changed, snippet = replaced(path, text, old, new)
        return changed

    yield from _edit(files, path, edit, lambda before, now: is_replaced(before, now, old, new))
    return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"


def insert(files: FilesCalls, command: BetaMemoryTool20250818InsertCommand) -> Flow[str]:
    """Insert lines after a line of a file."""
    path = _path(command, "path")
    addition = _text(command, "insert_text")
    line = _given(command, "insert_line")
    if not isinstance(line, int):
        raise ToolError("insert_line is the number of the line to insert after, 0 for the beginning of the file.")
    yield from _edit(
        files,
        path,
        lambda text: inserted(text, line, addition),
        lambda before, now: is_inserted(before, now, addition),
    )
    return f"The file {path.typed} has been edited."


def delete(files: FilesCalls, command: BetaMemoryTool20250818DeleteCommand) -> Flow[str]:
    """Delete a file, or a directory with all that it holds."""
    path = _path(command, "path")
    if path.is_root:
        raise ToolError(f"Cannot delete the {ROOT} directory itself")
    try:
        yield from FilesCalls.delete.flow(files, path.kept)
    except NotFoundError as missing:
        # Sent before, and only the answer was lost: what is gone now was deleted then.
        if not missing.is_repeated and not (yield from _is_directory(files, path)):
            raise ToolError(f"The path {path.typed} does not exist") from missing
        if path.may_hold:
            yield from FilesCalls.delete_prefix.flow(files, path.beneath)
    return f"Successfully deleted {path.typed}"


def rename(files: FilesCalls, command: BetaMemoryTool20250818RenameCommand) -> Flow[str]:
    """Move a file, or a directory with all that it holds."""
    old, new = _path(command, "old_path"), _path(command, "new_path")
    if old.is_root:
        raise ToolError(f"Cannot rename the {ROOT} directory itself")
    if (yield from _exists(files, new)):
        raise ToolError(f"The destination {new.typed} already exists")
    if new.kept.startswith(old.beneath):
        hindrance: str | None = f"Cannot rename {old.typed} to {new.typed}, a path inside of it"
    else:
        hindrance = yield from _file_above(files, new)
    if hindrance and (yield from _exists(files, old)):
        raise ToolError(hindrance)
    try:
        yield from FilesCalls.move.flow(files, old.kept, new.kept)
    except NotFoundError as missing:
        raise ToolError(f"The path {old.typed} does not exist") from missing
    except BadRequestError as refused:
        if refused.code != "conflict":
            raise
        raise ToolError(f"The destination {new.typed} already exists") from refused
    except (APIConnectionError, InternalServerError):
        # A move is never sent twice; where only its answer was lost, the new path says that it was made.
        if (yield from _exists(files, old)) or not (yield from _exists(files, new)):
            raise
    return f"Successfully renamed {old.typed} to {new.typed}"


def clear(files: FilesCalls) -> Flow[str]:
    """Delete everything under /memories. For the app: Claude has no such command."""
    yield from FilesCalls.delete_prefix.flow(files, f"{ROOT}/")
    return "All memory cleared"


def _edit(
    files: FilesCalls, path: MemoryPath, edit: Callable[[str], str], is_made: Callable[[str, str], bool]
) -> Flow[None]:
    """Write what `edit` makes of a file's text over that very text, however often others write in between.

    An answer may be lost, and others may write before the edit is sent again. What they wrote may hold it then:
    `is_made` tells by the text before and theirs, and it is not made a second time.
    """
    file = None if path.is_root else (yield from _read(files, path))
    if file is None:
        raise (
            ToolError(f"The path {path.typed} is not a file.") if (yield from _exists(files, path)) else _missing(path)
        )
    for attempt in range(ATTEMPTS):
        # A proxy may take the ETag away; the text is what it stands for.
        etag = file.etag or hashlib.sha256(file.text.encode()).hexdigest()
        before = file.text
        try:
            yield from FilesCalls.put.flow(files, path.kept, edit(before), if_match=etag)
        except ChangedError as changed:
            # Those who were turned away come back one after the other, not all at once to be turned away again.
            yield Sleep(random.uniform(0, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**attempt)))
            file = yield from _read(files, path)
            if file is None:
                raise ToolError(
                    f"The file {path.typed} no longer exists (may have been deleted or renamed concurrently)."
                ) from changed
            if changed.is_repeated and is_made(before, file.text):
                return
        else:
            return
    raise ToolError(f"Others are writing to {path.typed} all the time, so it was not edited. Try again later.")


def _read(files: FilesCalls, path: MemoryPath) -> Flow[File | None]:
    try:
        return (yield from FilesCalls.get.flow(files, path.kept))
    except NotFoundError:
        return None


def _exists(files: FilesCalls, path: MemoryPath) -> Flow[bool]:
    """Whether there is a file or a directory: a directory is what a path has beneath it."""
    return path.is_root or (yield from _is_file(files, path.kept)) or (yield from _is_directory(files, path))


def _is_directory(files: FilesCalls, path: MemoryPath) -> Flow[bool]:
    if not path.may_hold:
        return False
    return bool((yield from FilesCalls.list.flow(files, path.beneath, limit=1)).files)


def _is_file(files: FilesCalls, kept: str) -> Flow[bool]:
    """Whether there is a file, without reading its text: of the paths that begin so, its own is the first."""
    page = yield from FilesCalls.list.flow(files, kept, limit=1)
    return any(file.path == kept for file in page.files)


def _file_above(files: FilesCalls, path: MemoryPath) -> Flow[str | None]:
    """The sentence about a file that stands where the path needs a directory; None when there is none."""
    for folder in path.folders:
        if (yield from _is_file(files, folder)):
            return f"{folder} is a file, so there can be no {path.typed}"
    return None


def _missing(path: MemoryPath) -> ToolError:
    return ToolError(f"The path {path.typed} does not exist. Please provide a valid path.")


def _path(command: object, name: str) -> MemoryPath:
    return memory_path(_given(command, name))


def _text(command: object, name: str) -> str:
    text = _given(command, name)
    if not isinstance(text, str):
        raise ToolError(f"This command needs {name}, a text.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ToolError(f"{name} holds half of a surrogate pair, which can't be kept exactly.")
    return text


def _given(command: object, name: str) -> object:
    """An argument, or None: what a model leaves out is no attribute of the command at all."""
    return getattr(command, name, None)
