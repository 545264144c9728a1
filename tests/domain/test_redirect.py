"""Which redirect addresses an app may register and ask for, and what an answer adds to one."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

from geniffy_server.domain.redirect import MAX_CHARS, host_of, matches, redirect_uri, with_parameters
from geniffy_server.errors import BadInput

GOOD = [
    "https://claude.ai/api/mcp/auth_callback",
    "https://vscode.dev/redirect",
    "https://app.example:8443/cb?tenant=a%20b",
    "https://xn--bcher-kva.example/cb",
    "https://[2001:db8::1]/cb",
    "http://localhost/callback",
    "http://localhost:33418/callback",
    "http://127.0.0.1:33418",
    "http://[::1]:8080/cb",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.example.app:/cb",
    "vscode://publisher.extension",
]
BAD = [
    "http://evil.example",
    "http://evil.example/?x=http://localhost/",
    "http://localhost.evil.example/cb",
    "http://127.0.0.1.evil.example/cb",
    "http://127.0.0.2/cb",
    "http://0.0.0.0/cb",
    "http://2130706433/cb",
    "http://[::ffff:127.0.0.1]/cb",
    "http://localhost@evil.example/cb",
    "https://claude.ai@evil.example/cb",
    "https://user:pw@app.example/cb",
    "https://claude.ai\\@evil.example/cb",
    "https://app.example/cb#fragment",
    "https://app.example/cb#",
    "https://app.example/a b",
    " https://app.example/cb",
    "https://app.example/cb\n",
    "https://app.example/\r\nSet-Cookie: a=b",
    "https://app.example/\x00",
    "https://bücher.example/cb",
    "https://app.example:99999/cb",
    "https://app.example:x/cb",
    "https://[::1/cb",
    "https://",
    "https:///cb",
    "https:app.example/cb",
    "//app.example/cb",
    "/cb",
    "",
    "app",
    ":",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "javascript://app.example/%0aalert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://app.example/x",
    "about:blank",
    "mailto:a@example.com",
    "ftp://app.example/cb",
    "ws://app.example/cb",
    "intent://x",
    "ms-msdt:/id",
    "search-ms:query=x",
    "cursor:",
    "https://app.example/" + "a" * MAX_CHARS,
]


@pytest.mark.statement(254)
@pytest.mark.parametrize("address", GOOD)
def test_https_this_device_and_an_app_s_own_scheme_may_be_registered(address: str) -> None:
    assert redirect_uri(address) == address


@pytest.mark.statement(254)
@pytest.mark.parametrize("address", [*BAD, None, 5, ["https://app.example/cb"]])
def test_any_other_address_is_refused_with_a_sentence(address: object) -> None:
    with pytest.raises(BadInput) as refused:
        redirect_uri(address)

    assert refused.value.code == "invalid_redirect_uri"
    assert refused.value.sentence.endswith(".")
    assert len(refused.value.sentence) < 400


@pytest.mark.parametrize(
    "asked",
    [
        "http://localhost/callback",
        "http://localhost:1/callback",
        "http://127.0.0.1/callback",
        "http://127.0.0.1:65535/callback",
        "http://[::1]:33418/callback",
        "http://LOCALHOST:80/callback",
    ],
)
def test_on_this_device_the_port_is_free_and_every_name_of_it_is_the_same(asked: str) -> None:
    for registered in ("http://localhost/callback", "http://127.0.0.1:7/callback", "http://[::1]/callback"):
        assert matches(registered, asked)


@pytest.mark.parametrize(
    "asked",
    [
        "http://localhost/callback/",
        "http://localhost/other",
        "http://localhost/callback?x=1",
        "http://localhost/callback#x",
        "http://localhost/CALLBACK",
        "https://localhost/callback",
        "http://user@localhost/callback",
        "http://evil.example/callback",
        "http://localhost.evil.example/callback",
        "http://localhost:99999/callback",
        "http://localhost:80@evil.example/callback",
        "http://localhost\\@evil.example/callback",
    ],
)
def test_another_path_query_scheme_or_host_is_not_the_same(asked: str) -> None:
    assert not matches("http://localhost/callback", asked)


@pytest.mark.parametrize(
    ("registered", "asked"),
    [
        ("https://app.example/cb", "https://app.example:443/cb"),
        ("https://app.example/cb", "https://app.example/cb/"),
        ("https://app.example/cb", "https://app.example/cb?x=1"),
        ("https://app.example/cb", "https://APP.example/cb"),
        ("https://app.example/cb", "https://app.example/%63b"),
        ("https://app.example/cb", "https://app.example/x/../cb"),
        ("https://app.example/cb", "https://sub.app.example/cb"),
        ("cursor://x/cb", "cursor://y/cb"),
        ("cursor://x/cb", "http://localhost/cb"),
    ],
)
def test_elsewhere_an_address_is_the_same_letter_for_letter_or_not_at_all(registered: str, asked: str) -> None:
    assert matches(registered, registered)
    assert not matches(registered, asked)


def test_the_host_is_known_only_of_an_address_on_the_web() -> None:
    assert host_of("https://Claude.AI/cb") == "claude.ai"
    assert host_of("https://claude.ai:443/cb") == "claude.ai"
    assert host_of("https://claude.ai:8443/cb") == "claude.ai:8443"
    assert host_of("http://localhost:1/cb") is None
    assert host_of("cursor://claude.ai/cb") is None


@pytest.mark.parametrize(
    "address",
    [
        "https://app.example/cb",
        "https://app.example/cb?",
        "https://app.example/cb?tenant=a%20b&state=theirs",
        "https://app.example/cb?x&y=&z=%26",
        "cursor://x/cb",
        "com.example.app:/cb?x=1",
    ],
)
def test_parameters_are_added_behind_those_that_are_there(address: str) -> None:
    told = with_parameters(address, code="a&b=c#d", state="é %\r\n", absent=None, iss="https://x.example/mem")

    assert told.startswith(address)
    added = parse_qsl(urlsplit(told).query, keep_blank_values=True)[-3:]
    assert added == [("code", "a&b=c#d"), ("state", "é %\r\n"), ("iss", "https://x.example/mem")]
    assert told.isascii()
    assert told.isprintable()
    assert urlsplit(told).fragment == ""
