"""Who may use a memory: keys, connected apps and their approval, the request log, spaces, the account."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from geniffy_server.caller import Caller
from geniffy_server.services.notes import NewNote, add_note
from geniffy_server.services.sources import get_source
from tests.conftest import Server
from tests.web.conftest import CLAUDE, PASSWORD, Browser, csrf_of, words_of

Asked = Callable[..., str]


@pytest.fixture
def in_space(server: Server) -> Callable[[Browser, str, str], None]:
    """Tells something to a space of somebody's app."""

    def told(person: Browser, space: str, text: str) -> None:
        caller = Caller(person.account_id, space, app="CRM")

        async def tell() -> None:
            source = await add_note(server.ports, caller, NewNote(text=text))
            await get_source(server.ports, caller, source.id, wait_s=30)

        server.run(tell())

    return told


# Keys


def test_a_key_is_shown_once_works_and_is_revoked(person: Browser, with_key: Any) -> None:
    made = person.post("/app/keys", name="CRM <sync>", space="*", rpm="60", expires="")
    assert "“CRM <sync>” is ready" in words_of(made)
    key = re.search(r'id="key">(gnf_live_[\w-]{43})<', made.text)
    assert key
    assert with_key(key.group(1)).get("/v1/me").status_code == 200
    listed = person.get("/app/keys")
    assert key.group(1) not in listed.text
    assert "60 a minute" in words_of(listed)
    number = re.search(r'name="key" value="(\d+)"', listed.text)
    assert number
    revoked = person.post("/app/keys/revoke", on="/app/keys", key=number.group(1))
    assert "“CRM <sync>” is revoked." in words_of(revoked)
    assert with_key(key.group(1)).get("/v1/me").status_code == 401


def test_a_key_can_reach_one_space_alone(person: Browser, in_space: Any, with_key: Any) -> None:
    in_space(person, "customer_1042", "I prefer tea.")
    assert "<option>customer_1042</option>" in person.get("/app/keys").text
    made = person.post("/app/keys", name="Bot", space="customer_1042", rpm="", expires="2099-12-31")
    key = re.search(r'id="key">(gnf_live_[\w-]{43})<', made.text)
    assert key
    assert "It reaches the space customer_1042 and nothing else." in words_of(made)
    assert "1 Jan 2100" in words_of(made)
    assert with_key(key.group(1), **{"X-Geniffy-Space": "other"}).get("/v1/memories").status_code == 403


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"rpm": "601"}, "rpm is a whole number from 1 to 600"),
        ({"rpm": "many"}, "from 1 to 600"),
        ({"expires": "2020-01-01"}, "has passed already"),
        ({"expires": "soon"}, "must be a date"),
        ({"space": "a b"}, "can't name a space"),
    ],
)
def test_a_key_that_cannot_be_made_is_refused_in_a_sentence(person: Browser, fields: dict[str, str], says: str) -> None:
    refused = person.post("/app/keys", **{"name": "Bot", "space": "*", "rpm": "", "expires": "", **fields})
    assert (refused.status_code, says in words_of(refused)) == (422, True)
    assert 'value="Bot"' in refused.text
    assert "No key works." in words_of(person.get("/app/keys"))


# Approval


def approve(person: Browser, request_id: str, decision: str, **grant: str) -> httpx.Response:
    return person.post(
        "/app/approve", on=f"/app/approve?request={request_id}", request=request_id, decision=decision, **grant
    )


def test_a_known_app_is_named_by_where_it_returns_to(person: Browser, asked: Asked) -> None:
    page = person.get("/app/approve", request=asked())
    assert '<span id="app-name">Claude</span>' in page.text
    assert f'<code id="return-to">https://<b>claude.ai</b>{urlsplit(CLAUDE).path}</code>' in page.text
    assert "app-warning" not in page.text
    assert re.search(r'<code id="reaches">http://[^/<]+/mcp</code>', page.text)
    assert re.findall(r'name="grant" value="(\w+)"( checked)?', page.text) == [("read", " checked"), ("write", "")]
    assert re.findall(r'name="decision" value="(\w+)"', page.text) == ["deny", "allow"]
    assert person.email in words_of(page)


