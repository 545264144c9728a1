"""`/app/files`: files kept exactly, by path; their text with lines, their bytes to download, and deleting one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from starlette.responses import Response

from geniffy_server.domain.file import FileEntry, external_id_of_path, file_path, path_prefix
from geniffy_server.errors import BadInput, NotFound
from geniffy_server.services.files import delete_file, get_file, list_files
from geniffy_server.services.sources import source_of_external_id
from geniffy_server.web.visit import Visit

PER_PAGE: Final = 500
MAX_SHOWN_LINES: Final = 2_000
MAX_SHOWN_CHARS: Final = 200_000


@dataclass(slots=True)
class Folder:
    """A part of the tree: what it holds by name."""

    name: str
    folders: dict[str, Folder] = field(default_factory=dict)
    files: list[tuple[str, FileEntry]] = field(default_factory=list)
    is_open: bool = False

    def count(self) -> int:
        """How many files lie beneath it."""
        return len(self.files) + sum(folder.count() for folder in self.folders.values())


async def show_files(visit: Visit) -> Response:
    """The tree of paths that begin with `prefix`; with `path`, one file's text."""
    asked, prefix = visit.asked("path"), visit.asked("prefix")
    cursor = visit.number("cursor") or 0
    wrong = None
    try:
        checked = path_prefix(prefix or "/")
    except BadInput as refusal:
        checked, wrong = path_prefix("/"), refusal.sentence
    page = await list_files(visit.ports, visit.caller, checked, limit=PER_PAGE, cursor=cursor)
    file, source, missing = None, None, None
    if asked is not None:
        try:
            file = await get_file(visit.ports, visit.caller, file_path(asked))
            source = await source_of_external_id(visit.ports, visit.caller, external_id_of_path(file.path))
        except (NotFound, BadInput) as gone:
            missing = gone.sentence
    lines = file.text[:MAX_SHOWN_CHARS].split("\n")[:MAX_SHOWN_LINES] if file is not None else []
    return visit.html(
        "files.html",
        404 if missing else 422 if wrong else 200,
        page="files",
        prefix=prefix,
        wrong=wrong,
        root=tree(page.files, file.path if file else None),
        total=page.total,
        cursor=cursor,
        next_cursor=page.next,
        previous=max(0, cursor - PER_PAGE) if cursor else None,
        file=file,
        source=source,
        lines=lines,
        is_cut=file is not None and len("\n".join(lines)) < len(file.text),
        missing=missing,
        done="Deleted, with every memory that only it taught." if visit.asked("done") == "deleted" else None,
    )


async def download_file(visit: Visit) -> Response:
    """A file's bytes, exactly as they were written."""
    file = await get_file(visit.ports, visit.caller, file_path(visit.asked("path") or ""))
    name = file.path.rsplit("/", 1)[-1]
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",  # RFC 6266 4.3
        "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(file.text.encode(), media_type="text/plain; charset=utf-8", headers=headers)


async def take_deleting(visit: Visit) -> Response:
    """Delete a file with every memory that only it taught."""
    await delete_file(visit.ports, visit.caller, file_path(visit.sent("path")))
    return visit.go("/app/files", done="deleted")


def tree(entries: Sequence[FileEntry], chosen: str | None) -> Folder:
    """The folders that paths make, those above `chosen` open, and the first ones too."""
    root = Folder("/", is_open=True)
    for entry in entries:
        *folders, name = entry.path[1:].split("/")
        here = root
        for depth, part in enumerate(folders):
            here = here.folders.setdefault(part, Folder(part, is_open=depth == 0))
        here.files.append((name, entry))
    here = root
    for part in (chosen or "/")[1:].split("/")[:-1]:
        if part not in here.folders:
            break
        here = here.folders[part]
        here.is_open = True
    return root
