"""What people do on the pages, in a real browser, with scripts off: none is needed."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import httpx
from playwright.async_api import Page, expect

from geniffy_server.services.sign_in import make_setup_link
from tests.browser.conftest import PASSWORD, App, Member
from tests.conftest import Server

Open = Callable[..., Any]


async def test_from_the_setup_link_to_a_memory_that_is_corrected_and_forgotten(
    open_page: Open, server: Server, files_holding: Callable[[str], list[str]]
) -> None:
    async def add() -> str:
        now = server.ports.clock.now()
        account = await server.ports.store.write(lambda tx: tx.accounts.add(None, None, "UTC", now))
        return await make_setup_link(server.ports, account.id)

    page: Page = await open_page(java_script_enabled=False)
    email = f"{uuid4().hex[:10]}@example.com"
    await page.goto(server.run(add()))
    await page.get_by_label("Name").fill("Ana Lima")
    await page.get_by_label("Email").fill(email)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Open my memory").click()
    await expect(page.get_by_role("heading", name="Nothing is remembered yet")).to_be_visible()

    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("status")).to_have_text("You are signed out.")
    await page.get_by_label("Email").fill(email)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()

    await page.get_by_role("link", name="Add a note").click()
    await page.get_by_role("textbox", name="Note").fill(
        "Meeting on Monday.\n\nPriya Thistlequay signs the Lumen renewal."
    )
    await page.get_by_label("Title").fill("Kick-off")
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("Added")
    await page.get_by_role("link", name="Priya Thistlequay signs the Lumen renewal.").click()

    await expect(page.locator("#said")).to_have_text("Priya Thistlequay signs the Lumen renewal.")
    await expect(page.locator("mark")).to_have_text("Priya Thistlequay signs the Lumen renewal.")
    await expect(page.locator("li.is-hit")).to_have_attribute("data-n", "3")
    await expect(page.get_by_role("figure").get_by_role("link")).to_have_text("Kick-off")

    await page.locator("summary", has_text="Correct").click()
    await page.get_by_label("What is right instead").fill("Omkar Thistlequay signs the Lumen renewal.")
    await page.get_by_role("button", name="Save correction").click()
    await expect(page.locator("#said")).to_have_text("Omkar Thistlequay signs the Lumen renewal.")
    await expect(page.locator(".timeline")).to_contain_text("Priya Thistlequay signs the Lumen renewal.")
    await expect(page.locator(".timeline")).to_contain_text("Marked wrong")

    await page.locator("summary", has_text="Forget").click()
    await expect(page.get_by_text("It can’t be undone.")).to_be_visible()
    await page.get_by_role("button", name="Forget for good").click()
    await expect(page.get_by_role("status")).to_contain_text("Forgotten for good")
    await expect(page.locator("main")).not_to_contain_text("Thistlequay")
    assert files_holding("Thistlequay") == []


class Asking:
    """An app that asks to be let in, over the real endpoints."""

    def __init__(self, server: Server, app: App) -> None:
        self.server = server
        self.redirect = f"{app.address}/callback"
        self.verifier = secrets.token_urlsafe(48)
        told = {
            "client_name": "Notes <i>App</i>",
            "redirect_uris": [self.redirect],
            "token_endpoint_auth_method": "none",
        }
        made = httpx.post(f"{server.base_url}/oauth/register", json=told)
        assert made.status_code == 201, made.text
        self.client_id = made.json()["client_id"]

    @property
    def address(self) -> str:
        """Where it sends the person."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()
        told = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "state": "a state",
            "scope": "memory:read memory:write",
        }
        return f"{self.server.base_url}/oauth/authorize?{urlencode(told)}"

    def token(self, code: str) -> str:
        """Trade the code."""
        told = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect,
            "client_id": self.client_id,
            "code_verifier": self.verifier,
        }
        traded = httpx.post(f"{self.server.base_url}/oauth/token", data=told)
        assert traded.status_code == 200, traded.text
        return str(traded.json()["access_token"])

    def tools(self, token: str) -> tuple[int, set[str]]:
        """What it may do with a token."""
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        told = httpx.post(f"{self.server.base_url}/mcp", json=ask, headers=headers, timeout=60)
        names = {tool["name"] for tool in told.json().get("result", {}).get("tools", [])}
        return told.status_code, names


