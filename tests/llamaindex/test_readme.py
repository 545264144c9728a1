"""What the README says of LlamaIndex is true."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest

from tests.integrations_readme import README, example, run
from tests.llamaindex.conftest import PORTO


async def test_the_example_remembers_a_user_from_one_conversation_to_the_next(
    base_url: str,
    api_key: str,
    space: str,
    sdk: Any,
    model: Callable[..., Any],
    learned_all: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GENIFFY_API_KEY", api_key)
    monkeypatch.setenv("GENIFFY_BASE_URL", base_url)
    scripted = model("Noted.", "In Porto.")
    chat = run("LlamaIndex", llm=scripted.llm)["chat"]

    assert await chat(space, "chat-1", PORTO) == "Noted."
    learned_all()
    assert await chat(space, "chat-2", "Where does my sister Ana live?") == "In Porto."
    assert "Ana lives in Porto.  [" in scripted.prompt(1)
    assert sdk.sources.list().total == 2


def test_the_versions_it_names_are_those_of_the_tests() -> None:
    (row,) = re.findall(r"^\| \[LlamaIndex\].*$", README.read_text(), re.MULTILINE)

    assert f"llama-index-core {version('llama-index-core')} |" in row
    assert len([line for line in example("LlamaIndex").splitlines() if line.strip()]) <= 10
