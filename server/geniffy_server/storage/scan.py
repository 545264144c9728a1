"""Where a text is still held: in rows, and in any byte of any file of the store's directory."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, LargeBinary, cast, column, func, or_, select, table, text

from geniffy_server.domain.text import is_blank
from geniffy_server.errors import BadInput, NotFound, Unavailable
from geniffy_server.storage import raw_bytes
from geniffy_server.storage.call_log import LOG
from geniffy_server.storage.sqlite import connected, in_transaction, open_engine
from geniffy_server.storage.store import MAIN

MOST_PER_TABLE: Final = 1_000
_COLUMNS_AT_ONCE: Final = 8
_SPLIT_BYTES: Final = 48
_PIECE_BYTES: Final = 1_000  # a page of 4,096 bytes cuts at most one of two such pieces that lie together


@dataclass(frozen=True, slots=True)
class Finding:
    """One place that holds a text. `form` says how it is written there, such as `NFC in UTF-8`.

    A place in a row has `table`, `column` and `row` (its key, such as `id=7`); one in a file's bytes has `offset`.
    What stands in a row stands in its file too, so it is found both ways.
    """

    file: str
    form: str
    table: str | None = None
    column: str | None = None
    row: str | None = None
    offset: int | None = None


def scan(directory: Path, words: str) -> list[Finding]:
    """Every row and every file of a store that holds `words`, also while servers run on it; empty when none does.

    Looks for it as typed, composed and decomposed (NFC, NFD), and as JSON escapes it, in UTF-8 and UTF-16. Up to 1,000
    rows of a table and places of a file are named. Raises BadInput for a blank text, NotFound when there is no store.
    """
    if is_blank(words):
        raise BadInput("Say which text to look for; a blank one is everywhere.")
    if not (directory / MAIN).is_file():
        raise NotFound(f"There is no memory in {str(directory)!r}; name the directory that holds main.db.")
    forms = _forms(words)
    return [*_in_rows(directory, forms), *_in_bytes(directory, forms)]


def _forms(words: str) -> Mapping[bytes, str]:
    """The bytes that a text may be held as, each with its name."""
    written: dict[str, str] = {}
    for name, form in (
        ("as typed", words),
        ("NFC", unicodedata.normalize("NFC", words)),
        ("NFD", unicodedata.normalize("NFD", words)),
    ):
        written.setdefault(form, name)
    for form, name in list(written.items()):
        written.setdefault(json.dumps(form, ensure_ascii=False)[1:-1], f"{name}, escaped")
        written.setdefault(json.dumps(form)[1:-1], f"{name}, escaped")
    encoded: dict[bytes, str] = {}
    for form, name in written.items():
        for encoding in ("UTF-8", "UTF-16-LE", "UTF-16-BE"):
            encoded.setdefault(form.encode(encoding, "surrogatepass"), f"{name} in {encoding}")
    return encoded


def _in_rows(directory: Path, forms: Mapping[bytes, str]) -> Iterator[Finding]:
    for file in (MAIN, LOG):
        if (directory / file).is_file():
            with connected(open_engine(directory / file, "reader")) as connection:
                yield from in_transaction(connection, "BEGIN", lambda one, file=file: list(_cells(one, file, forms)))  # type: ignore[misc]


def _cells(connection: Connection, file: str, forms: Mapping[bytes, str]) -> Iterator[Finding]:
    for (name,) in connection.execute(text("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")).all():
        described = connection.execute(select(text("name, pk")).select_from(func.pragma_table_info(name))).all()
        held_in = table(name, *(column(part.name) for part in described))
        key = [part.name for part in described if part.pk]
        # SQLite takes expressions up to 1,000 deep, and every OR is one deeper.
        for some in (described[at : at + _COLUMNS_AT_ONCE] for at in range(0, len(described), _COLUMNS_AT_ONCE)):
            cells = [cast(held_in.c[part.name], LargeBinary) for part in some]
            holds = or_(*(func.instr(cell, form) > 0 for cell in cells for form in forms))
            for row in connection.execute(select(held_in).where(holds).limit(MOST_PER_TABLE)).mappings():
                where = ", ".join(f"{part}={row[part]!r}" for part in key)
                for part in some:
                    for form in _held(row[part.name], forms):
                        yield Finding(file, forms[form], name, part.name, where)


def _held(cell: Any, forms: Iterable[bytes]) -> list[bytes]:
    held = cell.encode() if isinstance(cell, str) else cell
    return [form for form in forms if form in held] if isinstance(held, bytes) else []


def _in_bytes(directory: Path, forms: Mapping[bytes, str]) -> Iterator[Finding]:
    pieces = {piece: name for form, name in forms.items() for piece in _pieces(form)}
    program = [sys.executable, "-I", "-S", raw_bytes.__file__, str(directory)]
    asked = "\n".join(piece.hex() for piece in pieces)
    ran = subprocess.run(program, input=asked, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise Unavailable(f"The files of {str(directory)!r} can't be read; run the scan as the user who owns them.")
    names = list(pieces.values())
    for line in ran.stdout.splitlines():
        file, offset, number = json.loads(line)
        yield Finding(file, names[number], offset=offset)


def _pieces(form: bytes) -> tuple[bytes, ...]:
    """What to look for in raw bytes. A long text may be cut where one page of a database ends, so its halves are."""
    if len(form) < _SPLIT_BYTES:
        return (form,)
    half = min(len(form) // 2, _PIECE_BYTES)
    return form[:half], form[-half:]
