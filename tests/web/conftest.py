"""A browser without a window: it keeps cookies, sends forms as browsers do, and reads what pages show."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.conftest import Server

PASSWORD = "a few plain words"
NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)


@dataclass
class Browser:
    """A person's browser at one server."""

    server: Server
    http: httpx.Client
    email: str = ""
    account_id: int = 0

    @property
    def session(self) -> str | None:
        """The token that its cookie holds."""
        return next((one.value for one in self.http.cookies.jar if one.name.startswith("geniffy_session")), None)

    def keep(self, token: str) -> None:
        """Put a session's token where the server looks for it."""
        port = self.server.base_url.rpartition(":")[2]
        self.http.cookies.set(f"geniffy_session_{port}", token, domain="127.0.0.1", path="/app")

    def get(self, path: str, /, **parameters: Any) -> httpx.Response:
        return self.http.get(path, params=parameters or None)

    def post(self, path: str, /, *, on: str | None = None, **fields: Any) -> httpx.Response:
        """Send a form of the page `on` (by default the one it is sent to), with the token that page carries."""
        shown = self.http.get(on or path)
        return self.http.post(path, data={"csrf": csrf_of(shown), **fields})

    def sign_in(self, email: str, password: str = PASSWORD, **fields: Any) -> httpx.Response:
        return self.post("/app/sign-in", email=email, password=password, **fields)


@cache
def hash_of(password: str) -> str:
    """What is kept of a password; made once, for that takes as long as it should."""
    from argon2 import PasswordHasher

    return PasswordHasher().hash(password)


def csrf_of(page: httpx.Response) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', page.text)
    assert found, (page.status_code, page.text[:400])
    return found.group(1)


def words_of(page: httpx.Response) -> str:
    """What a page shows, without its markup."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


@pytest.fixture
def browser_at() -> Iterator[Callable[..., Browser]]:
    """Opens a browser that nobody signed in with: `browser_at(server)`."""
    with ExitStack() as stack:

        def opened(server: Server, **headers: str) -> Browser:
            http = httpx.Client(base_url=server.base_url, timeout=60.0, headers=headers)
            return Browser(server, stack.enter_context(http))

        yield opened


@pytest.fixture
def stranger(browser_at: Callable[..., Browser], server: Server) -> Browser:
    """A browser that nobody signed in with, at the server of the session."""
    return browser_at(server)


@pytest.fixture
def person_at(browser_at: Callable[..., Browser]) -> Callable[..., Browser]:
    """Opens the browser of a new account, signed in: `person_at(server)`."""

    def opened(server: Server, name: str = "Zoë Ferreira", **headers: str) -> Browser:
        from geniffy_server.services.accounts import add_account
        from geniffy_server.services.sign_in import sign_in_verified

        one = browser_at(server, **headers)
        one.email = f"{uuid4().hex[:10]}@example.com"
        one.account_id = server.run(add_account(server.ports, one.email, name)).id
        server.run(server.ports.store.write(lambda tx: tx.sign_ins.set_password(one.account_id, hash_of(PASSWORD))))
        one.keep(server.run(sign_in_verified(server.ports, one.email)).token)
        return one

    return opened


@pytest.fixture
def person(person_at: Callable[..., Browser], server: Server) -> Browser:
    """The browser of an account of the test's own, signed in."""
    return person_at(server)


@pytest.fixture
def note(server: Server) -> Callable[..., list[Any]]:
    """Adds a note to somebody's own memory, learned when this returns: `note(person, "...")`; its memories."""

    def told(person: Browser, text: str, **options: Any) -> list[Any]:
        from geniffy_server.caller import Caller
        from geniffy_server.services.notes import NewNote, add_note
        from geniffy_server.services.source_texts import source_text
        from geniffy_server.services.sources import get_source

        caller = Caller(person.account_id)

        async def tell() -> list[Any]:
            source = await add_note(server.ports, caller, NewNote(text=text, **options))
            learned = await get_source(server.ports, caller, source.id, wait_s=30.0)
            assert learned.status == "learned"
            return list((await source_text(server.ports, caller, source.id)).memories)

        return server.run(tell())

    return told


@dataclass
class FrozenClock:
    """The time of a server of the test's own; it stands still until it is told to go on."""

    moment: datetime = NOON

    def now(self) -> datetime:
        return self.moment

    def go_on(self, **time: float) -> None:
        self.moment += timedelta(**time)


@pytest.fixture
def frozen(fresh_server: Callable[..., Server]) -> Callable[..., tuple[Server, FrozenClock]]:
    """Starts a server whose clock stands still: `server, clock = frozen()`."""

    def started(**settings: Any) -> tuple[Server, FrozenClock]:
        server, clock = fresh_server(**settings), FrozenClock()
        server.app.state.ports = replace(server.ports, clock=clock)
        return server, clock

    return started


CLAUDE = "https://claude.ai/api/mcp/auth_callback"


@pytest.fixture
def asked(server: Server) -> Callable[..., str]:
    """Puts an app's request before the person who decides: its id."""

    def ask(
        return_to: str = CLAUDE,
        name: str = "Claude",
        *,
        is_known: bool = True,
        host: str | None = "claude.ai",
        offers: Any = "write",
    ) -> str:
        from geniffy_server.domain.account import secret_hash
        from geniffy_server.domain.connection import App, AppRequest, Client, ClientId, new_secret

        now = server.ports.clock.now()
        later = now + timedelta(minutes=10)
        client = Client(ClientId(new_secret()), name, [return_to], "none", None, now, later)
        request = AppRequest(
            client.id, App(name, is_known, host), return_to, True, "a state", "c" * 43, offers, "/mcp", later
        )
        request_id = new_secret()

        def work(tx: Any) -> None:
            tx.clients.add(client, client.id.encode())
            tx.connections.add_request(secret_hash(request_id), request)

        server.run(server.ports.store.write(work))
        return request_id

    return ask
