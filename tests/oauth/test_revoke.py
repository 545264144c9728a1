"""An app ends its connection by either token."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.oauth.conftest import MakeSignIn, SignIn, refusal


def revoked(sign_in: SignIn, token: str | None, **more: Any) -> httpx.Response:
    told = {"token": token, "client_id": sign_in.client["client_id"], **more}
    return sign_in.http.post("/oauth/revoke", data={name: value for name, value in told.items() if value is not None})


@pytest.mark.statement(261)
@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "nonsense"])
def test_either_token_ends_the_connection_whatever_the_hint(sign_in: SignIn, kind: str, hint: str | None) -> None:
    first = sign_in.tokens()
    second = sign_in.refreshed(first["refresh_token"]).json()

    answer = revoked(sign_in, second[kind], token_type_hint=hint)

    assert (answer.status_code, answer.content) == (200, b"")
    assert not any(sign_in.reaches(one["access_token"]) for one in (first, second))
    assert refusal(sign_in.refreshed(second["refresh_token"])) == (400, "invalid_grant")
    assert sign_in.connections() == []
    assert revoked(sign_in, second[kind]).status_code == 200


def test_a_public_app_that_does_not_name_itself_may_end_its_own_connection(sign_in: SignIn) -> None:
    tokens = sign_in.tokens()

    assert revoked(sign_in, tokens["refresh_token"], client_id=None).status_code == 200
    assert sign_in.connections() == []


@pytest.mark.parametrize("token", ["gnf_at_nope", "nope", "' OR 1=1 --"])
def test_a_token_that_is_unknown_is_as_good_as_ended(sign_in: SignIn, token: str) -> None:
    sign_in.registered()

    assert revoked(sign_in, token).status_code == 200


def test_a_token_is_needed(sign_in: SignIn) -> None:
    sign_in.registered()

    assert refusal(revoked(sign_in, None)) == (400, "invalid_request")


def test_an_app_s_token_is_ended_by_that_app_alone(sign_in: SignIn, make_sign_in: MakeSignIn) -> None:
    tokens = sign_in.tokens()
    other = make_sign_in()
    other.registered()

    assert refusal(revoked(other, tokens["access_token"])) == (400, "invalid_grant")
    assert refusal(revoked(other, tokens["access_token"], client_id="gnf_app_nope")) == (401, "invalid_client")
    assert sign_in.reaches(tokens["access_token"])


def test_an_app_with_a_secret_must_show_it(make_sign_in: MakeSignIn) -> None:
    sign_in = make_sign_in(auth_method="client_secret_post")
    sign_in.registered()
    secret = sign_in.client["client_secret"]
    tokens = sign_in.traded(sign_in.code(), client_secret=secret).json()

    assert refusal(revoked(sign_in, tokens["access_token"])) == (401, "invalid_client")
    assert refusal(revoked(sign_in, tokens["access_token"], client_id=None)) == (401, "invalid_client")
    assert sign_in.reaches(tokens["access_token"])
    assert revoked(sign_in, tokens["access_token"], client_secret=secret).status_code == 200
    assert not sign_in.reaches(tokens["access_token"])
