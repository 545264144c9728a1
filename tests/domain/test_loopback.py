"""This device's names for itself."""

from __future__ import annotations

import pytest

from geniffy_server.domain.loopback import as_called


@pytest.mark.parametrize(
    ("base", "host", "called"),
    [
        ("http://127.0.0.1:8787", "localhost:8787", "http://localhost:8787"),
        ("http://127.0.0.1:8787", "[::1]:8787", "http://[::1]:8787"),
        ("http://localhost:8787/mem", "127.0.0.1:8787", "http://127.0.0.1:8787/mem"),
        ("http://localhost", "127.0.0.1", "http://127.0.0.1"),
        ("http://127.0.0.1:8787", "LOCALHOST:8787", "http://localhost:8787"),
    ],
)
def test_a_caller_on_this_device_is_answered_by_the_name_it_used(base: str, host: str, called: str) -> None:
    assert as_called(base, host) == called


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example:8787",
        "localhost:1",
        "localhost",
        "a:b",
        "[",
    ],
)
def test_any_other_name_changes_nothing(host: str | None) -> None:
    assert as_called("http://127.0.0.1:8787", host) == "http://127.0.0.1:8787"


def test_a_public_address_stays_as_it_is_whatever_it_is_called() -> None:
    for base in ("https://x.example/mem", "http://x.example", "https://localhost:8787"):
        assert as_called(base, "localhost:8787") == base
