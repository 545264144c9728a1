"""`stdio`: the MCP tools over standard input and output, with no sign-in."""

from __future__ import annotations

import asyncio
import logging.config
import signal
from enum import StrEnum
from typing import Annotated

import typer

from geniffy_server.commands.logs import log_config
from geniffy_server.commands.opening import account_of, embedded_settings
from geniffy_server.commands.options import AccountOption, DataOption, SpaceOption
from geniffy_server.commands.stopping import end_soon


class Tools(StrEnum):
    """Which tools to offer: those of `/mcp`, or those of `/mcp/omi`."""

    memory = "memory"
    omi = "omi"


def stdio(
    data: DataOption = None,
    space: SpaceOption = None,
    account: AccountOption = None,
    tools: Annotated[
        Tools, typer.Option(help="The tools to offer; omi for apps that were written for Omi.")
    ] = Tools.memory,
) -> None:
    """Offer the MCP tools over standard input and output, for an app on this machine.

    It opens the same store that `serve` does, and both may run at once.

    Example: geniffy-server stdio --data ./data --space customer_1042
    """
    from geniffy_server.domain.space import OWN, space_name

    settings = embedded_settings(data)
    name = space_name(space) if space is not None else OWN

    async def run() -> None:
        from geniffy_server.app import opened
        from geniffy_server.caller import Caller
        from geniffy_server.mcp.omi import OMI_TOOLS
        from geniffy_server.mcp.stdio import serve_stdio
        from geniffy_server.mcp.tools import MEMORY_TOOLS
        from geniffy_server.worker import learning

        async with opened(settings) as it, learning(it.ports, it.bell):
            owner = await account_of(it.ports, account)
            caller = Caller(owner.id, name, is_limited=space is not None, is_ai_app=True)
            await serve_stdio(it.ports, caller, OMI_TOOLS if tools is Tools.omi else MEMORY_TOOLS)
        end_soon()

    logging.config.dictConfig(log_config())
    # A thread waits in a read of standard input that nothing can end. The store bears being left at any moment.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(run())
