"""Where clients learn what there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.conftest import Server
from tests.oauth.conftest import SignIn

SERVER = "/.well-known/oauth-authorization-server"
RESOURCE = "/.well-known/oauth-protected-resource"


@pytest.mark.statement(253)
def test_the_refusal_leads_to_the_resource_and_that_to_the_server_under_one_name(sign_in: SignIn) -> None:
    refused = sign_in.http.post("/mcp")
    address = refused.headers["WWW-Authenticate"].partition('resource_metadata="')[2].removesuffix('"')
    resource = sign_in.http.get(address).json()
    (issuer,) = resource["authorization_servers"]
    server = sign_in.http.get(f"{issuer}{SERVER}").json()

    assert resource["resource"] == f"{sign_in.issuer}/mcp"
    assert resource["bearer_methods_supported"] == ["header"]
    assert resource["scopes_supported"] == server["scopes_supported"] == ["memory:read", "memory:write"]
    assert server["issuer"] == issuer == sign_in.issuer
    assert not issuer.endswith("/")


@pytest.mark.statement(253)
def test_the_server_names_its_endpoints_and_what_they_take(sign_in: SignIn) -> None:
    answer = sign_in.http.get(SERVER)

    assert answer.json() == {
        "issuer": sign_in.issuer,
        "authorization_endpoint": f"{sign_in.issuer}/oauth/authorize",
        "token_endpoint": f"{sign_in.issuer}/oauth/token",
        "registration_endpoint": f"{sign_in.issuer}/oauth/register",
        "revocation_endpoint": f"{sign_in.issuer}/oauth/revoke",
        "scopes_supported": ["memory:read", "memory:write"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
        "revocation_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
        "authorization_response_iss_parameter_supported": True,
    }
    assert answer.headers["Content-Type"] == "application/json"


def test_the_metadata_is_sound_by_authlib_s_reading_of_rfc_8414(
    fresh_server: Callable[..., Server],
) -> None:
    from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

    server = fresh_server(public_url="https://x.example")

    AuthorizationServerMetadata(httpx.get(f"{server.base_url}{SERVER}").json()).validate()


def test_the_documents_are_found_wherever_clients_look(sign_in: SignIn) -> None:
    server = sign_in.http.get(SERVER).json()

    assert sign_in.http.get("/.well-known/openid-configuration").json() == server
    assert sign_in.http.get(RESOURCE).json() == sign_in.http.get(f"{RESOURCE}/mcp").json()
    assert sign_in.http.get(f"{RESOURCE}/mcp/").json() == sign_in.http.get(f"{RESOURCE}/mcp").json()
    for path in ("/mcp/omi", "/mcp/omi/"):
        assert sign_in.http.get(f"{RESOURCE}{path}").json()["resource"] == f"{sign_in.issuer}/mcp/omi"
    assert sign_in.http.get(f"{RESOURCE}/v1").status_code == 404


def test_behind_a_proxy_everything_goes_by_the_public_url_and_its_prefix(fresh_server: Callable[..., Server]) -> None:
    base = "https://x.example/mem"
    server = fresh_server(public_url=base)
    elsewhere = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http"}
    with httpx.Client(base_url=server.base_url, headers=elsewhere) as http:
        documents = [
            http.get(path).json()
            for path in (f"/mem{SERVER}", f"{SERVER}/mem", SERVER, "/mem/.well-known/openid-configuration")
        ]
        resources = [
            http.get(path).json()
            for path in (f"/mem{RESOURCE}/mcp", f"{RESOURCE}/mem/mcp", f"{RESOURCE}/mcp", f"{RESOURCE}/mem", RESOURCE)
        ]
        refused = http.post("/mem/mcp", headers={"Host": "x.example"})

    assert all(document == documents[0] for document in documents)
    assert documents[0]["issuer"] == base
    assert all(str(documents[0][f"{name}_endpoint"]).startswith(f"{base}/oauth/") for name in ("token", "revocation"))
    assert all(resource == resources[0] for resource in resources)
    assert resources[0]["resource"] == f"{base}/mcp"
    assert resources[0]["authorization_servers"] == [base]
    assert f'resource_metadata="{base}/.well-known/oauth-protected-resource/mcp"' in refused.headers["WWW-Authenticate"]


def test_the_whole_way_works_beneath_a_prefix(
    fresh_server: Callable[..., Server], make_account: Callable[..., Any], make_sign_in: Callable[..., SignIn]
) -> None:
    server = fresh_server(public_url="https://x.example/mem")
    sign_in = make_sign_in(server, make_account(server))
    sign_in.http.base_url = f"{server.base_url}/mem"
    sign_in.http.headers["Host"] = "x.example"

    tokens = sign_in.tokens(resource="https://x.example/mem/mcp")

    assert sign_in.reaches(tokens["access_token"])


@pytest.mark.parametrize(
    "path", [SERVER, f"{RESOURCE}/mcp", "/oauth/register", "/oauth/token", "/oauth/revoke", "/token"]
)
def test_a_page_of_any_origin_may_ask_and_read_the_answer(sign_in: SignIn, path: str) -> None:
    origin = {"Origin": "https://inspector.example"}
    asked = sign_in.http.options(
        path,
        headers={
            **origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type, authorization, mcp-protocol-version",
        },
    )
    answered = sign_in.http.request("GET" if path.startswith("/.well") else "POST", path, headers=origin)

    assert (asked.status_code, asked.content) == (204, b"")
    allowed = {name.strip().lower() for name in asked.headers["Access-Control-Allow-Headers"].split(",")}
    assert {"content-type", "authorization", "mcp-protocol-version"} <= allowed
    for answer in (asked, answered):
        assert answer.headers.get_list("Access-Control-Allow-Origin") == ["*"]
        assert "Access-Control-Allow-Credentials" not in answer.headers
        exposed = {name.strip() for name in answer.headers["Access-Control-Expose-Headers"].split(",")}
        assert {"Mcp-Session-Id", "WWW-Authenticate", "X-Request-ID", "Retry-After"} <= exposed
