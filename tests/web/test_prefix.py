"""The pages beneath a path, as a proxy may serve them: every address on them, and every redirect, has the prefix."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from geniffy_server.services.accounts import add_account
from geniffy_server.services.sign_in import make_setup_link
from tests.conftest import Server
from tests.web.conftest import PASSWORD, Browser, words_of


@pytest.fixture
def prefixed(fresh_server: Callable[..., Server]) -> Server:
    return fresh_server(public_url="http://memory.example/mem")


@pytest.mark.parametrize("prefix", ["/mem", ""])
def test_pages_work_with_the_prefix_and_without_it_when_a_proxy_has_cut_it_off(
    prefixed: Server, browser_at: Callable[..., Browser], prefix: str
) -> None:
    prefixed.run(add_account(prefixed.ports, "ana@example.com", "Ana", password=PASSWORD))
    one = browser_at(prefixed)
    first = one.get(f"{prefix}/app/keys")
    assert first.headers["location"] == "/mem/app/sign-in?next=%2Fapp%2Fkeys"
    form = one.get(f"{prefix}/app/sign-in", next="/app/keys")
    assert "path=/mem/app" in form.headers["set-cookie"].lower()
    csrf = re.search(r'name="csrf" value="(\w+)"', form.text)
    secret = re.search(r"geniffy_form=([^;]+)", form.headers["set-cookie"])
    assert csrf
    assert secret
    sent = one.http.post(
        f"{prefix}/app/sign-in",
        data={"csrf": csrf.group(1), "email": "ana@example.com", "password": PASSWORD, "next": "/app/keys"},
        headers={"Cookie": f"geniffy_form={secret.group(1)}", "Origin": "http://memory.example"},
    )
    assert sent.headers["location"] == "/mem/app/keys"
    session = re.search(r"geniffy_session=([^;]+)", sent.headers["set-cookie"])
    assert session
    page = one.http.get(f"{prefix}/app/keys", headers={"Cookie": f"geniffy_session={session.group(1)}"})
    assert page.status_code == 200
    addresses = re.findall(r'(?:href|action)="([^"#][^"]*)"', page.text)
    assert len(addresses) > 10
    assert all(address.startswith("/mem/app") for address in addresses)
    style = next(address for address in addresses if "style.css" in address)
    assert one.get(style if prefix else style.removeprefix("/mem")).status_code == 200


def test_what_is_to_be_pasted_names_the_public_address(prefixed: Server, person_at: Any) -> None:
    person = person_at(prefixed)
    page = person.http.get("/mem/app/agents", headers={"Cookie": f"geniffy_session={person.session}"})
    assert "http://memory.example/mem/mcp" in words_of(page)
    link = prefixed.run(make_setup_link(prefixed.ports, person.account_id))
    assert link.startswith("http://memory.example/mem/app/setup?token=")


def test_an_app_that_can_not_be_connected_is_told_in_the_look_of_the_pages(prefixed: Server, browser_at: Any) -> None:
    page = browser_at(prefixed).get("/mem/oauth/authorize", client_id="nobody")
    assert page.status_code == 400
    assert "is not registered here" in words_of(page)
    assert '<link rel="stylesheet" href="/mem/app/static/style.css' in page.text
    assert page.headers["x-frame-options"] == "DENY"
