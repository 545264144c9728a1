"""Signing in through the operator's own identity provider: a real one, the npm package `oidc-provider`, on Node."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from geniffy_server.errors import BadInput
from geniffy_server.services.accounts import add_account, close_account
from geniffy_server.settings import read_settings
from tests.conftest import Server
from tests.npm.installed import HERE, installed
from tests.ports import kept_port
from tests.web.conftest import Browser, words_of

SECRET: Final = "a secret of the two"
PUBLIC: Final = "http://memory.test:8787"
STARTS_WITHIN_S: Final = 60.0


@pytest.fixture(scope="session")
def modules() -> Path:
    """The folder with the provider's package."""
    return installed()


@contextmanager
def providing(modules: Path, port: int, redirect: str, *, userinfo: bool) -> Iterator[str]:
    """A provider that runs while the block does: its issuer."""
    settings = {
        "PROVIDER_PORT": str(port),
        "PROVIDER_MODULES": str(modules),
        "PROVIDER_REDIRECT": redirect,
        "PROVIDER_USERINFO": "1" if userinfo else "0",
    }
    command = ["node", str(HERE / "identity_provider.mjs")]
    with subprocess.Popen(
        command, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as node:
        try:
            assert node.stdout is not None
            issuer = node.stdout.readline().strip()
            assert issuer.startswith("http://127.0.0.1:"), "the provider did not start"
            yield issuer
        finally:
            node.terminate()
            node.wait(STARTS_WITHIN_S)


WHOLE: Final = (
    b'{"issuer": "ISSUER", "authorization_endpoint": "https://id.example/a", "token_endpoint": "https://id.example/a",'
    b' "jwks_uri": "https://id.example/a"}'
)


@contextmanager
def describing_itself(told: bytes) -> Iterator[tuple[str, Callable[[bytes], None]]]:
    """What stands at a provider's well-known address, ISSUER in it being the provider's own; and how to change it."""
    held = [told]

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = held[-1].replace(b"ISSUER", issuer.encode())
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as web:
        issuer = f"http://127.0.0.1:{web.server_port}"
        Thread(target=web.serve_forever, daemon=True).start()
        yield issuer, held.append
        web.shutdown()


@dataclass(frozen=True)
class Both:
    """A server, and the provider that it signs people in with."""

    server: Server
    issuer: str


@pytest.fixture(params=["in the ID token", "from userinfo"])
def both(request: pytest.FixtureRequest, modules: Path, fresh_server: Callable[..., Server]) -> Iterator[Both]:
    """The provider tells the email where providers do: in the ID token, or when it is asked for what it knows."""
    back = f"{PUBLIC}/app/sign-in/oidc/callback"
    userinfo = "userinfo" in request.param
    with kept_port() as port, providing(modules, port, back, userinfo=userinfo) as issuer:
        settings = {"oidc_issuer": issuer, "oidc_client_id": "memory", "oidc_client_secret": SECRET}
        yield Both(fresh_server(public_url=PUBLIC, **settings), issuer)


class Visitor:
    """Follows a person from page to page, on the server and on the provider, as a browser does."""

    def __init__(self, both: Both, http: httpx.Client) -> None:
        self._both = both
        self._http = http
        self._ours: dict[str, str] = {}

    def get(self, address: str) -> httpx.Response:
        """A page of the server, which is reached by the name that its settings give it."""
        place = urlsplit(address)
        path = place.path + (f"?{place.query}" if place.query else "")
        page = httpx.get(f"{self._both.server.base_url}{path}", cookies=self._ours, timeout=60.0)
        self._ours |= dict(page.cookies)
        return page

    def to_provider(self, **parameters: str) -> httpx.Response:
        """Choose to sign in through the provider: the redirect there."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        return self.get(f"/app/sign-in/oidc{query}")

    def at_provider(self, address: str, who: str) -> str:
        """Sign in there as somebody, and allow it: the address that the provider sends the person back to."""
        page = self._http.get(address, follow_redirects=True)
        for _ in range(3):
            action = re.search(r'action="([^"]+)"', page.text)
            assert action, page.text
            prompt = re.search(r'name="prompt" value="(\w+)"', page.text)
            fields = {"prompt": prompt.group(1) if prompt else "consent", "login": who, "password": "any"}
            page = self._http.post(httpx.URL(str(page.url)).join(action.group(1)), data=fields)
            while page.is_redirect:
                location = page.headers["location"]
                if "/app/sign-in/oidc/callback" in location:
                    return str(location)
                page = self._http.get(httpx.URL(str(page.url)).join(location))
        raise AssertionError("the provider never sent the person back")


@pytest.fixture
def visitor(both: Both) -> Iterator[Visitor]:
    with httpx.Client(timeout=60.0) as http:
        yield Visitor(both, http)


def test_who_the_provider_vouches_for_is_signed_in_to_the_account_of_their_email(both: Both, visitor: Visitor) -> None:
    both.server.run(add_account(both.server.ports, "ana@example.com", "Ana"))
    assert f"Sign in with {urlsplit(both.issuer).netloc}" in words_of(visitor.get("/app/sign-in"))
    away = visitor.to_provider(next="/app/keys")
    asked = parse_qs(urlsplit(away.headers["location"]).query)
    assert away.headers["location"].startswith(f"{both.issuer}/auth?")
    assert asked["code_challenge_method"] == ["S256"]
    assert {"state", "nonce", "code_challenge"} <= set(asked)
    back = visitor.at_provider(away.headers["location"], "ana")
    done = visitor.get(back)
    assert (done.status_code, done.headers["location"]) == (303, "/app/keys")
    assert "ana@example.com" in words_of(visitor.get("/app/keys"))
    again = visitor.get(back)
    assert (again.status_code, "start again" in words_of(again)) == (403, True)


@pytest.mark.parametrize(
    ("who", "says"),
    [
        ("nobody", "No account here has the email 'nobody@example.com'"),
        ("unverified", "did not confirm an email of yours"),
        ("closed", "This account is closed"),
    ],
)
def test_the_provider_lets_in_nobody_without_an_open_account_of_a_verified_email(
    both: Both, visitor: Visitor, who: str, says: str
) -> None:
    for name in ("unverified", "closed"):
        both.server.run(add_account(both.server.ports, f"{name}@example.com", name))
    both.server.run(close_account(both.server.ports, "closed@example.com"))
    back = visitor.at_provider(visitor.to_provider().headers["location"], who)
    refused = visitor.get(back)
    assert (refused.status_code, says in words_of(refused)) == (403, True)
    assert visitor.get("/app/memories").status_code == 303


def test_an_answer_that_this_browser_did_not_ask_for_is_refused(both: Both, visitor: Visitor) -> None:
    both.server.run(add_account(both.server.ports, "ana@example.com", "Ana"))
    back = visitor.at_provider(visitor.to_provider().headers["location"], "ana")
    with httpx.Client(timeout=60.0) as http:
        victim = Visitor(both, http)
        for address in (back, "/app/sign-in/oidc/callback", "/app/sign-in/oidc/callback?error=access_denied"):
            refused = victim.get(address)
            assert refused.status_code == 403
        asked = victim.to_provider()
        assert victim.get(back).status_code == 403
        assert asked.status_code == 302
        assert victim.get("/app/memories").status_code == 303


def test_a_provider_that_is_away_or_calls_itself_otherwise_is_told_in_a_sentence(
    both: Both, fresh_server: Callable[..., Server], browser_at: Callable[..., Browser]
) -> None:
    settings = {"oidc_client_id": "memory", "oidc_client_secret": SECRET}
    with kept_port() as nobodys:
        away = browser_at(fresh_server(oidc_issuer=f"http://127.0.0.1:{nobodys}", **settings))
        told = away.get("/app/sign-in/oidc")
    assert (told.status_code, "did not answer" in words_of(told)) == (503, True)
    otherwise = browser_at(fresh_server(oidc_issuer=f"{both.issuer}/", **settings))
    told = otherwise.get("/app/sign-in/oidc")
    assert (told.status_code, "by another name" in words_of(told)) == (503, True)


@pytest.mark.parametrize(
    "told",
    [
        b"[]",
        b"null",
        b'"text"',
        b"no JSON",
        b'{"issuer": "ISSUER"}',
        b'{"issuer": "elsewhere"}',
        WHOLE.replace(b"https://", b""),
    ],
    ids=["list", "null", "string", "no JSON", "no address", "another issuer", "no URL"],
)
def test_a_provider_that_says_nothing_usable_of_itself_is_asked_again_the_next_time(
    told: bytes, fresh_server: Callable[..., Server], browser_at: Callable[..., Browser]
) -> None:
    with describing_itself(told) as (issuer, say):
        browser = browser_at(fresh_server(oidc_issuer=issuer, oidc_client_id="memory"))
        refused = browser.get("/app/sign-in/oidc")
        say(WHOLE)
        begun = browser.get("/app/sign-in/oidc")

    assert (refused.status_code, urlsplit(issuer).netloc in words_of(refused)) == (503, True)
    assert begun.headers["location"].startswith("https://id.example/a?")


def test_an_answer_that_says_it_is_of_another_issuer_is_refused(both: Both, visitor: Visitor) -> None:
    both.server.run(add_account(both.server.ports, "ana@example.com", "Ana"))
    back = visitor.at_provider(visitor.to_provider().headers["location"], "ana")
    said = urlencode({"iss": both.issuer})
    assert said in back
    assert visitor.get(back.replace(said, urlencode({"iss": "https://evil.example"}))).status_code == 403
    assert visitor.get(back).status_code == 303


def test_without_a_provider_there_is_only_the_password(stranger: Browser) -> None:
    assert "Sign in with" not in words_of(stranger.get("/app/sign-in"))
    for path in ("/app/sign-in/oidc", "/app/sign-in/oidc/callback"):
        assert stranger.get(path).status_code == 404


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"oidc_issuer": "https://id.example"}, "set both GENIFFY_OIDC_ISSUER and GENIFFY_OIDC_CLIENT_ID"),
        ({"oidc_client_id": "memory"}, "set both"),
        ({"oidc_issuer": "id.example", "oidc_client_id": "memory"}, "must start with https://"),
    ],
)
def test_half_a_provider_is_refused_when_the_server_starts(chosen: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=re.escape(says)):
        read_settings(**chosen)
