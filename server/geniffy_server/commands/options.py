"""The options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", help="Where everything is kept: ./data, or GENIFFY_DATA.", show_default=False
    ),
]
AccountOption = Annotated[
    str | None,
    typer.Option("--account", metavar="EMAIL", help="Whose memory: the owner's when left out.", show_default=False),
]
SpaceOption = Annotated[
    str | None,
    typer.Option("--space", metavar="NAME", help="One of your app's users, by the name it gives them."),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, for a script to read.")]


def example(line: str) -> str:
    """The last paragraph of a command's help."""
    return f"Example: {line}"
