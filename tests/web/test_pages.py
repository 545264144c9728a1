"""Every page: what it shows, and that it stands alone."""

from __future__ import annotations

import pytest

from tests.web.conftest import Browser, words_of

PAGES = ("memories", "sources", "files", "agents", "keys", "requests", "spaces", "account")


@pytest.mark.parametrize("name", PAGES)
def test_an_empty_memory_has_every_page(person: Browser, name: str) -> None:
    page = person.get(f"/app/{name}")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert person.email in words_of(page)
