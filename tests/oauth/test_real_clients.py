"""Real MCP clients on their whole way through sign-in: nothing is told to them but the address of `/mcp`."""

from __future__ import annotations

import asyncio
import threading
import webbrowser
from typing import Any
from uuid import uuid4

import httpx
import pytest
from fastmcp import Client as FastClient
from fastmcp.client.auth import OAuth
from mcp import Client as SdkClient
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from geniffy_server.domain.connection import Grant
from geniffy_server.services.accounts import add_account
from tests.conformance import approving
from tests.conftest import Server
from tests.oauth.conftest import CALLBACK, query_of

ERAS = ["legacy", "auto"]
READING = {"search", "fetch", "ask", "profile", "list_memories"}


class Person:
    """Somebody with an account, who signs in on the pages and allows what an app asks for."""

    def __init__(self, server: Server, grant: Grant) -> None:
        self.server, self.grant = server, grant
        self.visits = 0
        self._person = approving.Person(f"{uuid4().hex}@example.com", "a few plain words")
        made = add_account(server.ports, self._person.email, "Zoë Ferreira", password=self._person.password)
        self.account_id = server.run(made).id

    def decides(self, address: str) -> str:
        """Open what an app wants opened; the address that the person is sent back to."""
        self.visits += 1
        return self._person.allows(address, self.grant)

    def opens(self, address: str, *_: Any) -> bool:
        """Stands for `webbrowser.open`: goes the whole way, while the app begins to listen for its end."""

        def go() -> None:
            # It tries again for as long as nobody listens there.
            with httpx.Client(transport=httpx.HTTPTransport(retries=8)) as browser:
                browser.get(self.decides(address))

        threading.Thread(target=go, daemon=True).start()
        return True


class Kept:
    """What an app keeps between two starts."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def provider(
    person: Person, kept: Kept, name: str, base_url: str | None = None, path: str = "/mcp"
) -> OAuthClientProvider:
    """The SDK's own client of OAuth, with the person at its browser."""
    arrived: list[str] = []

    async def redirect(address: str) -> None:
        arrived.append(await asyncio.to_thread(person.decides, address))

    async def callback() -> AuthorizationCodeResult:
        told = query_of(arrived.pop())
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])

    metadata = OAuthClientMetadata.model_validate({"client_name": name, "redirect_uris": [CALLBACK]})
    return OAuthClientProvider(f"{base_url or person.server.base_url}{path}", metadata, kept, redirect, callback)


async def tools_of(person: Person, auth: OAuthClientProvider, era: str) -> set[str]:
    """Connect, list the tools, and call one."""
    async with (
        create_mcp_http_client(auth=auth) as http,
        SdkClient(streamable_http_client(auth.context.server_url, http_client=http), mode=era) as client,
    ):
        result = await client.call_tool("list_memories", {})
        assert not result.is_error
        return {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("grant", "path"), [("read", "/mcp"), ("write", "/mcp/")])
async def test_the_sdk_s_client_signs_in_and_later_goes_on_without_asking(
    server: Server, era: str, grant: Grant, path: str
) -> None:
    person, kept = Person(server, grant), Kept()

    shown = await tools_of(person, provider(person, kept, f"SDK {era} {grant}", path=path), era)
    first = kept.tokens
    restarted = provider(person, kept, "SDK", path=path)
    restarted.context.token_expiry_time = 1.0  # it has the tokens, and nothing of the metadata
    again = await tools_of(person, restarted, era)

    assert shown == again
    assert shown >= READING
    assert ("remember" in shown) == (grant == "write")
    assert person.visits == 1
    assert first is not None
    assert kept.tokens is not None
    assert kept.tokens.refresh_token != first.refresh_token


@pytest.mark.filterwarnings("ignore:Using in-memory token storage")
@pytest.mark.parametrize("era", ERAS)
async def test_fastmcp_s_client_signs_in_through_a_browser(
    server: Server, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(server, "write")
    monkeypatch.setattr(webbrowser, "open", person.opens)

    async with FastClient(f"{server.base_url}/mcp", auth=OAuth(client_name=f"Fast {era}"), mode=era) as client:
        shown = {tool.name for tool in await client.list_tools()}
        result = await client.call_tool_mcp("list_memories", {})

    assert {*READING, "remember", "correct", "forget"} == shown
    assert not result.is_error
    assert person.visits == 1


async def test_an_app_that_was_disconnected_asks_the_person_again(server: Server) -> None:
    from geniffy_server.services.connections import disconnect, list_connections

    person, kept = Person(server, "write"), Kept()
    await tools_of(person, provider(person, kept, "Again"), "auto")

    async def end() -> None:
        for one in await list_connections(server.ports, person.account_id):
            await disconnect(server.ports, person.account_id, one.id)

    await asyncio.to_thread(server.run, end())
    await tools_of(person, provider(person, kept, "Again"), "auto")

    assert person.visits == 2


async def test_a_client_that_was_told_localhost_signs_in_too(server: Server) -> None:
    person, kept = Person(server, "write"), Kept()
    address = server.base_url.replace("127.0.0.1", "localhost")

    assert await tools_of(person, provider(person, kept, "By name", address), "auto") > READING
    assert person.visits == 1
