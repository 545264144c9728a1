"""`lock`, `unlock`: what the Omi tools show only in part."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from geniffy_server.commands.opening import account_of, embedded_settings, with_ports
from geniffy_server.commands.options import AccountOption, DataOption, SpaceOption
from geniffy_server.commands.output import say

if TYPE_CHECKING:
    from geniffy_server.ports import Ports

_MEMORY_ID = Annotated[str, typer.Argument(metavar="ID", help="The memory's number, or memory:<n>.")]
_CONVERSATION_ID = Annotated[str, typer.Argument(metavar="ID", help="The conversation's id, or source:<id>.")]


def _commands(*, locked: bool) -> typer.Typer:
    verb, done = ("lock", "locked") if locked else ("unlock", "unlocked")
    app = typer.Typer(
        help=f"{verb.capitalize()} a memory or a conversation for the Omi tools (/mcp/omi); no other door asks.",
        no_args_is_help=True,
    )

    def memory(
        id: _MEMORY_ID, data: DataOption = None, space: SpaceOption = None, account: AccountOption = None
    ) -> None:
        _change(_memory_id(id), f"The memory {id} is {done}.", data, space, account, locked=locked)

    def conversation(
        id: _CONVERSATION_ID, data: DataOption = None, space: SpaceOption = None, account: AccountOption = None
    ) -> None:
        _change(id.removeprefix("source:"), f"The conversation {id} is {done}.", data, space, account, locked=locked)

    _add(app, memory, f"{verb.capitalize()} a memory.", f"{verb} memory 1042 --data ./data")
    _add(
        app,
        conversation,
        f"{verb.capitalize()} a conversation.",
        f"{verb} conversation 0123456789abcdef0123456789abcdef --data ./data",
    )
    return app


def _add(app: typer.Typer, command: Callable[..., None], says: str, example: str) -> None:
    app.command(help=f"{says}\n\nExample: geniffy-server {example}")(command)


def _change(
    id: int | str, done: str, data: DataOption, space: SpaceOption, account: AccountOption, *, locked: bool
) -> None:
    from geniffy_server.caller import Caller
    from geniffy_server.domain.memory import MemoryId
    from geniffy_server.domain.source import SourceId
    from geniffy_server.domain.space import OWN, space_name
    from geniffy_server.services.curating import curate_conversation, curate_memory

    name = space_name(space) if space is not None else OWN

    async def work(ports: Ports) -> None:
        caller = Caller((await account_of(ports, account)).id, name)
        if isinstance(id, int):
            await curate_memory(ports, caller, MemoryId(id), locked=locked)
        else:
            await curate_conversation(ports, caller, SourceId(id), locked=locked)

    with_ports(embedded_settings(data), work)
    say(done)


def _memory_id(raw: str) -> int:
    """The number of a memory. Raises BadInput."""
    from geniffy_server.errors import BadInput

    number = raw.removeprefix("memory:")
    if not (number.isascii() and number.isdecimal() and len(number) < 17):
        raise BadInput(f"{raw!r:.80} names no memory; give its number, as the memories page shows it.")
    return int(number)


lock = _commands(locked=True)
unlock = _commands(locked=False)