@pytest.mark.parametrize(
    ("return_to", "host", "shown"),
    [
        ("https://notes.example/cb?a=1", "notes.example", "https://<b>notes.example</b>/cb?a=1"),
        ("https://notes.example:8443/", "notes.example:8443", "https://<b>notes.example:8443</b>/"),
        ("http://127.0.0.1:33418/callback", None, "http://127.0.0.1:33418/callback"),
        ("cursor://anysphere.cursor-mcp/oauth", None, "cursor://anysphere.cursor-mcp/oauth"),
    ],
)
def test_any_other_app_is_shown_with_a_warning_and_its_whole_address(
    person: Browser, asked: Asked, return_to: str, host: str | None, shown: str
) -> None:
    request_id = asked(return_to, "N" * 90, is_known=False, host=host)
    page = person.get("/app/approve", request=request_id)
    assert 'id="app-warning"' in page.text
    assert f'<code id="return-to">{shown}</code>' in page.text
    name = re.search(r'<span id="app-name">([^<]*)</span>', page.text)
    assert name
    assert len(name.group(1)) == 60
    assert ("this computer" in words_of(page)) is (host is None)
    assert 'class="btn is-primary" name="decision"' not in page.text


def test_an_app_that_asks_to_read_is_not_offered_to_write(person: Browser, asked: Asked) -> None:
    request_id = asked(offers="read")
    assert 'value="write"' not in person.get("/app/approve", request=request_id).text
    assert approve(person, request_id, "allow", grant="write").status_code == 422
    assert approve(person, request_id, "allow", grant="read").status_code == 303


def test_allowing_sends_the_person_back_with_a_code_once(person: Browser, asked: Asked, server: Server) -> None:
    request_id = asked()
    done = approve(person, request_id, "allow", grant="write")
    assert done.status_code == 303
    address = urlsplit(done.headers["location"])
    assert f"{address.scheme}://{address.netloc}{address.path}" == CLAUDE
    query = parse_qs(address.query)
    assert query["state"] == ["a state"]
    assert query["iss"] == [server.ports.public_url]
    assert len(query["code"][0]) == 43
    again = person.post("/app/approve", on="/app/account", request=request_id, decision="allow", grant="write")
    assert (again.status_code, "decided already" in words_of(again)) == (404, True)
    assert person.get("/app/approve", request=request_id).status_code == 404


def test_denying_sends_the_person_back_with_nothing(person: Browser, asked: Asked) -> None:
    done = approve(person, asked(), "deny", grant="write")
    query = parse_qs(urlsplit(done.headers["location"]).query)
    assert query["error"] == ["access_denied"]
    assert "code" not in query
    assert "No app is connected." in words_of(person.get("/app/agents"))


@pytest.mark.parametrize(
    "fields", [{}, {"decision": "allow"}, {"decision": "allow", "grant": "all"}, {"grant": "read"}]
)
def test_a_decision_that_says_nothing_grants_nothing(person: Browser, asked: Asked, fields: dict[str, str]) -> None:
    request_id = asked()
    sent = person.post("/app/approve", on=f"/app/approve?request={request_id}", request=request_id, **fields)
    assert sent.status_code == 422
    assert person.get("/app/approve", request=request_id).status_code == 200


def test_who_is_not_signed_in_signs_in_first_and_comes_back(stranger: Browser, person: Browser, asked: Asked) -> None:
    request_id = asked()
    first = stranger.get("/app/approve", request=request_id)
    assert first.headers["location"].startswith("/app/sign-in?next=%2Fapp%2Fapprove%3Frequest%3D")
    signed = stranger.sign_in(person.email, next=f"/app/approve?request={request_id}")
    assert "asks to use your memory" in words_of(stranger.get(signed.headers["location"]))


def test_who_was_signed_out_meanwhile_signs_in_and_decides_then(
    stranger: Browser, person: Browser, asked: Asked
) -> None:
    request_id = asked()
    page = person.get("/app/approve", request=request_id)
    person.post("/app/sign-out", on="/app/memories")
    form = {"csrf": csrf_of(page), "request": request_id, "grant": "write", "decision": "allow"}
    sent = person.http.post("/app/approve", data=form)

    assert sent.status_code == 303
    assert sent.headers["location"] == f"/app/sign-in?next=%2Fapp%2Fapprove%3Frequest%3D{request_id}"
    signed = stranger.sign_in(person.email, next=f"/app/approve?request={request_id}")
    assert "asks to use your memory" in words_of(stranger.get(signed.headers["location"]))


# Connected apps


