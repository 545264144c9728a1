"""Options, variables and what is said about bad ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from geniffy_server.errors import BadInput
from geniffy_server.settings import hand_over, read_settings


def test_an_option_beats_its_variable_and_a_variable_beats_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENIFFY_PORT", "9001")
    monkeypatch.setenv("GENIFFY_HOST", "0.0.0.0")

    settings = read_settings(port=9002, host=None)

    assert (settings.port, settings.host, settings.data) == (9002, "0.0.0.0", Path("data"))


@pytest.mark.parametrize(
    ("variables", "options", "named"),
    [
        ({"GENIFFY_PORT": "many"}, {}, "GENIFFY_PORT can't be 'many'"),
        ({}, {"port": 70_000}, "--port can't be 70000"),
        ({}, {"public_url": "memory.example"}, "--public-url can't be 'memory.example'"),
        ({"GENIFFY_CERTAINTY": "sure"}, {}, "GENIFFY_CERTAINTY can't be 'sure'"),
        ({}, {"workers": 0}, "--workers can't be 0"),
    ],
)
def test_a_setting_that_cannot_be_is_named_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], options: dict[str, object], named: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    with pytest.raises(BadInput) as refused:
        read_settings(**options)

    assert refused.value.sentence.startswith(named)
    assert "\n" not in refused.value.sentence


def test_settings_that_are_handed_over_are_read_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.setenv("GENIFFY_PORT", "9001")
    chosen = read_settings(data=tmp_path, port=8787, allowed_origins="https://a.example", metrics_token="t")

    hand_over(chosen)

    assert read_settings() == chosen


@pytest.mark.parametrize(
    ("options", "address"),
    [
        ({"host": "0.0.0.0", "port": 1}, "http://127.0.0.1:1"),
        ({"host": "::", "port": 1}, "http://[::1]:1"),
        ({"host": "192.0.2.1", "port": 1}, "http://192.0.2.1:1"),
        ({"host": "0.0.0.0", "public_url": "https://x.example/mem/"}, "https://x.example/mem"),
    ],
)
def test_the_address_is_one_that_can_be_called(options: dict[str, object], address: str) -> None:
    assert read_settings(**options).base_url == address
