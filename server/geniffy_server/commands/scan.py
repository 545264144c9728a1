"""`scan`: every place in a store that still holds a text."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from geniffy_server.commands.opening import embedded_settings
from geniffy_server.commands.options import DataOption, JsonFlag
from geniffy_server.commands.output import counted, say, say_json

if TYPE_CHECKING:
    from geniffy_server.storage.scan import Finding


def scan(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for, as it was typed.")],
    data: DataOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List every place in the store that still holds TEXT: tables, raw pages, logs and caches.

    Exits with 1 when there is any. A server may run meanwhile.

    Example: geniffy-server scan --data ./data "Priya Nair"
    """
    from geniffy_server.storage.scan import scan as search_store

    found = search_store(embedded_settings(data).data, text)
    if as_json:
        say_json({"findings": [asdict(one) for one in found]})
    else:
        for one in found:
            say(_where(one))
        say(f"The text is held in {counted(len(found), 'place')}." if found else "Nothing here holds the text.")
    if found:
        raise typer.Exit(1)


def _where(one: Finding) -> str:
    place = f"byte {one.offset:,}" if one.table is None else f"table {one.table}, column {one.column}, row {one.row}"
    return f"{one.file}: {place} ({one.form})"
