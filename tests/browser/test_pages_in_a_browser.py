"""Every page at every width, in light and dark, for everybody; and none in another site's frame."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.async_api import Page, expect

from geniffy_server.caller import Caller
from geniffy_server.domain.file import file_path
from geniffy_server.domain.source import Turn
from geniffy_server.services.files import put_file
from geniffy_server.services.keys import make_key
from geniffy_server.services.memories import correct
from geniffy_server.services.notes import NewNote, add_note
from geniffy_server.services.sign_in import make_setup_link
from geniffy_server.services.source_texts import source_text
from geniffy_server.services.sources import get_source
from geniffy_server.services.talks import NewTalk, add_talk
from tests.browser.conftest import App, Member
from tests.conftest import Server
from tests.npm.installed import installed

Open = Callable[..., Any]
SAID = datetime(2026, 10, 3, 9, 41, tzinfo=UTC)
LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstellenleiter" * 2


@pytest.fixture
def pages(server: Server, member: Member) -> list[str]:
    """Every page, of a memory with something on each: long words, a clash, a space, a file."""
    caller = Caller(member.id, app="An app with quite a long name of its own, for what it is")

    async def fill() -> list[str]:
        ports = server.ports
        told = [
            NewNote("My favourite tea is oolong.", said_at=SAID),
            NewNote("My favourite tea is sencha.", said_at=SAID),
            NewNote("Kim works at Acme.", LONG),
        ]
        sources = [await add_note(ports, caller, note) for note in told]
        put = await put_file(ports, caller, file_path(f"/memories/{'deep/' * 8}{'long' * 20}.md"), f"# Kim\n\n{LONG}\n")
        turns = [
            Turn("user", LONG, f"I'll send {LONG} the list by Friday.", SAID),
            Turn("user", "Kim", "We moved the launch to March 20.", SAID),
        ]
        talk = await add_talk(ports, caller, NewTalk(turns))
        await add_note(ports, Caller(member.id, "customer_" + "1042" * 12), NewNote("I prefer tea."))
        await make_key(ports, member.id, name="k" * 120, space="customer_" + "1042" * 12)
        for source in (*sources, put.source, talk):
            await get_source(ports, caller, source.id, wait_s=30)
        memory = (await source_text(ports, caller, sources[1].id)).memories[0]
        short = (await source_text(ports, caller, sources[2].id)).memories[0]
        corrected = await correct(ports, caller, short.id, f"Kim works with {LONG} at Acme.")
        odd = (await source_text(ports, caller, corrected.id)).memories[0]
        link = await make_setup_link(ports, member.id)
        return [
            "/app/memories",
            f"/app/memories?focus={memory.id}",
            f"/app/memories?focus={odd.id}",
            "/app/memories?q=tea",
            "/app/sources#add",
            f"/app/sources?focus={sources[2].id}",
            f"/app/sources?focus={talk.id}",
            f"/app/sources?forget={sources[2].id}",
            f"/app/files?path={put.file.path}",
            "/app/agents",
            "/app/keys",
            "/app/requests?views=1",
            "/app/spaces?erase=customer_" + "1042" * 12,
            "/app/account",
            "/app/sign-in",
            link.removeprefix(ports.public_url),
        ]

    return server.run(fill())


@pytest.mark.parametrize("width", [320, 800, 1060, 1920])
async def test_no_page_is_wider_than_the_window(open_page: Open, sign_in: Any, pages: list[str], width: int) -> None:
    page: Page = await open_page(width=width)
    await sign_in(page)
    for address in pages:
        await page.goto(address)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, address
        await expect(page.locator("h1")).to_be_in_viewport()


@pytest.mark.parametrize("width", [320, 360, 480])
async def test_a_date_can_be_read_whole_on_a_phone(open_page: Open, sign_in: Any, width: int) -> None:
    page: Page = await open_page(width=width)
    await sign_in(page)
    for address in ("/app/keys", "/app/requests"):
        await page.goto(address)
        field = page.locator("input[type=date]")
        has = await field.evaluate("one => one.getBoundingClientRect().width")
        needs = await field.evaluate(
            "one => { one.style.width = 'max-content'; return one.getBoundingClientRect().width }"
        )
        assert has >= needs, address


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("dark", 320)])
async def test_axe_finds_nothing_that_shuts_anybody_out(
    open_page: Open, sign_in: Any, pages: list[str], scheme: str, width: int
) -> None:
    axe = (installed() / "node_modules" / "axe-core" / "axe.min.js").read_text()
    page: Page = await open_page(width=width, scheme=scheme, bypass_csp=True)
    await sign_in(page)
    found: dict[str, Any] = {}
    for address in pages:
        await page.goto(address)
        await page.evaluate(axe)
        found[address] = await page.evaluate(
            "async () => (await axe.run()).violations.map(one => [one.id, one.nodes.map(node => node.html)])"
        )
    assert not {address: wrong for address, wrong in found.items() if wrong}


async def test_the_menu_of_a_phone_leads_to_every_page_and_signs_out(open_page: Open, sign_in: Any) -> None:
    page: Page = await open_page(width=360, java_script_enabled=False)
    await sign_in(page)
    await page.goto("/app/memories")
    for name in ("Sources", "Files", "Agents and MCP", "Keys", "Requests", "Spaces", "Memories"):
        await page.locator("summary", has_text="Menu").click()
        await page.get_by_role("navigation", name="Pages, small screens").get_by_role("link", name=name).click()
        await expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    await page.locator("summary", has_text="Menu").click()
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("heading", level=1, name="Sign in")).to_be_visible()


async def test_a_page_of_another_site_can_neither_frame_a_page_nor_send_its_form(
    open_page: Open, sign_in: Any, server: Server, member: Member, app: App, chromium: Any
) -> None:
    app.page = f"""<!doctype html><iframe src="{server.base_url}/app/keys"></iframe>
        <form method="post" action="{server.base_url}/app/keys"><input name="name" value="stolen">
        <input name="csrf" value="{"0" * 64}"><button>Win a prize</button></form>"""
    context = await chromium.new_context()
    page = await context.new_page()
    await sign_in(page)
    await page.goto(app.address)
    framed = page.frames[1]
    await framed.wait_for_load_state()
    assert "Make a key" not in await framed.content()
    # Another port of this host is the same site: the browser does send the cookie.
    await page.get_by_role("button", name="Win a prize").click()
    await expect(page.get_by_text("A page of another site sent this form, so nothing was done.")).to_be_visible()
    await page.goto(f"{server.base_url}/app/keys")
    await expect(page.get_by_text("No key works.")).to_be_visible()
    await context.close()