async def test_an_app_is_allowed_by_who_signs_in_first_and_disconnected_again(
    open_page: Open, server: Server, member: Member, app: App
) -> None:
    asking = Asking(server, app)
    page: Page = await open_page(java_script_enabled=False)
    await page.goto(asking.address)
    await expect(page.get_by_text("to go on connecting Notes <i>App</i> to your memory")).to_be_visible()
    await page.get_by_label("Email").fill(member.email)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()

    await expect(page.locator("#app-name")).to_have_text("Notes <i>App</i>")
    await expect(page.locator("#app-warning")).to_be_visible()
    await expect(page.locator("#return-to")).to_have_text(asking.redirect)
    await expect(page.get_by_label("Only read")).to_be_checked()
    await page.get_by_label("Read and write").check()
    await page.get_by_role("button", name="Allow").click()
    await expect(page.get_by_text("Back in the app")).to_be_visible()
    answer = app.answer
    assert (answer["state"], answer["iss"]) == ("a state", server.ports.public_url)
    token = asking.token(answer["code"])
    status, tools = asking.tools(token)
    assert status == 200
    assert {"search", "remember", "forget"} <= tools

    await page.goto("/app/agents")
    await expect(page.get_by_role("row").filter(has_text="Notes <i>App</i>")).to_contain_text("Read and write")
    await page.get_by_role("button", name="Disconnect Notes <i>App</i>").click()
    await expect(page.get_by_role("status")).to_contain_text("is disconnected")
    assert asking.tools(token)[0] == 401


async def test_an_app_that_is_let_read_can_only_read_and_one_that_is_denied_gets_nothing(
    open_page: Open, server: Server, app: App, sign_in: Any
) -> None:
    page: Page = await open_page()
    await sign_in(page)
    denied = Asking(server, app)
    await page.goto(denied.address)
    await page.get_by_role("button", name="Deny").click()
    await expect(page.get_by_text("Back in the app")).to_be_visible()
    assert app.answer["error"] == "access_denied"
    assert "code" not in app.answer

    app.asked.clear()
    app.was_asked.clear()
    reading = Asking(server, app)
    await page.goto(reading.address)
    await page.get_by_role("button", name="Allow").click()
    await expect(page.get_by_text("Back in the app")).to_be_visible()
    status, tools = reading.tools(reading.token(app.answer["code"]))
    assert status == 200
    assert "search" in tools
    assert not tools & {"remember", "correct", "forget"}


async def test_everything_can_be_done_by_keyboard_and_enter_alone_grants_nothing(
    open_page: Open, server: Server, member: Member, app: App
) -> None:
    page: Page = await open_page()
    await page.goto(Asking(server, app).address)
    await expect(page.get_by_label("Email")).to_be_focused()  # by itself, as the page opens
    await page.keyboard.type(member.email)
    await page.keyboard.press("Tab")
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(page.locator("#app-name")).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(page.get_by_label("Only read")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Back in the app")).to_be_visible()
    assert app.answer["error"] == "access_denied"

    await page.goto("/app/memories")
    await page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    await expect(skip).to_be_focused()
    await expect(skip).to_be_in_viewport()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Add a note")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.get_by_role("textbox", name="Note").focus()
    await page.keyboard.type("I prefer oolong tea.")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_contain_text("Added")
    await page.locator("#source").get_by_role("link", name="I prefer oolong tea.").focus()
    await page.keyboard.press("Enter")
    await page.locator("summary", has_text="Forget").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("button", name="Forget for good")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_contain_text("Forgotten for good")


async def test_a_key_is_made_shown_once_and_revoked(open_page: Open, server: Server, sign_in: Any) -> None:
    page: Page = await open_page(java_script_enabled=False)
    await sign_in(page)
    await page.goto("/app/keys")
    await page.get_by_label("Name").fill("Support bot")
    await page.get_by_role("button", name="Make key").click()
    key = await page.locator("#key").inner_text()
    called = {"Authorization": f"Bearer {key}"}
    assert httpx.get(f"{server.base_url}/v1/me", headers=called).status_code == 200
    await page.goto("/app/keys")
    await expect(page.locator("#key")).to_have_count(0)
    await page.get_by_role("button", name="Revoke Support bot").click()
    await expect(page.get_by_role("status")).to_contain_text("is revoked")
    assert httpx.get(f"{server.base_url}/v1/me", headers=called).status_code == 401
