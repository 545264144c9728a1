"""What apps and people write is shown as they wrote it, and is never part of a page."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest

from geniffy_server.caller import Caller
from geniffy_server.domain.file import file_path
from geniffy_server.domain.source import Turn
from geniffy_server.services.accounts import describe_account, who
from geniffy_server.services.files import put_file
from geniffy_server.services.keys import make_key
from geniffy_server.services.notes import NewNote, add_note
from geniffy_server.services.sources import get_source
from geniffy_server.services.talks import NewTalk, add_talk
from tests.conftest import Server
from tests.web.conftest import CLAUDE, Browser

PAYLOADS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    "</textarea><svg/onload=alert(1)>",
    "{{ 7 * 1117 }}{% include 'x' %}",
    "javascript:alert(1)",
]
OUR_TAGS = (
    "html head meta title link body svg symbol path circle rect use a div header details summary nav p form input "
    "button main h1 h2 h3 ul ol li small span article dl dt dd textarea label section table caption thead tr th tbody "
    "td b code mark q figure figcaption select option time pre fieldset legend"
)


class Reader(HTMLParser):
    """Notes every element and attribute that a page has."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "action", "src", "formaction")]


@pytest.fixture(params=PAYLOADS)
def payload(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_no_stored_word_becomes_a_part_of_a_page(
    person: Browser, server: Server, payload: str, asked: Callable[..., str]
) -> None:
    caller = Caller(person.account_id, app=payload)
    paths = [f"/memories/{payload.replace('/', '_')}/note.md", "/plain.md"]

    async def fill() -> None:
        account = await who(server.ports, caller)
        await describe_account(server.ports, account, name=payload, time_zone="UTC")
        sources = [
            await add_note(
                server.ports,
                caller,
                NewNote(
                    f"Kim keeps {payload} at Acme. I prefer tea.", payload, labels={payload.replace(":", ""): payload}
                ),
            ),
            await add_talk(
                server.ports, caller, NewTalk([Turn("user", payload, f"I own {payload} and a boat.", None)], payload)
            ),
            *[
                (await put_file(server.ports, caller, file_path(path), f"Kim has {payload}.\n")).source
                for path in paths
            ],
            await add_note(server.ports, Caller(person.account_id, "a-space", app=payload), NewNote("I prefer tea.")),
        ]
        for source in sources[:-1]:
            await get_source(server.ports, caller, source.id, wait_s=30)
        await make_key(server.ports, person.account_id, name=payload)
        await server.ports.store.write(lambda tx: connect(tx, person, server, payload))

    server.run(fill())
    request_id = asked("https://evil.example/cb", payload, is_known=False, host="evil.example")
    listed = [person.get(f"/app/{name}").text for name in ("memories", "sources", "files", "agents", "keys", "spaces")]
    focused = [
        person.get(address.replace("&amp;", "&")).text
        for page in listed[:3]
        for address in re.findall(r'href="(/app/(?:memories|sources|files)\?(?:focus|path|forget)=[^"#]+)', page)
    ]
    others = [
        person.get("/app/account").text,
        person.get("/app/requests", q=payload).text,
        person.get("/app/requests", app=payload, views="1").text,
        person.get("/app/memories", q=payload).text,
        person.get("/app/files", prefix=payload).text,
        person.get("/app/approve", request=request_id).text,
        person.get("/app/sign-in", next=payload).text,
        person.get("/app/sign-in", next=f"/app/approve?request={request_id}").text,
        person.get("/app/setup", token=payload).text,
        person.get(f"/app/{payload.replace('/', '_')}").text,
        person.sign_in(payload, payload).text,
        person.post("/app/keys", name=payload, space=payload, rpm=payload, expires=payload).text,
    ]
    assert len(focused) >= 8
    for page in [*listed, *focused, *others]:
        reader = Reader()
        reader.feed(page)
        assert reader.tags <= set(OUR_TAGS.split())
        assert "7819" not in page
        assert not {name for name in reader.attributes if name.startswith("on") or name in ("style", "srcdoc", "src")}
        assert all(address.startswith(("/app", "#")) for address in reader.addresses), reader.addresses


def connect(tx: Any, person: Browser, server: Server, name: str) -> None:
    """An app of that name, connected."""
    from geniffy_server.domain.connection import App, AppRequest, Client, ClientId, Code, new_secret

    now = server.ports.clock.now()
    later = now + timedelta(days=1)
    client = Client(ClientId(new_secret()), name, [CLAUDE], "none", None, now, later)
    request = AppRequest(client.id, App(name, False, name), CLAUDE, True, None, "c" * 43, "write", "/mcp", later)
    tx.clients.add(client, client.id.encode())
    tx.connections.add(Code(request, person.account_id, "write", later, None), now, later)
