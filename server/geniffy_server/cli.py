"""The command `geniffy-server`: everything an operator does with a memory server."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Final

try:
    import typer
except ModuleNotFoundError as missing:  # every install has the command, and not every one what it runs on
    raise SystemExit("geniffy-server needs the server: pip install 'geniffy-agents[server]'.") from missing

from geniffy_server.commands import account, bench, key, space
from geniffy_server.commands.doctor import doctor
from geniffy_server.commands.lock import lock, unlock
from geniffy_server.commands.moving import export, import_
from geniffy_server.commands.output import say, warn
from geniffy_server.commands.scan import scan
from geniffy_server.commands.serve import serve
from geniffy_server.commands.stdio import stdio
from geniffy_server.errors import ServerError
from geniffy_server.models.threads import limit_threads

PROGRAM: Final = "geniffy-server"
_FAILED: Final = 1

app = typer.Typer(
    name=PROGRAM,
    help="A memory for agents that you host yourself.",
    epilog="Example: geniffy-server serve --data ./data",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve)
app.command()(stdio)
app.add_typer(key.app, name="key")
app.add_typer(account.app, name="account")
app.add_typer(space.app, name="space")
app.add_typer(lock, name="lock")
app.add_typer(unlock, name="unlock")
app.command()(scan)
app.command()(export)
app.command("import")(import_)
app.command()(doctor)
app.add_typer(bench.app, name="bench")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; its exit status: 0, or another with one sentence on standard error. Never a traceback."""
    limit_threads()  # first of all: numpy reads the limits when it is imported, which no module of ours does yet
    try:
        return app(args=argv, prog_name=PROGRAM, standalone_mode=False) or 0
    except typer.TyperException as misuse:
        warn(misuse.format_message())
        return getattr(misuse, "exit_code", _FAILED)
    except ServerError as refusal:
        warn(refusal.sentence)
    except typer.Abort:
        warn("Stopped.")
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as fault:
        warn(f"A fault stopped the command; please report it: {type(fault).__name__}: {fault}")
    return _FAILED


@app.callback()
def _options(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if show_version:
        say(f"{PROGRAM} {version('geniffy-agents')}")
        raise typer.Exit
