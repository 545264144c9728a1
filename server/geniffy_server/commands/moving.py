"""`export`, `import`: whole spaces as a file, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geniffy_server.commands.opening import account_of, embedded_settings, with_ports
from geniffy_server.commands.options import AccountOption, DataOption, JsonFlag
from geniffy_server.commands.output import counted, say, say_json

if TYPE_CHECKING:
    from geniffy_server.domain.space import AccountId
    from geniffy_server.ports import Ports
    from geniffy_server.settings import Settings
    from geniffy_server.storage.archive import Moved


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write; it must not be there yet.")],
    data: DataOption = None,
    space: Annotated[str | None, typer.Option(metavar="S", help="This space alone; all when left out.")] = None,
    account: AccountOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Write whole spaces to a file: memories, sources, conversations and the texts of files.

    A server may run meanwhile. The file holds everything in clear text: keep it as you keep the memory.

    Example: geniffy-server export --data ./data --space customer_1042 one.jsonl
    """
    from geniffy_server.domain.space import space_name
    from geniffy_server.storage.archive import write_spaces

    settings = embedded_settings(data)
    names = None if space is None else [space_name(space)]
    account_id = _account_id(settings, account, create=False)
    with _progress("Writing") as told:
        moved = write_spaces(settings.data, account_id, names, file, told)
    _say_moved(moved, f"written to {file}", as_json=as_json)


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `export` wrote.")],
    data: DataOption = None,
    account: AccountOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Read spaces from a file that `export` wrote. A space that already holds something is refused.

    Example: geniffy-server import --data ./other one.jsonl
    """
    from geniffy_server.storage.archive import check_archive, read_spaces

    settings = embedded_settings(data)
    check_archive(file)
    account_id = _account_id(settings, account, create=True)
    with _progress("Reading") as told:
        moved = read_spaces(settings.data, account_id, file, told)
    _say_moved(moved, f"read into {settings.data}", as_json=as_json)


def _account_id(settings: Settings, email: str | None, *, create: bool) -> AccountId:
    async def work(ports: Ports) -> AccountId:
        return (await account_of(ports, email)).id

    return with_ports(settings, work, create=create)


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error while the block runs, where that is a terminal; takes what is done, of how much."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _say_moved(moved: Moved, where: str, *, as_json: bool) -> None:
    if as_json:
        say_json(asdict(moved))
        return
    spaces, sources, memories = (
        counted(len(moved.spaces), "space"),
        counted(moved.sources, "source"),
        counted(moved.memories, "memory", "memories"),
    )
    say(f"{spaces} with {sources} and {memories} {where}.")