@pytest.fixture
def connect(server: Server) -> Callable[..., int]:
    """Connects an app to somebody's memory: the connection's id."""

    def connected(
        person: Browser, name: str = "Claude", *, is_known: bool = True, grant: Any = "write", resource: str = "/mcp"
    ) -> int:
        from geniffy_server.domain.connection import App, AppRequest, Client, ClientId, Code, new_secret

        now = server.ports.clock.now()
        later = now + timedelta(days=90)
        client = Client(ClientId(new_secret()), name, [CLAUDE], "none", None, now, later)
        app = App(name, is_known, "claude.ai" if is_known else None)
        request = AppRequest(client.id, app, CLAUDE, True, None, "c" * 43, "write", resource, later)

        def work(tx: Any) -> int:
            tx.clients.add(client, client.id.encode())
            return int(tx.connections.add(Code(request, person.account_id, grant, later, None), now, later).id)

        return server.run(server.ports.store.write(work))

    return connected


def test_connected_apps_are_listed_with_their_rights_and_disconnected_at_once(person: Browser, connect: Any) -> None:
    connect(person)
    local = connect(person, "Cursor", is_known=False, grant="read")
    page = words_of(person.get("/app/agents"))
    assert "Claude returns to claude.ai Read and write Never" in page
    assert "Cursor its own name · this computer Only read Never" in page
    after = person.post("/app/agents/disconnect", on="/app/agents", connection=str(local))
    assert "Cursor is disconnected." in words_of(after)
    assert "its own name" not in words_of(person.get("/app/agents"))


def test_connections_of_one_app_are_told_apart_by_the_tools_they_reach(person: Browser, connect: Any) -> None:
    connect(person)
    connect(person, resource="/mcp/omi")
    page = words_of(person.get("/app/agents"))
    assert "Claude returns to claude.ai · /mcp/omi Read and write" in page
    assert "Claude returns to claude.ai Read and write" in page
    assert "/mcp/omi in its place" in page


# Requests


def test_every_call_is_listed_with_its_app_its_tool_and_its_outcome(
    person: Browser, server: Server, with_key: Any
) -> None:
    made = person.post("/app/keys", name="CRM sync", space="*", rpm="", expires="")
    key = re.search(r'id="key">(gnf_live_[\w-]{43})<', made.text)
    assert key
    called = with_key(key.group(1))
    asked = called.post("/v1/search", json={"q": "a secret question"})
    missing = called.get("/v1/memories/999999")
    tool = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "x"}},
    }
    headers = {"Accept": "application/json, text/event-stream"}
    called.post("/mcp", json=tool, headers=headers)
    server.run(server.ports.calls.flush())
    page = words_of(person.get("/app/requests"))
    assert "POST /v1/search" in page
    assert asked.headers["x-request-id"] in page
    assert "GET /v1/memories/{memory_id} not_found 404" in page
    assert "POST /app/keys" in page
    assert "CRM sync" in page
    assert "<code>search</code>" in person.get("/app/requests").text
    assert "a secret question" not in page
    assert "GET /app/keys" not in page
    assert "GET /app/keys" in words_of(person.get("/app/requests", views="1"))
    refused = words_of(person.get("/app/requests", status="refused"))
    assert missing.headers["x-request-id"] in refused
    assert asked.headers["x-request-id"] not in refused
    found = words_of(person.get("/app/requests", q=asked.headers["x-request-id"]))
    assert "1 call" in found
    assert "No call matches." in words_of(person.get("/app/requests", day="2020-01-01"))
    today = f"{server.ports.clock.now():%Y-%m-%d}"
    assert "POST /v1/search" in words_of(person.get("/app/requests", day=today, app="CRM sync"))
    assert "No call matches." in words_of(person.get("/app/requests", app="Nobody"))


def test_older_calls_are_on_the_next_page(person: Browser, server: Server) -> None:
    for _ in range(52):
        person.get("/app/account")
    server.run(server.ports.calls.flush())
    first = person.get("/app/requests", views="1", q="/app/account")
    older = re.search(r'rel="next" href="([^"]+)"', first.text)
    assert older
    rest = words_of(person.get(older.group(1).replace("&amp;", "&")))
    assert "2 calls, older ones" in rest


@pytest.mark.parametrize("query", ["before=x", "day=2026-13-45", "day=9999-12-31", "status=odd", "q=%25", "before=-1"])
def test_an_odd_filter_is_no_fault(person: Browser, query: str) -> None:
    assert person.get(f"/app/requests?{query}").status_code == 200


# Spaces


