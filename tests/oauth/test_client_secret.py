"""How an app says which one it is: by its name alone, by Basic authentication, or in the body."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.oauth.conftest import MakeSignIn, SignIn, refusal


@pytest.fixture
def with_secret(make_sign_in: MakeSignIn) -> SignIn:
    """An app that registered for Basic authentication."""
    sign_in = make_sign_in(auth_method="client_secret_basic")
    sign_in.registered()
    return sign_in


def basic(name: str, secret: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()}


@pytest.mark.statement(264)
@pytest.mark.parametrize("method", ["none", "client_secret_basic", "client_secret_post"])
@pytest.mark.parametrize("shown", ["client_secret_basic", "client_secret_post"])
def test_every_method_leads_to_tokens_and_a_secret_is_taken_either_way(
    make_sign_in: MakeSignIn, method: str, shown: str
) -> None:
    sign_in = make_sign_in(auth_method=method)
    sign_in.registered()
    name, secret = sign_in.client["client_id"], sign_in.client.get("client_secret")
    code = sign_in.code()

    if secret is None:
        answer = sign_in.traded(code)
    elif shown == "client_secret_basic":
        answer = sign_in.traded(code, (name, secret), client_id=None)
    else:
        answer = sign_in.traded(code, client_secret=secret)

    assert answer.status_code == 200
    assert sign_in.reaches(answer.json()["access_token"])


def test_the_name_may_stand_in_the_body_beside_the_header(with_secret: SignIn) -> None:
    auth = (with_secret.client["client_id"], with_secret.client["client_secret"])

    assert with_secret.traded(with_secret.code(), auth).status_code == 200


def test_name_and_secret_may_be_form_encoded_in_the_header(with_secret: SignIn) -> None:
    name, secret = (with_secret.client[part].replace("_", "%5F") for part in ("client_id", "client_secret"))

    assert with_secret.traded(with_secret.code(), (name, secret), client_id=None).status_code == 200


@pytest.mark.parametrize("secret", [None, "", "wrong", "gnf_cs_" + "x" * 43])
def test_without_its_secret_an_app_gets_nothing_and_its_code_stays_good(
    with_secret: SignIn, secret: str | None
) -> None:
    code = with_secret.code()

    assert refusal(with_secret.traded(code, client_secret=secret)) == (401, "invalid_client")
    assert with_secret.traded(code, client_secret=with_secret.client["client_secret"]).status_code == 200


def test_a_refusal_of_a_header_says_which_one_is_wanted(with_secret: SignIn) -> None:
    answer = with_secret.traded("x", (with_secret.client["client_id"], "wrong"))

    assert refusal(answer) == (401, "invalid_client")
    assert answer.headers["WWW-Authenticate"].startswith("Basic")


@pytest.mark.parametrize("header", ["Basic", "Basic !!!", "Basic bm9jb2xvbg==", "Basic /w==", "Bearer x", "Digest x"])
def test_a_header_that_can_t_be_read_is_refused(with_secret: SignIn, header: str) -> None:
    answer = with_secret.http.post("/oauth/token", data={"grant_type": "x"}, headers={"Authorization": header})

    assert refusal(answer) == (401, "invalid_client")


def test_an_app_shows_its_secret_once(with_secret: SignIn) -> None:
    name, secret = with_secret.client["client_id"], with_secret.client["client_secret"]

    assert refusal(with_secret.traded("x", (name, secret), client_secret=secret)) == (400, "invalid_request")


def test_header_and_body_name_the_same_app(with_secret: SignIn, sign_in: SignIn) -> None:
    sign_in.registered()
    auth = (with_secret.client["client_id"], with_secret.client["client_secret"])

    assert refusal(with_secret.traded("x", auth, client_id=sign_in.client["client_id"])) == (401, "invalid_client")


@pytest.mark.parametrize("client_id", [None, "", "gnf_app_nope", "' OR 1=1 --"])
def test_an_app_that_is_not_known_is_an_invalid_client(sign_in: SignIn, client_id: Any) -> None:
    code = sign_in.code()

    assert refusal(sign_in.traded(code, client_id=client_id)) == (401, "invalid_client")


def test_a_public_app_that_shows_a_secret_is_still_known_by_its_name(sign_in: SignIn) -> None:
    assert sign_in.traded(sign_in.code(), client_secret="anything").status_code == 200
