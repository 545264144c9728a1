"""`key create`, `key list`, `key revoke`: the API keys of an account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from geniffy_server.commands.opening import account_of, embedded_settings, with_ports
from geniffy_server.commands.options import AccountOption, DataOption, JsonFlag
from geniffy_server.commands.output import moment, say, say_json, say_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geniffy_server.domain.account import ApiKey
    from geniffy_server.ports import Ports
    from geniffy_server.services.keys import MadeKey

app = typer.Typer(help="API keys: make, list and revoke them.", no_args_is_help=True)


@app.command()
def create(
    data: DataOption = None,
    name: Annotated[str | None, typer.Option(metavar="N", help="What it is for, as lists show it.")] = None,
    space: Annotated[
        str | None, typer.Option(metavar="S", help="Limit it to one of your app's users, by the name your app gives.")
    ] = None,
    rpm: Annotated[
        int | None, typer.Option(metavar="N", help="Requests a minute, 600 at most and if left out.")
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="ISO", help="When it stops: a date, to its end, or a date and time.")
    ] = None,
    account: AccountOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Make an API key. It is the last line printed, and shown this once.

    Example: geniffy-server key create --data ./data --name laptop --expires 2027-01-31
    """
    from datetime import UTC, datetime

    from geniffy_server.domain.instants import end_of
    from geniffy_server.domain.space import space_name
    from geniffy_server.errors import BadInput
    from geniffy_server.services.keys import make_key

    settings = embedded_settings(data)
    limited_to = space_name(space) if space is not None else None
    expires_at = end_of(expires, "--expires")
    if expires_at is not None and expires_at <= datetime.now(UTC):
        raise BadInput(f"--expires {expires} has passed already; name a later time.", "bad_date")

    async def work(ports: Ports) -> MadeKey:
        owner = await account_of(ports, account)
        return await make_key(ports, owner.id, name=name, space=limited_to, rpm=rpm, expires_at=expires_at)

    made = with_ports(settings, work, create=True)
    if as_json:
        say_json({**_shown(made.key), "key": made.secret})
        return
    reach = f"the space {made.key.space}" if made.key.space else "the whole account"
    until = f", until {moment(made.key.expires_at)}" if made.key.expires_at else ""
    say(f"Key {made.key.id}, {made.key.name}: reaches {reach}{until}. Keep it now; it isn't shown again.")
    say(made.secret)


@app.command("list")
def list_(data: DataOption = None, account: AccountOption = None, as_json: JsonFlag = False) -> None:
    """List the keys that work, oldest first.

    Example: geniffy-server key list --data ./data --json
    """
    from geniffy_server.services.keys import list_keys

    async def work(ports: Ports) -> Sequence[ApiKey]:
        return await list_keys(ports, (await account_of(ports, account)).id)

    keys = with_ports(embedded_settings(data), work)
    if as_json:
        say_json({"keys": [_shown(key) for key in keys]})
        return
    rows = [
        (
            str(key.id),
            key.name,
            key.space or "",
            f"{key.starts_with}...",
            str(key.rpm),
            moment(key.created_at),
            moment(key.last_used_at),
            moment(key.expires_at),
        )
        for key in keys
    ]
    say_table(("ID", "Name", "Space", "Key", "A minute", "Made", "Last used", "Expires"), rows)


@app.command()
def revoke(
    key_id: Annotated[int, typer.Argument(metavar="ID", help="Its number in `key list`.")],
    data: DataOption = None,
    account: AccountOption = None,
) -> None:
    """Stop a key, at once.

    Example: geniffy-server key revoke 3 --data ./data
    """
    from geniffy_server.domain.account import KeyId
    from geniffy_server.services.keys import revoke_key

    async def work(ports: Ports) -> ApiKey:
        return await revoke_key(ports, (await account_of(ports, account)).id, KeyId(key_id))

    key = with_ports(embedded_settings(data), work)
    say(f"Key {key.id}, {key.name}, works no more.")


def _shown(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "space": key.space,
        "starts_with": key.starts_with,
        "rpm": key.rpm,
        "created_at": key.created_at,
        "last_used_at": key.last_used_at,
        "expires_at": key.expires_at,
    }