def test_spaces_are_counted_exported_and_erased_by_typing_their_name(
    person: Browser, in_space: Any, server: Server, tmp_path: Path
) -> None:
    in_space(person, "customer_1042", "I prefer tea.")
    in_space(person, "trial_22", "I prefer coffee.")
    assert "trial_22 1 1" in words_of(person.get("/app/spaces"))
    copy = person.get("/app/spaces/export", space="trial_22")
    assert copy.headers["content-disposition"] == 'attachment; filename="trial_22.jsonl"'
    assert json.loads(copy.text.splitlines()[0])["format"] == "geniffy-agents/spaces"
    assert "I prefer coffee." in copy.text
    assert "I prefer tea." not in copy.text

    question = "/app/spaces?erase=trial_22"
    assert "1 memory and 1 source go for good" in words_of(person.get(question))
    for typed in ("", "trial_2", "customer_1042"):
        kept = person.post("/app/spaces/erase", on=question, space="trial_22", confirm=typed)
        assert (kept.status_code, "nothing was erased" in words_of(kept)) == (422, True)
    gone = person.post("/app/spaces/erase", on=question, space="trial_22", confirm="trial_22")
    assert gone.headers["location"] == "/app/spaces?done=erased"
    after = words_of(person.get(gone.headers["location"]))
    assert "Erased, with every key" in after
    assert "trial_22" not in after
    assert "customer_1042" in after
    assert person.get("/app/spaces/export", space="trial_22").status_code == 404
    assert person.get(question).status_code == 404
    assert person.post("/app/spaces/erase", on="/app/account", space="trial_22", confirm="trial_22").status_code == 404


def test_an_export_can_be_read_again(
    person: Browser, person_at: Any, note: Any, server: Server, tmp_path: Path
) -> None:
    from geniffy_server.domain.space import AccountId
    from geniffy_server.storage.archive import read_spaces

    note(person, "Kim works at Acme as CFO.")
    copy = person.get("/app/spaces/export")
    assert copy.headers["content-disposition"] == 'attachment; filename="memory.jsonl"'
    (tmp_path / "copy").write_bytes(copy.content)
    other = person_at(server)
    moved = read_spaces(server.data, AccountId(other.account_id), tmp_path / "copy", lambda done, total: None)
    assert (moved.memories, moved.sources) == (1, 1)
    assert "Kim works at Acme as CFO." in words_of(other.get("/app/memories"))


def test_an_export_leaves_no_copy_on_the_disk(
    person: Browser, note: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    note(person, "Kim works at Acme as CFO.")
    assert "Kim works" in person.get("/app/spaces/export").text
    assert list(tmp_path.iterdir()) == []


# The account


def test_a_name_and_a_time_zone_are_changed(person: Browser) -> None:
    saved = person.post("/app/account", name="Zoë  F.", time_zone="Europe/Lisbon")
    page = person.get(saved.headers["location"])
    assert 'value="Zoë F."' in page.text
    assert "<option selected>Europe/Lisbon</option>" in page.text
    odd = person.post("/app/account", name="Zoë", time_zone="../../etc/passwd")
    assert (odd.status_code, "is no time zone" in words_of(odd)) == (422, True)


def test_a_password_is_changed_by_who_knows_it_and_other_browsers_are_signed_out(
    person: Browser, browser_at: Any, server: Server
) -> None:
    phone = browser_at(server)
    phone.sign_in(person.email)
    wrong = person.post("/app/account/password", on="/app/account", old="not it at all", password="another few words")
    assert (wrong.status_code, "nothing was changed" in words_of(wrong)) == (401, True)
    short = person.post("/app/account/password", on="/app/account", old=PASSWORD, password="short")
    assert short.status_code == 422
    done = person.post("/app/account/password", on="/app/account", old=PASSWORD, password="another few words")
    assert "Your password is changed." in words_of(person.get(done.headers["location"]))
    assert phone.get("/app/memories").status_code == 303
    assert phone.sign_in(person.email).status_code == 401
    assert phone.sign_in(person.email, "another few words").status_code == 303


def test_who_has_no_password_is_told_how_to_get_one(browser_at: Any, server: Server) -> None:
    from geniffy_server.services.accounts import add_account
    from geniffy_server.services.sign_in import sign_in_verified

    email = "only-by-provider@example.com"
    server.run(add_account(server.ports, email, "Ben"))
    one = browser_at(server)
    one.keep(server.run(sign_in_verified(server.ports, email)).token)
    sent = one.post("/app/account/password", on="/app/account", old="", password="a few plain words")
    assert (sent.status_code, "can make a link to choose one" in words_of(sent)) == (403, True)
