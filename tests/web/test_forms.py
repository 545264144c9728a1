"""No page of another site can send a form here, and none of ours can be framed or led astray."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
import pytest

from geniffy_server.domain.sign_in import form_token
from tests.conftest import Server
from tests.web.conftest import PASSWORD, Browser, csrf_of, words_of

POSTS = [
    "/app/setup",
    "/app/sign-in",
    "/app/sign-out",
    "/app/sign-out/everywhere",
    "/app/approve",
    "/app/memories",
    "/app/memories/1/correct",
    "/app/memories/1/forget",
    "/app/memories/1/settle",
    "/app/memories/1/curate",
    "/app/sources/forget",
    "/app/sources/curate",
    "/app/files/delete",
    "/app/agents/disconnect",
    "/app/keys",
    "/app/keys/revoke",
    "/app/spaces/erase",
    "/app/account",
    "/app/account/password",
]
PAGES = [
    "/app/memories",
    "/app/memories?focus=999",
    "/app/sources",
    "/app/files",
    "/app/agents",
    "/app/keys",
    "/app/requests",
    "/app/spaces",
    "/app/account",
    "/app/sign-in",
    "/app/setup?token=x",
    "/app/approve?request=x",
    "/app/nowhere",
]


def test_every_form_that_can_be_sent_is_among_those_tested(server: Server) -> None:
    routes = {
        route.path
        for route in server.app.router.routes
        if getattr(route, "path", "").startswith("/app") and "POST" in (route.methods or ())
    }
    assert {path.replace("/1/", "/{memory_id}/") for path in POSTS} == routes - {"/app/{path:path}"}


@pytest.mark.parametrize("path", POSTS)
def test_a_form_without_the_token_of_this_browser_does_nothing(person: Browser, stranger: Browser, path: str) -> None:
    of_another = csrf_of(stranger.get("/app/sign-in"))
    for fields in ({"other": "x"}, {"csrf": ""}, {"csrf": "0" * 64}, {"csrf": of_another}):
        sent = person.http.post(path, data=fields)
        assert (sent.status_code, "too old" in words_of(sent)) == (403, True)
    assert person.get("/app/account").status_code == 200


@pytest.mark.parametrize("path", POSTS)
def test_a_form_sent_by_another_site_does_nothing(person: Browser, path: str) -> None:
    csrf = form_token(person.session or "")
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        sent = person.http.post(path, data={"csrf": csrf}, headers=headers)
        assert (sent.status_code, "another site" in words_of(sent)) == (403, True)


def test_a_form_of_ours_is_taken_with_the_headers_that_browsers_send(person: Browser, server: Server) -> None:
    headers = {"Origin": server.base_url, "Sec-Fetch-Site": "same-origin"}
    fields = {"csrf": form_token(person.session or ""), "name": "Zoë", "time_zone": "UTC"}
    assert person.http.post("/app/account", data=fields, headers=headers).status_code == 303


def test_a_token_ends_with_its_session(person: Browser, browser_at: Callable[..., Browser], server: Server) -> None:
    old = form_token(person.session or "")
    person.sign_in(person.email)
    assert person.http.post("/app/sign-out", data={"csrf": old}).status_code == 403


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", "application/json", 422),
        (b"csrf=a&csrf=b", "application/x-www-form-urlencoded", 422),
        (b"csrf=%ff", "application/x-www-form-urlencoded", 422),
        (b"\xff", "application/x-www-form-urlencoded", 422),
        (b"a=1&" * 100, "application/x-www-form-urlencoded", 422),
        (b"a=" + b"x" * 70_000, "application/x-www-form-urlencoded", 413),
    ],
)
def test_what_is_no_form_is_refused_in_a_sentence(person: Browser, body: bytes, kind: str, status: int) -> None:
    sent = person.http.post("/app/account", content=body, headers={"Content-Type": kind})
    assert sent.status_code == status
    assert "That did not work" in words_of(sent)


def test_a_form_too_large_is_refused_before_it_is_read_whole(person: Browser) -> None:
    def endless() -> object:
        for _ in range(100):
            yield b"a" * 4096

    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert person.http.post("/app/account", content=endless(), headers=headers).status_code == 413


@pytest.mark.parametrize("path", PAGES)
def test_every_page_carries_the_headers_that_keep_it_to_itself(person: Browser, path: str) -> None:
    page = person.get(path)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "base-uri 'none'" in policy
    assert "form-action 'self'" in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "same-origin"
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["x-request-id"]


@pytest.mark.parametrize("path", PAGES)
def test_no_page_has_a_script_or_a_style_of_its_own(person: Browser, path: str) -> None:
    page = person.get(path).text
    assert not re.search(r"<script|\sstyle=|\son\w+=|javascript:", page)
    assert re.search(r'<html lang="en">', page)
    assert len(re.findall(r"<h1", page)) == 1


def test_the_approval_page_may_lead_back_to_the_app(person: Browser, asked: Callable[..., str]) -> None:
    page = person.get("/app/approve", request=asked())
    assert "form-action" not in page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"


def test_the_stylesheet_is_kept_by_browsers_under_an_address_that_changes_with_it(stranger: Browser) -> None:
    page = stranger.get("/app/sign-in")
    address = re.search(r'href="(/app/static/style\.css\?v=\w+)"', page.text)
    assert address
    style = stranger.get(address.group(1))
    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert "immutable" in style.headers["cache-control"]
    assert stranger.get("/app/static/icon.svg").headers["content-type"] == "image/svg+xml"
    assert stranger.get("/app/static/..%2fpages.py").status_code == 404


def test_a_password_never_comes_back_in_a_page(stranger: Browser, person: Browser) -> None:
    page = stranger.sign_in(person.email, PASSWORD + "x")
    assert PASSWORD not in page.text


def test_a_page_that_is_not_there_says_so(person: Browser, stranger: Browser) -> None:
    for browser in (person, stranger):
        page: httpx.Response = browser.get("/app/nowhere")
        assert (page.status_code, "There is no page at this address." in words_of(page)) == (404, True)
    assert person.get("/app/sign-out").status_code == 404
    assert person.get("/app").headers["location"] == "/app/memories"
