"""A browser without a window: it keeps cookies, sends forms as browsers do, and reads what pages show."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest

PASSWORD = "a few plain words"

Served = Any  # `tests.conftest.Server`, which can't be imported by that name from here


@dataclass
class Browser:
    """A person's browser at one server."""

    http: httpx.Client
    email: str = ""
    account_id: int = 0

    def get(self, path: str, **parameters: Any) -> httpx.Response:
        return self.http.get(path, params=parameters or None)

    def post(self, path: str, /, *, on: str | None = None, **fields: Any) -> httpx.Response:
        """Send a form of the page `on` (by default the one it is sent to), with the token that page carries."""
        shown = self.http.get(on or path)
        return self.http.post(path, data={"csrf": csrf_of(shown), **fields})

    def sign_in(self, email: str, password: str = PASSWORD, **fields: Any) -> httpx.Response:
        return self.post("/app/sign-in", email=email, password=password, **fields)


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

        def opened(server: Served, **headers: str) -> Browser:
            return Browser(stack.enter_context(httpx.Client(base_url=server.base_url, timeout=60.0, headers=headers)))

        yield opened


@pytest.fixture
def stranger(browser_at: Callable[..., Browser], server: Served) -> Browser:
    """A browser that nobody signed in with, at the server of the session."""
    return browser_at(server)


@pytest.fixture
def person_at(browser_at: Callable[..., Browser]) -> Callable[..., Browser]:
    """Opens the browser of a new account, signed in: `person_at(server)`."""

    def opened(server: Served, name: str = "Zoë Ferreira", **headers: str) -> Browser:
        from geniffy_server.services.accounts import add_account

        one = browser_at(server, **headers)
        one.email = f"{uuid4().hex[:10]}@example.com"
        one.account_id = server.run(add_account(server.ports, one.email, name, password=PASSWORD)).id
        assert one.sign_in(one.email).status_code == 303
        return one

    return opened


@pytest.fixture
def person(person_at: Callable[..., Browser], server: Served) -> Browser:
    """The browser of an account of the test's own, signed in."""
    return person_at(server)


@pytest.fixture
def note(server: Served) -> Callable[..., list[Any]]:
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
