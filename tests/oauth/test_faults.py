"""A store that does not answer, and two server processes over one store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.cli.conftest import serving
from tests.conftest import Account
from tests.oauth.conftest import NOON, Clocked, MakeSignIn, SignIn, refusal
from tests.ports import kept_port

ROUNDS = 6


def test_while_the_store_is_down_nobody_is_told_that_their_app_is_unknown(
    fresh_server: Callable[..., Any], make_account: Any, make_sign_in: MakeSignIn
) -> None:
    server = fresh_server()
    sign_in = make_sign_in(server, make_account(server))
    tokens = sign_in.tokens()
    code = sign_in.code()
    server.run(server.ports.store.close())

    answers = [sign_in.traded(code), sign_in.refreshed(tokens["refresh_token"]), sign_in.registered()]
    answers.append(sign_in.http.post("/oauth/revoke", data={"token": "x", "client_id": sign_in.client["client_id"]}))
    page = sign_in.asked()
    call = sign_in.call(tokens["access_token"])

    assert {refusal(answer) for answer in answers} == {(503, "temporarily_unavailable")}
    assert (page.status_code, page.headers["Content-Type"]) == (503, "text/html; charset=utf-8")
    assert (call.status_code, call.json()["error"]["code"]) == (503, "memory_unavailable")
    for answer in (*answers, page, call):
        assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert sign_in.http.get("/.well-known/oauth-authorization-server").status_code == 200


@dataclass(frozen=True)
class Elsewhere:
    """Stands for the server in a `SignIn`, where it runs in processes of its own: the store, opened here as well."""

    ports: Any
    loop: asyncio.AbstractEventLoop

    def run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)


async def test_two_processes_that_are_shown_one_code_or_refresh_token_at_once_answer_one_and_end_the_connection(
    tmp_path: Path,
) -> None:
    from geniffy_server.app import opened
    from geniffy_server.settings import Settings

    data = tmp_path / "memory"
    with (
        kept_port() as one,
        kept_port() as two,
        serving(tmp_path / "one.log", data, "--port", one, "--public-url", f"http://127.0.0.1:{one}") as served,
        serving(tmp_path / "two.log", data, "--port", two, "--public-url", served.base_url),
        httpx.Client(base_url=served.base_url, timeout=60) as here,
        httpx.Client(base_url=f"http://127.0.0.1:{two}", timeout=60) as there,
    ):
        async with opened(Settings(data=data, public_url=served.base_url), create=False) as it:
            owner = await it.ports.store.read(lambda tx: tx.accounts.owner())
            assert owner is not None
            elsewhere: Any = Elsewhere(it.ports, asyncio.get_running_loop())
            sign_ins = [SignIn(elsewhere, Account(owner.id, ""), http) for http in (here, there)]
            sign_ins[1].verifier = sign_ins[0].verifier
            await asyncio.to_thread(sign_ins[0].registered)
            sign_ins[1].client = sign_ins[0].client
            for _ in range(ROUNDS):
                code = await asyncio.to_thread(sign_ins[0].code)
                await once(sign_ins, lambda sign_in, code=code: sign_in.traded(code))
                tokens = await asyncio.to_thread(sign_ins[1].tokens)
                assert await asyncio.to_thread(sign_ins[0].reaches, tokens["access_token"])
                await once(sign_ins, lambda sign_in, tokens=tokens: sign_in.refreshed(tokens["refresh_token"]))
                assert not await asyncio.to_thread(sign_ins[0].reaches, tokens["access_token"])


async def once(sign_ins: list[SignIn], use: Callable[[SignIn], httpx.Response]) -> None:
    """Use one secret at every process at once: one of them answers, and what it answered with is worth nothing."""
    answers = await asyncio.gather(*(asyncio.to_thread(use, sign_in) for sign_in in sign_ins))
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    (won,) = [answer.json() for answer in answers if answer.status_code == 200]
    for sign_in in sign_ins:
        assert not await asyncio.to_thread(sign_in.reaches, won["access_token"])
        assert refusal(await asyncio.to_thread(sign_in.refreshed, won["refresh_token"])) == (400, "invalid_grant")
    assert await asyncio.to_thread(sign_ins[0].connections) == []


@pytest.mark.parametrize(("proxies", "slowed"), [("", True), ("127.0.0.1", False)])
def test_a_forwarded_address_counts_only_from_a_proxy_that_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxies: str, slowed: bool
) -> None:
    monkeypatch.setenv("GENIFFY_TRUSTED_PROXIES", proxies)
    with serving(tmp_path / "log", tmp_path / "memory") as served, httpx.Client(base_url=served.base_url) as http:
        metadata = {"redirect_uris": ["http://localhost/cb"], "token_endpoint_auth_method": "none"}
        statuses = [
            http.post(
                "/oauth/register",
                json={**metadata, "client_name": uuid4().hex},
                headers={"X-Forwarded-For": f"203.0.113.{number}"},
            ).status_code
            for number in range(61)
        ]
        told = http.get("/.well-known/oauth-authorization-server", headers={"X-Forwarded-Host": "evil.example"}).json()

    assert set(statuses[:60]) == {201}
    assert statuses[60] == (429 if slowed else 201)
    assert told["issuer"] == served.base_url


def test_what_has_expired_is_removed(clocked_sign_in: Clocked) -> None:
    from sqlalchemy import func, select

    from geniffy_server.storage import connection_schema as tables

    sign_in, set_clock = clocked_sign_in.sign_in, clocked_sign_in.set_clock
    held = sign_in.tokens()
    for _ in range(3):
        held = sign_in.refreshed(held["refresh_token"]).json()
    sign_in.code()
    sign_in.request_id()

    def rows() -> dict[str, int]:
        def count(tx: Any) -> dict[str, int]:
            kept = (tables.oauth_clients, tables.oauth_requests, tables.oauth_codes, tables.connections)
            return {
                table.name: tx._connection.execute(select(func.count()).select_from(table)).scalar()
                for table in (*kept, tables.oauth_tokens, tables.visits)
            }

        return sign_in.server.read(count)

    before = rows()
    set_clock(NOON + timedelta(hours=2))
    make_room(sign_in)
    later = rows()
    set_clock(NOON + timedelta(days=91))
    make_room(sign_in)

    assert before == {
        "oauth_clients": 1,
        "oauth_requests": 1,
        "oauth_codes": 2,
        "connections": 1,
        "oauth_tokens": 8,
        "visits": 4,
    }
    assert later == {
        "oauth_clients": 2,
        "oauth_requests": 0,
        "oauth_codes": 1,
        "connections": 1,
        "oauth_tokens": 4,
        "visits": 1,
    }
    assert rows() == {**dict.fromkeys(before, 0), "oauth_clients": 1, "visits": 1}


def make_room(sign_in: SignIn) -> None:
    """Register another app: every call that writes removes what has expired."""
    kept = sign_in.client
    assert sign_in.registered().status_code == 201
    sign_in.client = kept
