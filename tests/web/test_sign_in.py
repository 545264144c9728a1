"""Signing in by email and password, staying signed in, and signing out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.web.conftest import PASSWORD, Browser, csrf_of, words_of


def test_a_page_asks_who_comes_and_goes_on_where_they_wanted_to(stranger: Browser, person: Browser) -> None:
    asked = stranger.get("/app/keys?x=1")
    assert (asked.status_code, asked.headers["location"]) == (303, "/app/sign-in?next=%2Fapp%2Fkeys%3Fx%3D1")
    signed = stranger.sign_in(person.email, next="/app/keys?x=1")
    assert (signed.status_code, signed.headers["location"]) == (303, "/app/keys?x=1")
    assert stranger.get("/app/keys").status_code == 200
