"""`account add`, `account list`, `account close`, `account open`, `account link`: the people of a server."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geniffy_server.commands.opening import account_of, embedded_settings, with_ports
from geniffy_server.commands.options import DataOption, JsonFlag
from geniffy_server.commands.output import moment, say, say_json, say_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geniffy_server.domain.account import Account
    from geniffy_server.ports import Ports
    from geniffy_server.services.accounts import ListedAccount

app = typer.Typer(help="Accounts: add, list, close and open them.", no_args_is_help=True)

Email = Annotated[str, typer.Argument(metavar="EMAIL", help="What the account signs in with.")]


@app.command()
def add(
    email: Annotated[str, typer.Option(metavar="E", help="What the person signs in with.")],
    name: Annotated[str, typer.Option(metavar="N", help="What the person is called.")],
    data: DataOption = None,
    time_zone: Annotated[
        str, typer.Option(metavar="TZ", help="The zone that times are shown in, such as Europe/Lisbon.")
    ] = "UTC",
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from standard input, one line.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Add an account. Without a password, a link to choose one is the last line printed: it works once, for a day.

    Example: geniffy-server account add --data ./data --email ana@example.com --name "Ana Lima"
    """
    from geniffy_server.services.accounts import add_account
    from geniffy_server.services.sign_in import make_setup_link

    password = sys.stdin.readline().rstrip("\r\n") if password_stdin else None

    async def work(ports: Ports) -> tuple[Account, str | None]:
        await account_of(ports, None)  # the first account of a store is its owner's, whoever is added first
        account = await add_account(ports, email, name, time_zone=time_zone, password=password)
        return account, await make_setup_link(ports, account.id) if password is None else None

    account, link = with_ports(embedded_settings(data), work, create=True)
    if as_json:
        say_json({"id": account.id, "email": account.email, "name": account.name, "setup_link": link})
        return
    say(f"Account {account.id}, {account.name}, signs in as {account.email}.")
    if link is not None:
        say("Send them this link to choose a password; it works once, for a day:")
        say(link)


@app.command("list")
def list_(data: DataOption = None, as_json: JsonFlag = False) -> None:
    """List the accounts, the owner's first.

    Example: geniffy-server account list --data ./data --json
    """
    from geniffy_server.services.accounts import list_accounts

    async def work(ports: Ports) -> Sequence[ListedAccount]:
        return await list_accounts(ports)

    listed = with_ports(embedded_settings(data), work)
    if as_json:
        say_json({"accounts": [_shown(one) for one in listed]})
        return
    rows = [
        (
            str(one.account.id),
            one.account.email or "",
            one.account.name or "",
            one.account.time_zone,
            moment(one.account.created_at),
            "closed" if one.account.closed_at else "open" if one.has_password else "no password yet",
        )
        for one in listed
    ]
    say_table(("ID", "Email", "Name", "Time zone", "Made", "State"), rows)


@app.command()
def close(email: Email, data: DataOption = None) -> None:
    """Close an account: nobody can sign in to it, and its keys and apps stop at once. What it holds stays.

    Example: geniffy-server account close ana@example.com --data ./data
    """
    from geniffy_server.services.accounts import close_account

    account = with_ports(embedded_settings(data), lambda ports: close_account(ports, email))
    say(f"The account of {account.email} is closed; `geniffy-server account open` opens it again.")


@app.command("open")
def open_(email: Email, data: DataOption = None) -> None:
    """Open an account that was closed; its keys and apps work again.

    Example: geniffy-server account open ana@example.com --data ./data
    """
    from geniffy_server.services.accounts import open_account

    account = with_ports(embedded_settings(data), lambda ports: open_account(ports, email))
    say(f"The account of {account.email} is open.")


@app.command()
def link(
    email: Annotated[
        str | None, typer.Argument(metavar="[EMAIL]", help="Whose: the owner's when left out.", show_default=False)
    ] = None,
    data: DataOption = None,
) -> None:
    """Make a link to choose a password, for who has none or lost it. It works once, for a day; earlier ones stop.

    Example: geniffy-server account link ana@example.com --data ./data
    """
    from geniffy_server.services.sign_in import make_setup_link

    async def work(ports: Ports) -> str:
        return await make_setup_link(ports, (await account_of(ports, email)).id)

    say(with_ports(embedded_settings(data), work))


def _shown(one: ListedAccount) -> dict[str, Any]:
    return {
        "id": one.account.id,
        "email": one.account.email,
        "name": one.account.name,
        "time_zone": one.account.time_zone,
        "created_at": one.account.created_at,
        "closed_at": one.account.closed_at,
        "has_password": one.has_password,
    }
