"""`serve`: the server on one directory, in one process or several."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from geniffy_server.commands.greeting import addresses, first_steps, setup
from geniffy_server.commands.listening import listen
from geniffy_server.commands.logs import log_config
from geniffy_server.commands.opening import with_ports
from geniffy_server.commands.options import DataOption
from geniffy_server.commands.output import say
from geniffy_server.commands.stopping import WithoutWaiting, stop_with_parent
from geniffy_server.settings import Settings, hand_over, read_settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from geniffy_server.ports import Ports

STOP_WITHIN_S: Final = 3  # how long calls that are under way, long polls above all, may go on after a stop
KEEP_ALIVE_S: Final = 75  # longer than clients keep one idle: a POST must not meet a connection just closed
_FACTORY: Final = "geniffy_server.commands.serve:worker_app"

# HTTP by name, for each of several processes imports it. No route speaks WebSocket, and uvicorn's refusal of one would
# have no envelope.
PROTOCOLS: Final[dict[str, Any]] = {"http": "geniffy_server.commands.protocol:EnvelopedHttp", "ws": "none"}


def serve(
    data: DataOption = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on: 127.0.0.1.", show_default=False)] = None,
    port: Annotated[int | None, typer.Option(help="The port: 8787; 0 takes a free one.", show_default=False)] = None,
    database_url: Annotated[str | None, typer.Option(metavar="URL", help="A PostgreSQL store; not yet.")] = None,
    public_url: Annotated[
        str | None, typer.Option(metavar="URL", help="The address that people reach it by, behind a proxy.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Processes on one directory: 1.", show_default=False)
    ] = None,
) -> None:
    """Start the server. On an empty directory, make an account and print its first key and what to do next.

    Each option may be a variable instead, such as GENIFFY_DATA or GENIFFY_PORT.

    Example: geniffy-server serve --data ./data --port 8787
    """
    settings = read_settings(
        data=data, host=host, port=port, database_url=database_url, public_url=public_url, workers=workers
    )
    sockets = listen(settings.host, settings.port)
    settings = settings.model_copy(update={"port": sockets[0].getsockname()[1]})
    try:
        key, link = with_ports(settings, _first_key, create=True)
        for one in sockets:
            one.listen()  # from here on a call waits for the app instead of being refused
        say(addresses(settings.base_url))
        if link is not None:
            say("\n" + setup(link))
        if key is not None:
            say("\n" + first_steps(settings.base_url, key, settings.data))
        is_started = _run(settings, sockets)
    finally:
        for one in sockets:
            one.close()
    if not is_started:
        raise typer.Exit(1)


def worker_app() -> ASGIApp:
    """The app of one of several processes, from the settings that `serve` handed over."""
    stop_with_parent()
    return _app(read_settings())


def _app(settings: Settings) -> ASGIApp:
    from geniffy_server.app import create_app

    app = create_app(settings, is_warmed=True)

    def stop() -> None:
        ports: Ports | None = getattr(app.state, "ports", None)  # None while it is still starting
        if ports is not None:
            ports.bell.stop()

    return WithoutWaiting(app, stop)


async def _first_key(ports: Ports) -> tuple[str | None, str | None]:
    """The first API key of a store that had no account, and a setup link while its owner has no password."""
    from geniffy_server.services.accounts import ensure_owner
    from geniffy_server.services.keys import make_key
    from geniffy_server.services.sign_in import setup_link_of_owner

    owner, is_new = await ensure_owner(ports)
    key = (await make_key(ports, owner.id, name="First key")).secret if is_new else None
    return key, await setup_link_of_owner(ports)


def _run(settings: Settings, sockets: Sequence[socket.socket]) -> bool:
    """Serve until a signal says stop; False when the app could not start."""
    import uvicorn
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    options: dict[str, Any] = {
        "log_config": log_config(),
        "access_log": False,
        "server_header": False,
        **PROTOCOLS,
        "lifespan": "on",
        "proxy_headers": bool(settings.proxies),
        "forwarded_allow_ips": list(settings.proxies),
        "timeout_keep_alive": KEEP_ALIVE_S,
        "timeout_graceful_shutdown": STOP_WITHIN_S,
    }
    if settings.workers > 1:
        hand_over(settings)
        many = Multiprocess(uvicorn.Config(_FACTORY, factory=True, workers=settings.workers, **options), list(sockets))
        many.run()
        return all(one.exitcode != STARTUP_FAILURE for one in many.processes)
    server = uvicorn.Server(uvicorn.Config(_app(settings), **options))
    # uvicorn raises the signal again once it has stopped; to have stopped when asked to is no failure.
    signal.signal(signal.SIGTERM, lambda *_: None)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(list(sockets))
    return server.started
