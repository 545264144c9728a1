"""No page shows or changes another account's memory, or that of a space, whatever id it is given.

Two people and a space of one of them hold the same sentences but for one word. Every page and every form of the
server's own table of routes is called by one person with the ids of the other and of the space. A route that this file
does not know fails the first test: each new page has to be added here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest

from geniffy_server.caller import Caller
from geniffy_server.domain.file import file_path
from geniffy_server.domain.sign_in import form_token
from geniffy_server.services.accounts import add_account, copy_of
from geniffy_server.services.files import put_file
from geniffy_server.services.keys import list_keys, make_key
from geniffy_server.services.notes import NewNote, add_note
from geniffy_server.services.sign_in import sign_in_verified
from geniffy_server.services.source_texts import source_text
from geniffy_server.services.sources import get_source
from tests.conftest import Server

MINE, THEIRS, SPACES = "bluebird", "greenfinch", "nightjar"


@dataclass(frozen=True)
class Held:
    """What one memory holds, by the names that pages use."""

    caller: Caller
    memory: int
    source: str
    path: str
    key: int


@dataclass(frozen=True)
class Person:
    """Somebody who is signed in."""

    http: httpx.Client
    csrf: str
    held: Held
    in_space: Held


async def fill(ports: Any, caller: Caller, word: str) -> Held:
    note = await add_note(ports, caller, NewNote(f"Kim Park keeps the {word} code at Acme.", f"On {word}"))
    put = await put_file(ports, caller, file_path(f"/memories/{word}.md"), f"The spare {word} key is under the mat.")
    for source in (note, put.source):
        assert (await get_source(ports, caller, source.id, wait_s=30)).status == "learned"
    memory = (await source_text(ports, caller, note.id)).memories[0]
    key = await make_key(ports, caller.account_id, name=f"{word} phone", space=caller.space or None)
    return Held(caller, memory.id, note.id, f"/memories/{word}.md", key.key.id)


@pytest.fixture
def make_person(server: Server) -> Iterator[Callable[[str, str], Person]]:
    with ExitStack() as stack:

        def made(word: str, word_in_space: str) -> Person:
            async def make() -> tuple[str, Held, Held]:
                ports = server.ports
                account = await add_account(ports, f"{uuid4().hex[:10]}@example.com", f"{word} keeper")
                held = await fill(ports, Caller(account.id), word)
                in_space = await fill(ports, Caller(account.id, f"space-{word_in_space}"), word_in_space)
                return (await sign_in_verified(ports, account.email or "")).token, held, in_space

            token, held, in_space = server.run(make())
            http = stack.enter_context(httpx.Client(base_url=server.base_url, timeout=60.0))
            http.cookies.set(f"geniffy_session_{server.base_url.rpartition(':')[2]}", token)
            return Person(http, form_token(token), held, in_space)

        yield made


def pages(it: Held) -> dict[str, list[str]]:
    """Every page, as it is asked for with the ids of another memory."""
    space = it.caller.space
    return {
        "/app": ["/app"],
        "/app/": ["/app/"],
        "/app/setup": ["/app/setup?token=x"],
        "/app/sign-in": ["/app/sign-in"],
        "/app/sign-in/oidc": ["/app/sign-in/oidc"],
        "/app/sign-in/oidc/callback": ["/app/sign-in/oidc/callback?code=x&state=y"],
        "/app/approve": ["/app/approve?request=x"],
        "/app/memories": [
            "/app/memories",
            "/app/memories?kind=people",
            "/app/memories?q=Which+code+does+Kim+Park+keep",
            "/app/memories?cursor=1",
            f"/app/memories?focus={it.memory}",
            f"/app/memories?focus={it.memory}&space={space}",
        ],
        "/app/sources": [
            "/app/sources",
            "/app/sources?status=learned",
            f"/app/sources?focus={it.source}",
            f"/app/sources?focus={it.source}&done=added",
            f"/app/sources?forget={it.source}",
        ],
        "/app/files": ["/app/files", "/app/files?prefix=/memories/", f"/app/files?path={it.path}x"],
        "/app/files/download": [f"/app/files/download?path={it.path}x"],
        "/app/agents": ["/app/agents"],
        "/app/keys": ["/app/keys"],
        "/app/requests": ["/app/requests?views=1"],
        "/app/spaces": ["/app/spaces"],
        "/app/spaces/export": ["/app/spaces/export"],
        "/app/account": ["/app/account"],
        "/app/static/{name}": ["/app/static/style.css"],
        "/app/{path:path}": ["/app/nowhere"],
    }


def forms(it: Held, mine: Held) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """Every form, as it is sent with the ids of another memory."""
    memory = f"/app/memories/{it.memory}"
    return {
        "/app/memories/{memory_id}/correct": [(f"{memory}/correct", {"text": "Kim Park left."})],
        "/app/memories/{memory_id}/forget": [(f"{memory}/forget", {})],
        "/app/memories/{memory_id}/settle": [
            (f"{memory}/settle", {"keep": str(mine.memory)}),
            (f"/app/memories/{mine.memory}/settle", {"keep": str(it.memory)}),
        ],
        "/app/memories/{memory_id}/curate": [(f"{memory}/curate", {"category": "work", "locked": "yes"})],
        "/app/sources/forget": [("/app/sources/forget", {"source": it.source})],
        "/app/sources/curate": [("/app/sources/curate", {"source": it.source, "category": "work", "locked": "yes"})],
        "/app/files/delete": [("/app/files/delete", {"path": it.path})],
        "/app/agents/disconnect": [("/app/agents/disconnect", {"connection": "1"})],
        "/app/keys/revoke": [("/app/keys/revoke", {"key": str(it.key)})],
        "/app/spaces/erase": [
            ("/app/spaces/erase", {"space": "space-" + THEIRS, "confirm": "space-" + THEIRS}),
        ],
        "/app/approve": [("/app/approve", {"request": "x", "decision": "allow", "grant": "write"})],
    }


# These work on whoever is signed in alone, and take no name of anything that is held.
_NO_IDS = {
    "/app/setup",
    "/app/sign-in",
    "/app/sign-out",
    "/app/sign-out/everywhere",
    "/app/memories",
    "/app/keys",
    "/app/account",
    "/app/account/password",
    "/app/{path:path}",
}


def test_this_file_knows_every_page_and_every_form(server: Server) -> None:
    routes = [route for route in server.app.router.routes if getattr(route, "path", "").startswith("/app")]
    it = Held(Caller(1), 1, "x", "/x", 1)
    assert {route.path for route in routes if "GET" in (route.methods or {"GET"})} == set(pages(it))
    assert {route.path for route in routes if "POST" in (route.methods or ())} == set(forms(it, it)) | _NO_IDS


def test_no_page_shows_what_another_account_or_a_space_holds(make_person: Any) -> None:
    me, them = make_person(MINE, "wren"), make_person(THEIRS, SPACES)
    for it, words in ((them.held, (THEIRS, SPACES)), (them.in_space, (THEIRS, SPACES)), (me.in_space, ("wren",))):
        for asked in [address for addresses in pages(it).values() for address in addresses]:
            shown = re.sub(r"space-\w+", "", me.http.get(asked, follow_redirects=True).text)
            shown = shown.replace("wren phone", "")  # who owns an account sees the keys of its spaces
            assert not [word for word in words if word in shown.replace(f"{it.path}x", "")], asked
    assert MINE in me.http.get("/app/memories").text


def test_no_form_changes_what_another_account_or_a_space_holds(make_person: Any, server: Server) -> None:
    me, them = make_person(MINE, "wren"), make_person(THEIRS, SPACES)
    for it in (them.held, them.in_space, me.in_space):
        before = server.run(copy_of(server.ports, it.caller))
        keys = server.run(list_keys(server.ports, them.held.caller.account_id))
        for address, fields in [one for many in forms(it, me.held).values() for one in many]:
            if it is me.in_space and address == "/app/keys/revoke":
                continue  # who owns an account may revoke the keys of its spaces
            sent = me.http.post(address, data={"csrf": me.csrf, **fields})
            assert sent.status_code in (404, 422), (address, sent.status_code)
        after = server.run(copy_of(server.ports, it.caller))
        assert (after.memories, after.sources, after.files) == (before.memories, before.sources, before.files)
        assert server.run(list_keys(server.ports, them.held.caller.account_id)) == keys
