"""Scopes, resources, and what people are shown of an app."""

from __future__ import annotations

import pytest

from geniffy_server.domain.connection import App, app_name
from geniffy_server.errors import BadInput
from geniffy_server.oauth.rules import NO_NAME, app_of, narrowed, offered, resource_of, scope_of


@pytest.mark.statement(262)
@pytest.mark.parametrize(
    "scope",
    [None, "", " ", " offline_access", "read write", "openid email", "memory:read  memory:write", "memory:write"],
)
def test_an_app_that_asks_for_neither_or_for_writing_is_offered_both(scope: str | None) -> None:
    assert offered(scope) == "write"


@pytest.mark.parametrize("scope", ["memory:read", " memory:read ", "memory:read offline_access", "openid memory:read"])
def test_an_app_that_asks_to_read_only_is_offered_reading(scope: str) -> None:
    assert offered(scope) == "read"


def test_writing_includes_reading() -> None:
    assert scope_of("write") == "memory:read memory:write"
    assert scope_of("read") == "memory:read"


def test_a_refresh_narrows_only_to_a_scope_of_ours() -> None:
    assert narrowed(None) is None
    assert narrowed("offline_access") is None
    assert narrowed("memory:read offline_access") == "read"
    assert narrowed("memory:write") == "write"


@pytest.mark.parametrize("base", ["https://x.example", "https://x.example/mem"])
def test_a_resource_is_known_with_and_without_a_slash(base: str) -> None:
    for address in (f"{base}/mcp", f"{base}/mcp/", base, f"{base}/", f"{base}/mcp".replace("x.ex", "X.Ex")):
        assert resource_of([address], base) == "/mcp"
    assert resource_of([f"{base}/mcp", f"{base}/mcp/"], base) == "/mcp"
    assert resource_of([f"{base}/mcp".replace("x.example", "x.example:443")], base) == "/mcp"
    assert resource_of([], base) is None


def test_the_omi_tools_are_a_resource_of_their_own() -> None:
    base = "https://x.example"

    assert resource_of([f"{base}/mcp/omi"], base) == resource_of([f"{base}/mcp/omi/"], base) == "/mcp/omi"
    with pytest.raises(BadInput):
        resource_of([f"{base}/mcp", f"{base}/mcp/omi"], base)


def test_this_device_s_names_mean_the_same_resource() -> None:
    for host in ("localhost", "127.0.0.1", "[::1]"):
        assert resource_of([f"http://{host}:8787/mcp"], "http://127.0.0.1:8787") == "/mcp"
    with pytest.raises(BadInput):
        resource_of(["http://localhost:8788/mcp"], "http://127.0.0.1:8787")


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/mcp",
        "https://x.example.evil.example/mcp",
        "http://x.example/mcp",
        "https://x.example:8443/mcp",
        "https://x.example/v1",
        "https://x.example/MCP",
        "https://x.example/mcp/omi/x",
        "https://x.example/omi",
        "https://x.example/mcp?x=1",
        "https://x.example/mcp#x",
        "https://u@x.example/mcp",
        "mcp",
        "https://[x/mcp",
        "",
    ],
)
def test_any_other_resource_is_an_invalid_target(address: str) -> None:
    for named in ([address], ["https://x.example/mcp", address]):
        with pytest.raises(BadInput) as refused:
            resource_of(named, "https://x.example")
        assert refused.value.code == "invalid_target"


@pytest.mark.parametrize(
    ("name", "address", "app"),
    [
        ("Claude", "https://claude.ai/api/mcp/auth_callback", App("Claude", True, "claude.ai")),
        ("Something", "https://claude.com/api/mcp/auth_callback", App("Claude", True, "claude.com")),
        (None, "https://chatgpt.com/connector_platform_oauth_redirect", App("ChatGPT", True, "chatgpt.com")),
        ("Claude", "https://claude.ai.evil.example/cb", App("Claude", False, "claude.ai.evil.example")),
        ("Claude", "https://claude.ai:8443/cb", App("Claude", False, "claude.ai:8443")),
        ("Claude", "https://evil.example/claude.ai", App("Claude", False, "evil.example")),
        ("Cursor", "cursor://claude.ai/cb", App("Cursor", False, None)),
        ("Claude Code", "http://localhost:1/callback", App("Claude Code", False, None)),
        (None, "http://127.0.0.1/cb", App(NO_NAME, False, None)),
    ],
)
def test_an_app_is_named_by_where_it_sends_people_back_else_by_itself(name: str | None, address: str, app: App) -> None:
    assert app_of(name, address) == app


def test_a_name_is_one_line_of_what_can_be_seen() -> None:
    assert app_name("  My\n app\t\u202etxt.exe\x00 ") == "My apptxt.exe"
    assert app_name("\u200b\u202e \n") is None
    assert len(app_name("word " * 100) or "") <= 60
    assert len(app_name("w" * 100_000) or "") == 60
