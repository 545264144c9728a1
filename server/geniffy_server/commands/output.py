"""What commands print: for people by rich, for scripts as JSON, and nothing else on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import typer


def say(text: str = "") -> None:
    """Print a line exactly as it is: never wrapped, so that it can be pasted."""
    typer.echo(text)


def warn(sentence: str) -> None:
    """Print a sentence on standard error."""
    typer.echo(sentence, err=True)


def say_json(value: Any) -> None:
    """Print a value as JSON, its times in ISO 8601."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def say_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: drawn for a terminal, else one row a line with its cells between tabs."""
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*heads, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun, such as `1 source` or `2 memories`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def moment(at: datetime | None) -> str:
    """A point in time to the second, or `never`."""
    return at.isoformat(timespec="seconds") if at else "never"


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
