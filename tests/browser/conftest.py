"""Debian's Chromium, driven by Playwright against a server in a thread of this process."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from tests.conftest import Server

CHROMIUM: Final = Path("/usr/bin/chromium")
FLAGS: Final = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PASSWORD: Final = "a few plain words"
WITHIN_MS: Final = 30_000


@pytest.fixture
async def chromium() -> AsyncIterator[Browser]:
    """A browser of the test's own."""
    if not CHROMIUM.exists():
        pytest.fail("These tests need Chromium: apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        await browser.close()


@pytest.fixture
async def open_page(chromium: Browser, server: Server) -> AsyncIterator[Callable[..., Any]]:
    """Opens a page in a window of its own: `await open_page(width=320, scheme="dark")`.

    What a page's policy forbids, and what it can't load, makes the test fail at its end.
    """
    wrong: list[str] = []
    contexts: list[BrowserContext] = []

    async def opened(width: int = 1280, height: int = 800, scheme: Any = "light", **options: Any) -> Page:
        context = await chromium.new_context(
            base_url=server.base_url, viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        context.set_default_timeout(WITHIN_MS)
        contexts.append(context)
        page = await context.new_page()
        page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda fault: wrong.append(str(fault)))
        return page

    yield opened
    for context in contexts:
        await context.close()
    assert wrong == []


@dataclass(frozen=True)
class Member:
    """Somebody with an account."""

    id: int
    email: str
    token: str


@pytest.fixture
def member(server: Server) -> Member:
    """An account of the test's own, with a password, and a session."""
    from geniffy_server.services.accounts import add_account
    from geniffy_server.services.sign_in import sign_in_verified

    email = f"{uuid4().hex[:10]}@example.com"
    account = server.run(add_account(server.ports, email, "Zoë Ferreira", password=PASSWORD))
    return Member(account.id, email, server.run(sign_in_verified(server.ports, email)).token)


@pytest.fixture
def sign_in(server: Server, member: Member) -> Callable[[Page], Any]:
    """Gives a page the member's session: `await sign_in(page)`."""

    async def signed(page: Page) -> None:
        name = f"geniffy_session_{server.base_url.rpartition(':')[2]}"
        await page.context.add_cookies([{"name": name, "value": member.token, "url": f"{server.base_url}/app"}])

    return signed


@dataclass
class App:
    """A web server of somebody else's: it notes what it is asked for, and serves one page."""

    address: str = ""
    page: str = "<!doctype html><title>Back in the app</title><p>Back in the app"
    asked: list[str] = field(default_factory=list)
    was_asked: threading.Event = field(default_factory=threading.Event)

    @property
    def answer(self) -> dict[str, str]:
        """The parameters that the browser brought to its callback."""
        assert self.was_asked.wait(WITHIN_MS / 1000), "the browser never came to the app"
        return {name: values[0] for name, values in parse_qs(urlsplit(self.asked[0]).query).items()}


@pytest.fixture
def app() -> Iterator[App]:
    """An app on this computer, at an address of its own."""
    one = App()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/callback"):
                one.asked.append(self.path)
                one.was_asked.set()
            body = one.page.encode() if self.path != "/favicon.ico" else b""
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    one.address = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield one
    listening.shutdown()
    thread.join(10)
    listening.server_close()
