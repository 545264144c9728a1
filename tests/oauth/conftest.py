"""An app that signs in, step by step, and the person who decides; over real sockets against the session's server."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx
import pytest

from geniffy_server.services import clients, connections
from tests.conftest import Account, Server

CALLBACK = "http://127.0.0.1:33418/callback"
CLAUDE = "https://claude.ai/api/mcp/auth_callback"
TIMEOUT_S = 60.0
NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)


def challenge_of(verifier: str) -> str:
    """The S256 challenge of a verifier, RFC 7636 4.2."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def query_of(address: str) -> dict[str, str]:
    """The parameters of an address; the test fails when one is there twice."""
    pairs = parse_qsl(urlsplit(address).query, keep_blank_values=True)
    assert len(pairs) == len(dict(pairs)), address
    return dict(pairs)


@dataclass
class SignIn:
    """One app on its way through OAuth, for one person's account. Each step may be asked for with other parameters."""

    server: Server
    account: Account
    http: httpx.Client
    redirect_uri: str = CALLBACK
    auth_method: str = "none"
    client: dict[str, Any] = field(default_factory=dict)
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @property
    def issuer(self) -> str:
        """What the server calls itself."""
        return str(self.server.ports.public_url)

    def registered(self, **metadata: Any) -> httpx.Response:
        """Register an app of this redirect address; its name is one of a kind, so that no row is handed out again."""
        told = {
            "client_name": f"App {secrets.token_hex(4)}",
            "redirect_uris": [self.redirect_uri],
            "token_endpoint_auth_method": self.auth_method,
            **metadata,
        }
        answer = self.http.post("/oauth/register", json={k: v for k, v in told.items() if v is not None})
        if answer.status_code == 201:
            self.client = answer.json()
        return answer

    def asked(self, *more: tuple[str, str], **changes: Any) -> httpx.Response:
        """Ask to be authorized; a parameter of None is left out, and those in `more` are sent as well."""
        if not self.client:
            assert self.registered().status_code == 201
        told = {
            "response_type": "code",
            "client_id": self.client["client_id"],
            "redirect_uri": self.redirect_uri,
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "state": "a state",
            "resource": f"{self.issuer}/mcp",
            **changes,
        }
        sent = [(name, value) for name, value in told.items() if value is not None]
        return self.http.get("/oauth/authorize", params=[*sent, *more])

    def request_id(self, **changes: Any) -> str:
        """Ask to be authorized, and get to the page where the person decides: the id of the request there."""
        answer = self.asked(**changes)
        assert answer.status_code == 302, answer.text
        location = answer.headers["Location"]
        assert location.startswith(f"{self.issuer}/app/approve?request="), location
        return parse_qs(urlsplit(location).query)["request"][0]

    def decided(self, request_id: str, grant: str | None = "write") -> str:
        """What the person says; the address that their browser is sent to."""
        from geniffy_server.services.connections import decide

        return self.server.run(decide(self.server.ports, self.account.id, request_id, grant))

    def code(self, grant: str = "write", **changes: Any) -> str:
        """Ask, and be allowed: the code."""
        return query_of(self.decided(self.request_id(**changes), grant))["code"]

    def token_request(self, sent: dict[str, Any], auth: tuple[str, str] | None = None) -> httpx.Response:
        """One call of the token endpoint; a parameter of None is left out."""
        sent = {name: value for name, value in sent.items() if value is not None}
        return self.http.post("/oauth/token", data=sent, **({"auth": auth} if auth else {}))

    def traded(self, code: str, auth: tuple[str, str] | None = None, **changes: Any) -> httpx.Response:
        """Trade a code for tokens."""
        told = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "client_id": self.client["client_id"],
            "code_verifier": self.verifier,
            **changes,
        }
        return self.token_request(told, auth)

    def tokens(self, grant: str = "write", **changes: Any) -> dict[str, Any]:
        """The whole way, up to tokens."""
        answer = self.traded(self.code(grant, **changes))
        assert answer.status_code == 200, answer.text
        tokens: dict[str, Any] = answer.json()
        return tokens

    def refreshed(self, refresh_token: str, **changes: Any) -> httpx.Response:
        """Trade a refresh token."""
        told = {
            "grant_type": "refresh_token",
            "refresh_token": refresh_token,
            "client_id": self.client["client_id"],
            **changes,
        }
        return self.token_request(told)

    def reaches(self, access_token: str) -> bool:
        """Whether a token opens `/mcp`."""
        answer = self.call(access_token)
        assert answer.status_code in (200, 401), answer.text
        return answer.status_code == 200

    def call(self, access_token: str, tool: str = "list_memories", **headers: str) -> httpx.Response:
        """One call of a tool."""
        sent = {"Authorization": f"Bearer {access_token}", "Accept": "application/json, text/event-stream", **headers}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}}
        return self.http.post("/mcp", json=call, headers=sent)

    def connections(self) -> list[Any]:
        """What the person sees of the apps that are connected."""
        from geniffy_server.services.connections import list_connections

        return list(self.server.run(list_connections(self.server.ports, self.account.id)))


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """A status and an error's code; the test fails when the answer could be stored, or says nothing to a person."""
    told = answer.json()
    assert answer.headers["Cache-Control"] == "no-store"
    assert set(told) == {"error", "error_description"}
    assert told["error_description"].endswith(".")
    return answer.status_code, told["error"]


MakeSignIn = Callable[..., SignIn]


@pytest.fixture(autouse=True)
def unhurried(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the tests, which all call from one address, register and ask as often as they need.

    A test of the limits themselves asks for `limits`.
    """
    if "limits" not in request.fixturenames:
        for module in (clients, connections):
            monkeypatch.setattr(module, "PER_PEER", 1_000_000)
            monkeypatch.setattr(module, "IN_ALL", 1_000_000)


@pytest.fixture
def limits() -> None:
    """The limits on how often anyone may register and ask stand."""


@pytest.fixture
def make_sign_in(server: Server, account: Account) -> Iterator[MakeSignIn]:
    """An app on its way: `make_sign_in(redirect_uri=..., auth_method=...)`, on the session's server or another one."""
    with ExitStack() as stack:

        def made(server: Server = server, account: Account = account, **options: Any) -> SignIn:
            http = stack.enter_context(httpx.Client(base_url=server.base_url, timeout=TIMEOUT_S))
            return SignIn(server, account, http, **options)

        yield made


@pytest.fixture
def sign_in(make_sign_in: MakeSignIn) -> SignIn:
    """A public app on the person's own device."""
    return make_sign_in()


@pytest.fixture
def close(server: Server) -> Callable[[int], None]:
    """Closes an account of the session's server: `close(account.id)`."""

    def closed(account_id: int) -> None:
        server.run(server.ports.store.write(lambda tx: tx.accounts.close(account_id, server.ports.clock.now())))

    return closed


@dataclass(frozen=True)
class Clocked:
    """An app on a server of the test's own, and what sets that server's clock."""

    sign_in: SignIn
    set_clock: Callable[[datetime], None]


@pytest.fixture
def clocked_sign_in(
    fresh_server: Callable[..., Server],
    make_account: Callable[..., Account],
    make_sign_in: MakeSignIn,
    monkeypatch: pytest.MonkeyPatch,
) -> Clocked:
    """A public app on a server whose clock stands at noon until the test sets it."""
    server = fresh_server()

    def set_clock(moment: datetime) -> None:
        monkeypatch.setattr(type(server.ports.clock), "now", lambda self: moment)

    set_clock(NOON)
    return Clocked(make_sign_in(server, make_account(server)), set_clock)
