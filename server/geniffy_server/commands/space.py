"""`space list`, `space forget`: the memories that an app keeps for its users."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from geniffy_server.commands.opening import account_of, embedded_settings, with_ports
from geniffy_server.commands.options import AccountOption, DataOption, JsonFlag
from geniffy_server.commands.output import counted, moment, say, say_json, say_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geniffy_server.domain.space import SpaceSummary
    from geniffy_server.ports import Ports

app = typer.Typer(help="Your app's users: list them, forget one.", no_args_is_help=True)


@app.command("list")
def list_(data: DataOption = None, account: AccountOption = None, as_json: JsonFlag = False) -> None:
    """List the spaces that hold something, the one last added to first.

    Example: geniffy-server space list --data ./data --json
    """
    from geniffy_server.caller import Caller
    from geniffy_server.services.spaces import list_spaces

    async def work(ports: Ports) -> Sequence[SpaceSummary]:
        return await list_spaces(ports, Caller((await account_of(ports, account)).id))

    spaces = with_ports(embedded_settings(data), work)
    if as_json:
        say_json({"spaces": [asdict(one) for one in spaces]})
        return
    rows = [(one.name, str(one.sources), str(one.memories), moment(one.last_added_at)) for one in spaces]
    say_table(("Space", "Sources", "Memories", "Last added to"), rows)


@app.command()
def forget(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The space, as `space list` shows it.")],
    data: DataOption = None,
    account: AccountOption = None,
) -> None:
    """Erase a space for good: memories, sources, files and keys. It doesn't ask again.

    Example: geniffy-server space forget customer_1042 --data ./data
    """
    from geniffy_server.domain.space import space_name
    from geniffy_server.errors import NotFound
    from geniffy_server.services.spaces import erase

    checked = space_name(name)

    async def work(ports: Ports) -> int:
        owner = await account_of(ports, account)
        if await ports.store.read(lambda tx: tx.spaces.find(owner.id, checked)) is None:
            raise NotFound(f"There is no space {checked!r} here; `geniffy-server space list` names those that are.")
        return await erase(ports, owner.id, checked)

    sources = with_ports(embedded_settings(data), work)
    say(f"The space {checked} is erased, with {counted(sources, 'source')}.")
